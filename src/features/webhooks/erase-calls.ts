/**
 * Removes personal data from the log of webhook calls. The log has no index on the data of calls, so these functions
 * read all calls of the team from a given time on, a batch at a time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import type { Row } from '../../platform/database/rows.ts';

const BATCH_SIZE = 1_000;
const PAUSE_MS = 20;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Calls about an email are made after the email, so their IDs are higher. */
export async function clearSubjectInCalls(db: Db, teamId: number, emailId: string): Promise<void> {
  await forEachBatch(
    db,
    teamId,
    emailId,
    (batch) => sql`
      update webhook_calls c set data = c.data || '{"subject": "", "metadata": {}}' from (${batch}) b
      where c.team_id = ${teamId} and c.webhook_id = b.webhook_id and c.id = b.id
        and c.ids ->> 'emailId' = ${`eml ${emailId}`} and c.data ? 'subject'`,
  );
}

/**
 * Deletes the calls that match a regular expression, which is compared with their data in lower case. Calls that wait
 * are kept, because the receiver may have to erase the person too. Returns whether any of those match.
 */
export async function eraseCalls(db: Db, teamId: number, pattern: string): Promise<boolean> {
  const matches = sql`lower(c.data::text) ~ ${pattern}`;
  // Check before the deletion: a call that is made in between would otherwise be neither deleted nor reported.
  const { rows } = await sql`
    select 1 from webhook_calls c where c.team_id = ${teamId} and c.status = 'waiting' and ${matches} limit 1
  `.execute(db);
  await forEachBatch(
    db,
    teamId,
    FIRST_ID,
    (batch) => sql`
      with deleted as (
        delete from webhook_calls c using (${batch}) b
        where c.team_id = ${teamId} and c.webhook_id = b.webhook_id and c.id = b.id
          and c.status <> 'waiting' and ${matches}
        returning c.webhook_id, c.id
      )
      delete from webhook_attempts a using deleted d
      where a.team_id = ${teamId} and a.webhook_id = d.webhook_id and a.call_id = d.id`,
  );
  return rows.length > 0;
}

/** Runs a statement for each batch of calls. `batch` is a query that selects webhook_id and id. */
async function forEachBatch(
  db: Db,
  teamId: number,
  fromId: string,
  toStatement: (batch: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<void> {
  const { rows: webhooks } = await sql<{ id: Row<'webhook_calls'>['webhook_id'] }>`
    select distinct webhook_id as id from webhook_calls where team_id = ${teamId}
  `.execute(db);
  for (const webhook of webhooks) {
    let after = fromId;
    for (;;) {
      const batch = sql`
        select webhook_id, id from webhook_calls
        where team_id = ${teamId} and webhook_id = ${webhook.id} and id > ${after}
        order by id limit ${BATCH_SIZE}`;
      const { rows: ends } = await sql<{ id: Row<'webhook_calls'>['id'] | null }>`
        select id from (${batch}) b order by id desc limit 1
      `.execute(db);
      if (!ends[0]?.id) break;
      await toStatement(batch).execute(db);
      after = ends[0].id;
      await sleep(PAUSE_MS);
    }
  }
}
