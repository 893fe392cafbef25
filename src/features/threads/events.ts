/** What happens in a mailbox, written down for those who listen. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';

export async function noteThreadChanged(
  trx: Db,
  teamId: number,
  mailboxId: string,
  threadId: string,
): Promise<void> {
  await sql`
    insert into mailbox_events (team_id, mailbox_id, type, thread_id)
    values (${teamId}, ${mailboxId}, 'thread.changed', ${threadId})
  `.execute(trx);
}
