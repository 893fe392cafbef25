/**
 * Removes personal data from the log of webhook calls. The log has no index on the data of events, so these functions
 * read all events of the team from a given time on, a batch at a time. Calls from before migration 480 have their events
 * themselves, and are gone 30 days later.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import type { Row } from '../../platform/database/rows.ts';

const BATCH_SIZE = 1_000;
const PAUSE_MS = 20;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Events of an email are recorded after the email, so the IDs of their calls are higher. */
export async function clearSubjectInCalls(db: Db, teamId: number, emailId: string): Promise<void> {
  const clear = (table: RawBuilder<unknown>) => (ids: string[]) =>
    sql`
      update ${table} set data = data || '{"subject": "", "metadata": {}}'
      where team_id = ${teamId} and id = any(${ids}::uuid[]) and ids ->> 'emailId' = ${`eml ${emailId}`}
        and data ? 'subject'`.execute(db);
  await forEachBatch(db, eventsOf(teamId), emailId, clear(sql`webhook_events`));
  for (const webhookId of await webhooksOf(db, teamId)) {
    const calls = clear(sql`webhook_calls`);
    await forEachBatch(db, oldCallsOf(teamId, webhookId), emailId, calls);
  }
}

/**
 * Deletes the calls whose event matches a regular expression, which is compared with its data in lower case, and then the
 * event. Calls that wait are kept with their event, because the receiver may have to erase the person too. Returns
 * whether there are any.
 */
export async function eraseCalls(db: Db, teamId: number, pattern: string): Promise<boolean> {
  let callsWait = false;
  await forEachBatch(db, eventsOf(teamId), FIRST_ID, async (batch) => {
    const { rows: found } = await sql<Row<'webhook_events', 'id'>>`
      select id from webhook_events
      where team_id = ${teamId} and id = any(${batch}::uuid[]) and lower(data::text) ~ ${pattern}
    `.execute(db);
    const ids = found.map(({ id }) => id);
    if (ids.length > 0 && (await eraseEvents(db, teamId, ids)) < ids.length) callsWait = true;
  });
  for (const webhookId of await webhooksOf(db, teamId))
    if (await eraseOldCalls(db, { teamId, webhookId }, pattern)) callsWait = true;
  return callsWait;
}

/** Returns how many of the events no call waits for. They are deleted. */
async function eraseEvents(db: Db, teamId: number, ids: string[]): Promise<number> {
  await deleteFinished(
    db,
    teamId,
    sql`c.webhook_id in (select id from webhooks where team_id = ${teamId}) and c.id = any(${ids}::uuid[])`,
  );
  const { rows } = await sql`
    delete from webhook_events e where e.team_id = ${teamId} and e.id = any(${ids}::uuid[]) and not exists (
      select from webhooks w join webhook_calls c on c.team_id = w.team_id and c.webhook_id = w.id and c.id = e.id
      where w.team_id = e.team_id
    ) and not exists (
      select from webhooks w join webhook_calls c
        on c.team_id = w.team_id and c.webhook_id = w.id and c.last_id >= e.id and c.id < e.id
      join webhook_events first on first.team_id = c.team_id and first.id = c.id
      where w.team_id = e.team_id and first.batch_id = e.batch_id
    ) returning 1
  `.execute(db);
  return rows.length;
}

async function eraseOldCalls(
  db: Db,
  { teamId, webhookId }: { teamId: number; webhookId: string },
  pattern: string,
): Promise<boolean> {
  const matches = sql`c.webhook_id = ${webhookId} and lower(c.data::text) ~ ${pattern}`;
  // Check before the deletion: a call that is made in between would otherwise be neither deleted nor reported.
  const { rows } = await sql`
    select 1 from webhook_calls c where c.team_id = ${teamId} and c.status = 'waiting' and ${matches} limit 1
  `.execute(db);
  await forEachBatch(db, oldCallsOf(teamId, webhookId), FIRST_ID, (ids) =>
    deleteFinished(db, teamId, sql`${matches} and c.id = any(${ids}::uuid[])`),
  );
  return rows.length > 0;
}

async function deleteFinished(db: Db, teamId: number, condition: RawBuilder<unknown>): Promise<void> {
  await sql`
    with deleted as (
      delete from webhook_calls c where c.team_id = ${teamId} and c.status <> 'waiting' and ${condition}
      returning c.webhook_id, c.id
    )
    delete from webhook_attempts a using deleted d
    where a.team_id = ${teamId} and a.webhook_id = d.webhook_id and a.call_id = d.id
  `.execute(db);
}

function eventsOf(teamId: number): RawBuilder<Row<'webhook_events', 'id'>> {
  return sql`select id from webhook_events where team_id = ${teamId}`;
}

function oldCallsOf(teamId: number, webhookId: string): RawBuilder<Row<'webhook_calls', 'id'>> {
  return sql`
    select id from webhook_calls where team_id = ${teamId} and webhook_id = ${webhookId} and data is not null`;
}

/** The webhooks with calls from before migration 480, of which some may have been deleted. */
async function webhooksOf(db: Db, teamId: number): Promise<string[]> {
  const { rows } = await sql<{ id: Row<'webhook_calls'>['webhook_id'] }>`
    select distinct webhook_id as id from webhook_calls where team_id = ${teamId} and data is not null
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Runs `change` for each batch of the rows that `rows` selects after an ID. */
async function forEachBatch(
  db: Db,
  rows: RawBuilder<{ id: string }>,
  fromId: string,
  change: (ids: string[]) => Promise<unknown>,
): Promise<void> {
  for (let after = fromId; ;) {
    const batch = await sql<{
      id: string;
    }>`${rows} and id > ${after} order by id limit ${BATCH_SIZE}`.execute(db);
    const last = batch.rows.at(-1);
    if (!last) break;
    await change(batch.rows.map(({ id }) => id));
    after = last.id;
    await sleep(PAUSE_MS);
  }
}
