/** The log of calls is kept for a time, and goes with its webhook: in pieces, for it may be millions. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/database.ts';

const DAYS_KEPT = 30;
const DROP_AT_ONCE = 5_000;

/** What is older than the log goes back; also what waited so long for a webhook that is paused. */
export async function dropOldCalls(db: Db): Promise<void> {
  await dropCalls(db, sql`created_at < now() - make_interval(days => ${DAYS_KEPT}::integer)`);
}

export async function dropCallsOfWebhook(db: Db, teamId: number, key: string): Promise<void> {
  await dropCalls(db, sql`team_id = ${teamId} and webhook_id = ${key}`);
}

async function dropCalls(db: Db, condition: RawBuilder<unknown>): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ count: number }>`
      with doomed as (
        select team_id, webhook_id, id from webhook_calls where ${condition} limit ${DROP_AT_ONCE}
        for update skip locked
      ), attempts as (
        delete from webhook_attempts a using doomed d
        where a.team_id = d.team_id and a.webhook_id = d.webhook_id and a.call_id = d.id
      ), calls as (
        delete from webhook_calls c using doomed d
        where c.team_id = d.team_id and c.webhook_id = d.webhook_id and c.id = d.id returning 1
      )
      select count(*) from calls
    `.execute(db);
    if (rows[0]!.count < DROP_AT_ONCE) return;
  }
}
