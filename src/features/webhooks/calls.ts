/** The log of webhook calls with their attempts, and replaying calls. */
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, type Db } from '../../platform/database/database.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../platform/ids.ts';
import {
  fromStart,
  orderOf,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
} from '../../platform/pages.ts';
import type { Row } from '../../platform/database/rows.ts';
import type { Call, CallAttempt, CallDetail, CallError, CallQuery } from './calls.schema.ts';
import { CALL, foldedCall, foldedPage } from './folded-calls.ts';
import { EVENT, EVENT_ID, JOIN_EVENT, toShownPayload, type StoredEvent } from './payload.ts';
import { webhookKey } from './webhooks.ts';

interface AttemptRow {
  no: number;
  started_at: Date;
  duration_ms: number;
  status_code: number | null;
  answer: string | null;
  error: string | null;
}

interface CallRow
  extends
    StoredEvent,
    Row<'webhook_calls', 'id' | 'webhook_id' | 'due_at' | 'attempts' | 'created_at'>,
    Row<'webhook_events', 'event_id'> {
  status: Call['status'];
  last: (Omit<AttemptRow, 'started_at'> & { started_at: string }) | null;
}

/** Reads the calls that `found` selects. `last` is the last attempt as JSON, or null for a call that was never tried. */
function selectCalls(teamId: number, key: string, found: RawBuilder<unknown>): RawBuilder<CallRow> {
  return sql`
    select found.*, ${key}::uuid as webhook_id, ${EVENT_ID} as event_id, ${EVENT}, (
      select to_jsonb(a) from webhook_attempts a
      where a.team_id = ${teamId} and a.webhook_id = ${key} and a.call_id = found.id and a.no = found.attempts
    ) as last
    from (${found}) found
    left join webhook_calls c on c.team_id = ${teamId} and c.webhook_id = ${key} and c.id = found.id
    left join webhook_events e on e.team_id = ${teamId} and e.id = found.id`;
}

export async function listCalls(
  db: Db,
  teamId: number,
  webhookId: string,
  { status, type, ...page }: PageRequest & Pick<Partial<CallQuery>, 'status' | 'type'>,
): Promise<Page<Call>> {
  const key = webhookKey(webhookId);
  const start = readPageStart('whc', page);
  const conditions = [sql`c.team_id = ${teamId}`, sql`c.webhook_id = ${key}`, fromStart(start, 'c.id')];
  // A literal, not a parameter, so that the planner can use the partial indexes by status.
  if (status) conditions.push(sql`c.status = ${sql.lit(status)}`);
  if (type) conditions.push(sql`coalesce(c.type, e.type) = ${type}`);
  await requireWebhook(db, teamId, key);
  const limit = page.limit + 1;
  const order = sql`order by id ${orderOf(start)} limit ${limit}`;
  const own = sql`
    select c.id, c.status, c.due_at, c.attempts, c.created_at from webhook_calls c ${type ? JOIN_EVENT : sql``}
    where ${sql.join(conditions, sql` and `)} ${order}`;
  const folded = foldedPage({ teamId, webhookId: key }, { start, limit, type });
  const found = status && status !== 'waiting' ? own : sql`(${own}) union all (${folded}) ${order}`;
  const { rows } = await sql<CallRow>`${selectCalls(teamId, key, found)} ${order}`.execute(db);
  return toPage(rows, page, present);
}

export async function getCall(
  db: Db,
  teamId: number,
  webhookId: string,
  callId: string,
): Promise<CallDetail> {
  const row = await findCall(db, teamId, webhookId, callId);
  const attempts = await db
    .selectFrom('webhook_attempts')
    .select(['no', 'started_at', 'duration_ms', 'status_code', 'answer', 'error'])
    .where('team_id', '=', teamId)
    .where('webhook_id', '=', row.webhook_id)
    .where('call_id', '=', row.id)
    .orderBy('no')
    .execute();
  return { ...present(row), attempts: attempts.map(presentAttempt) };
}

/** Sends a test event to this webhook only, whichever events it subscribes to. */
export async function sendTest(db: Db, teamId: number, webhookId: string): Promise<Call> {
  const key = webhookKey(webhookId);
  const id = newUuid();
  await inTransaction(db, async (trx) => {
    await endBackoff(trx, teamId, key);
    const data = JSON.stringify({ webhookId, message: 'This is a test event. Your webhook works.' });
    await sql`
      with told as (
        insert into webhook_events (team_id, id, event_id, type, data)
        values (${teamId}, ${id}, ${newUuid()}, 'webhook.test', ${data}::jsonb)
      )
      insert into webhook_calls (team_id, webhook_id, id) values (${teamId}, ${key}, ${id})
    `.execute(trx);
  });
  return present(await findCall(db, teamId, webhookId, encodeId('whc', id)));
}

export async function replayCall(db: Db, teamId: number, webhookId: string, callId: string): Promise<Call> {
  const { id, webhook_id: key } = await findCall(db, teamId, webhookId, callId);
  await inTransaction(db, async (trx) => {
    await endBackoff(trx, teamId, key);
    await sql`
      update webhook_calls set status = 'waiting', due_at = now(), round_attempts = 0, first_tried_at = null
      where team_id = ${teamId} and webhook_id = ${key} and id = ${id}
    `.execute(trx);
  });
  return present(await findCall(db, teamId, webhookId, callId));
}

export async function replayFailed(db: Db, teamId: number, webhookId: string, since: Date): Promise<number> {
  const key = webhookKey(webhookId);
  return inTransaction(db, async (trx) => {
    await endBackoff(trx, teamId, key);
    const { rows } = await sql<{ count: number }>`
      with replayed as (
        update webhook_calls set status = 'waiting', due_at = now(), round_attempts = 0, first_tried_at = null
        where team_id = ${teamId} and webhook_id = ${key} and status = 'failed' and created_at >= ${since}
        returning 1
      )
      select count(*) from replayed
    `.execute(trx);
    return rows[0]!.count;
  });
}

/** Ends the webhook's backoff, because someone wants a call to be made now. The webhook must be active. */
async function endBackoff(trx: Db, teamId: number, key: string): Promise<void> {
  const { rows } = await sql<Row<'webhooks', 'status'>>`
    update webhooks set rests_until = least(rests_until, now()) where team_id = ${teamId} and id = ${key}
    returning status
  `.execute(trx);
  if (!rows[0]) throw notFound('Webhook');
  if (rows[0].status !== 'active') {
    throw conflict(`This webhook is ${rows[0].status}. Resume it first.`);
  }
}

async function findCall(db: Db, teamId: number, webhookId: string, callId: string): Promise<CallRow> {
  const key = webhookKey(webhookId);
  const id = decodeId('whc', callId);
  const isOwn = sql`exists (select from webhooks where team_id = ${teamId} and id = ${key})`;
  const found = sql`
    select ${CALL} from webhook_calls where team_id = ${teamId} and webhook_id = ${key} and id = ${id} and ${isOwn}
    union all ${foldedCall({ teamId, webhookId: key }, id)} and ${isOwn}`;
  const { rows } = await selectCalls(teamId, key, found).execute(db);
  if (!rows[0]) throw notFound('Call');
  return rows[0];
}

async function requireWebhook(db: Db, teamId: number, key: string): Promise<void> {
  const { rows } = await sql`select 1 from webhooks where team_id = ${teamId} and id = ${key}`.execute(db);
  if (rows.length === 0) throw notFound('Webhook');
}

function present(row: CallRow): Call {
  const last = row.last && { ...row.last, started_at: new Date(row.last.started_at) };
  return {
    id: encodeId('whc', row.id),
    webhookId: encodeId('whk', row.webhook_id),
    eventId: encodeId('evt', row.event_id),
    type: row.type,
    status: row.status,
    attemptCount: row.attempts,
    nextAttemptAt: row.status === 'waiting' ? row.due_at.toISOString() : null,
    lastAttempt: last && presentAttempt(last),
    payload: toShownPayload(row),
    createdAt: row.created_at.toISOString(),
  };
}

function presentAttempt(row: AttemptRow): CallAttempt {
  return {
    no: row.no,
    at: row.started_at.toISOString(),
    durationMs: row.duration_ms,
    statusCode: row.status_code,
    answer: row.answer,
    error: row.error as CallError | null,
  };
}
