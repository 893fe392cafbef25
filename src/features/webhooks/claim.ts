/**
 * Leases endpoints to the webhook sender (platform/due/due.ts) and records its attempts. A lease covers the whole endpoint,
 * so that one process at a time calls it, in the order of the events. Lock order: the webhook, then its call.
 */
import { sql, type RawBuilder } from 'kysely';
import { notClosed } from '../instance/closed-teams.ts';
import { inTransaction, type Db } from '../../platform/database/database.ts';
import type { CamelRow, Row } from '../../platform/database/rows.ts';
import { isFree, LEASE_END, type LeasedTable } from '../../platform/due/due.ts';
import { enqueue } from '../jobs/jobs.ts';
import type { EndpointAttempt } from './endpoint.ts';
import { unfoldCalls } from './folded-calls.ts';
import { FAILURES_UNTIL_REST } from './notice.ts';
import { EVENT, EVENT_ID, JOIN_EVENT, type StoredEvent } from './payload.ts';
import { nextCallAt } from './retry.ts';
import type { FreePlaces } from './sender-places.ts';

/** Endpoints are leased by process. */
export const WEBHOOK_LEASES: LeasedTable<'team_id' | 'id'> = {
  name: 'webhooks',
  key: { team_id: 'integer', id: 'uuid' },
  holder: 'leased_by',
  endsAt: 'leased_until',
  whenFreed: 'has-no-end',
};
const CALLS_AT_ONCE = 20;
const REST_SECONDS = 60;
const FAILURES_UNTIL_PAUSE = 30;
const GONE = 410;

export interface ClaimedEndpoint extends CamelRow<
  'webhooks',
  'team_id' | 'id' | 'url' | 'format' | 'secret' | 'updated_at'
> {
  /** Null if there is none or it has expired. */
  oldSecret: Buffer | null;
}

export type DueCall = StoredEvent &
  CamelRow<'webhook_events', 'event_id'> &
  CamelRow<'webhook_calls', 'id' | 'last_id' | 'round_attempts' | 'first_tried_at'>;

const IS_FREE = sql`w.status = 'active' and w.rests_until <= now() and w.${notClosed}
  and ${isFree('w')}`;

/**
 * Skips from endpoint to endpoint along the index of waiting calls (`endpoint`), so that an endpoint with a million
 * waiting calls costs no more than one with a single call. The endpoint called longest ago comes first, in its team
 * (`candidate`) and of all (`free`).
 */
export async function leaseEndpoints(
  db: Db,
  senderId: string,
  { isFailing, count, perTeam, taken }: FreePlaces,
): Promise<ClaimedEndpoint[]> {
  const { rows } = await sql<ClaimedEndpoint>`
    with recursive endpoint as (
      (select team_id, webhook_id from webhook_calls where status = 'waiting' order by team_id, webhook_id limit 1)
      union all
      select next.team_id, next.webhook_id from endpoint e cross join lateral (
        select c.team_id, c.webhook_id from webhook_calls c
        where c.status = 'waiting' and (c.team_id, c.webhook_id) > (e.team_id, e.webhook_id)
        order by c.team_id, c.webhook_id limit 1
      ) next
    ), candidate as (
      select w.team_id, w.id, w.last_called_at,
        row_number() over (partition by w.team_id order by w.last_called_at nulls first) + coalesce(t.count, 0) as place
      from endpoint e join webhooks w on w.team_id = e.team_id and w.id = e.webhook_id
      left join unnest(${[...taken.keys()]}::integer[], ${[...taken.values()]}::integer[]) as t (team_id, count)
        on t.team_id = w.team_id
      where ${IS_FREE} and (w.failures > 0) = ${isFailing}
        and exists (
          select from webhook_calls c
          where c.team_id = w.team_id and c.webhook_id = w.id and c.status = 'waiting' and c.due_at <= now()
        )
    ), free as (
      select w.team_id, w.id from candidate c join webhooks w on w.team_id = c.team_id and w.id = c.id
      where c.place <= ${perTeam}::integer and ${IS_FREE}
      order by c.last_called_at nulls first limit ${count}
      for update of w skip locked
    )
    update webhooks w set leased_by = ${senderId}, leased_until = ${LEASE_END},
      last_called_at = now()
    from free where w.team_id = free.team_id and w.id = free.id
    returning w.team_id as "teamId", w.id, w.url, w.format, w.secret, w.updated_at as "updatedAt",
      case when w.old_secret_until > now() then w.old_secret end as "oldSecret"
  `.execute(db);
  return rows;
}

export async function findDueCalls(db: Db, { teamId, id }: ClaimedEndpoint): Promise<DueCall[]> {
  for (;;) {
    const { rows } = await sql<DueCall>`
      select c.id, c.last_id as "lastId", ${EVENT_ID} as "eventId", ${EVENT}, c.round_attempts as "roundAttempts",
        c.first_tried_at as "firstTriedAt"
      from webhook_calls c ${JOIN_EVENT}
      where c.team_id = ${teamId} and c.webhook_id = ${id} and c.status = 'waiting' and c.due_at <= now()
      order by c.id limit ${CALLS_AT_ONCE}
    `.execute(db);
    const folded = rows.filter(({ lastId }) => lastId !== null);
    if (folded.length === 0) return rows;
    const key = { teamId, webhookId: id };
    await unfoldCalls(
      db,
      key,
      folded.map((call) => call.id),
    );
  }
}

interface AfterCall extends CamelRow<'webhooks', 'status' | 'updated_at'> {
  reason: Row<'webhooks'>['paused_reason'];
  isResting: boolean;
}

/** A call that was made. */
interface MadeCall {
  senderId: string;
  endpoint: ClaimedEndpoint;
  call: DueCall;
  attempt: EndpointAttempt;
  now: Date;
}

/** Returns false if the endpoint must not be called next: it backs off, was changed or was taken over. */
export async function recordAttempt(db: Db, made: MadeCall): Promise<boolean> {
  const { endpoint, attempt } = made;
  const after =
    attempt.error === null
      ? await writeAttempt(db, made)
      : await inTransaction(db, (trx) => writeFailure(trx, made));
  return (
    after?.status === 'active' &&
    !after.isResting &&
    after.updatedAt.getTime() === endpoint.updatedAt.getTime()
  );
}

async function writeFailure(trx: Db, made: MadeCall): Promise<AfterCall | undefined> {
  const { teamId, id: webhookId } = made.endpoint;
  const after = await writeAttempt(trx, made);
  if (after?.status === 'paused' && after.reason === 'failures')
    await enqueue(trx, 'tell-of-paused-webhook', { teamId, webhookId });
  return after;
}

/**
 * One statement in three steps: `hook` updates the webhook and renews the lease, `called` updates the call, and
 * `logged` adds the attempt. `called` reads `hook`, so that the webhook is locked first. Returns undefined when another
 * sender has taken the endpoint over; the call is updated anyway, because it was made.
 */
async function writeAttempt(
  db: Db,
  { senderId, endpoint: { teamId, id: webhookId }, call, attempt, now }: MadeCall,
): Promise<AfterCall | undefined> {
  const startedAt = new Date(now.getTime() - attempt.durationMs);
  const isTaken = attempt.error === null;
  const isGone = attempt.statusCode === GONE;
  const change = isTaken
    ? AFTER_SUCCESS
    : isGone
      ? afterGone(attempt)
      : attempt.error === 'internal'
        ? NO_CHANGE
        : afterFailure(attempt);
  const nextAt = isTaken || isGone ? null : retryAt(call, attempt, startedAt, now);
  const { rows } = await sql<AfterCall>`
    with hook as (
      update webhooks set ${change},
        leased_until = ${LEASE_END}
      where team_id = ${teamId} and id = ${webhookId} and leased_by = ${senderId}
      returning status, paused_reason, updated_at, rests_until > now() as resting
    ), called as (
      update webhook_calls c set
        status = ${isTaken ? 'succeeded' : nextAt ? 'waiting' : 'failed'},
        due_at = coalesce(${nextAt}::timestamptz, due_at),
        attempts = attempts + 1, round_attempts = round_attempts + 1,
        first_tried_at = coalesce(first_tried_at, ${startedAt})
      from (select count(*) from hook) first
      where team_id = ${teamId} and webhook_id = ${webhookId} and id = ${call.id} and c.status = 'waiting'
      returning attempts
    ), logged as (
      insert into webhook_attempts (team_id, webhook_id, call_id, no, started_at, duration_ms, status_code, answer, error)
      select ${teamId}, ${webhookId}, ${call.id}, attempts, ${startedAt}, ${attempt.durationMs}::integer,
        ${attempt.statusCode}::integer, ${attempt.answer}, ${attempt.error} from called
    )
    select status, paused_reason as reason, updated_at as "updatedAt", resting as "isResting" from hook
  `.execute(db);
  return rows[0];
}

/** The endpoint was not called, so nothing is known about it. */
const NO_CHANGE = sql`failures = failures`;
const AFTER_SUCCESS = sql`failures = 0, failing_since = null, last_error = null`;

/** Status 410 means that the endpoint wants no further calls. */
function afterGone(attempt: EndpointAttempt): RawBuilder<unknown> {
  return sql`${countFailure(attempt)}, status = 'disabled', paused_reason = 'gone'`;
}

/** An endpoint that has failed for a day, and often enough, is paused. */
function afterFailure(attempt: EndpointAttempt): RawBuilder<unknown> {
  const pauses = sql`status = 'active' and failures + 1 >= ${FAILURES_UNTIL_PAUSE}
    and failing_since <= now() - interval '1 day'`;
  return sql`${countFailure(attempt)},
    status = case when ${pauses} then 'paused' else status end,
    paused_reason = case when ${pauses} then 'failures' else paused_reason end`;
}

/**
 * After several failures in a row the endpoint is not called for a while, and at least for as long as its Retry-After
 * asks.
 */
function countFailure({ error, statusCode, retryAfterMs }: EndpointAttempt): RawBuilder<unknown> {
  return sql`
    failures = failures + 1,
    failing_since = coalesce(failing_since, now()),
    last_error = ${statusCode ? `${error} (${statusCode})` : error},
    rests_until = greatest(
      now() + make_interval(secs => ${(retryAfterMs ?? 0) / 1000}::float8),
      case when failures + 1 >= ${FAILURES_UNTIL_REST}
        then now() + make_interval(secs => ${REST_SECONDS} * (1 + random() / 10)) else now() end
    )`;
}

function retryAt(call: DueCall, attempt: EndpointAttempt, startedAt: Date, now: Date): Date | null {
  return nextCallAt({
    attempt: call.roundAttempts + 1,
    firstTriedAt: call.firstTriedAt ?? startedAt,
    now,
    retryAfterMs: attempt.retryAfterMs,
    random: Math.random,
  });
}
