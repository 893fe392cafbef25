/** Deletes old calls with their events, and the calls of deleted webhooks. Deletes in batches, because there may be millions. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import { deleteInBatches, deleteSomeRows } from '../../platform/database/delete-in-batches.ts';

const DAYS_KEPT = 30;
const BATCH_SIZE = 2_000;

/**
 * Also deletes calls that have waited this long for a paused webhook. Their events are deleted an hour after them, so that
 * no call is without its event.
 */
export async function dropOldCalls(db: Db): Promise<void> {
  const isOld = sql<boolean>`created_at < now() - make_interval(days => ${DAYS_KEPT}::integer)`;
  await dropCalls(db, isOld);
  const isHourOlder = sql<boolean>`created_at < now() - make_interval(days => ${DAYS_KEPT}::integer, hours => 1)`;
  await deleteInBatches(BATCH_SIZE, (limit) => deleteSomeRows(db, 'webhook_events', isHourOlder, limit));
}

export async function dropCallsOfWebhook(db: Db, teamId: number, key: string): Promise<void> {
  await dropCalls(db, sql`team_id = ${teamId} and webhook_id = ${key}`);
}

async function dropCalls(db: Db, condition: RawBuilder<unknown>): Promise<void> {
  await deleteInBatches(BATCH_SIZE, async (limit) => {
    const { rows } = await sql<{ count: number }>`
      with batch as (
        select team_id, webhook_id, id from webhook_calls where ${condition} limit ${limit}
        for update skip locked
      ), attempts as (
        delete from webhook_attempts a using batch d
        where a.team_id = d.team_id and a.webhook_id = d.webhook_id and a.call_id = d.id
      ), calls as (
        delete from webhook_calls c using batch d
        where c.team_id = d.team_id and c.webhook_id = d.webhook_id and c.id = d.id returning 1
      )
      select count(*) from calls
    `.execute(db);
    return rows[0]!.count;
  });
}
