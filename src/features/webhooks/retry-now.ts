import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';

/**
 * Repairs times after the clock was set back: untried calls become due now, and so do calls and endpoints that would
 * wait longer than the longest possible backoff.
 */
export async function retryCallsNow(db: Db): Promise<void> {
  await sql`
    update webhook_calls set due_at = now() where (team_id, webhook_id, id) in (
      select team_id, webhook_id, id from webhook_calls
      where status = 'waiting' and due_at > now() and (attempts = 0 or due_at > now() + interval '10 hours')
      for update skip locked
    )
  `.execute(db);
  await sql`
    update webhooks set rests_until = now() where rests_until > now() + interval '7 hours'
  `.execute(db);
}
