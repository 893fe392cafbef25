/**
 * Which endpoints are called next, and writing down what came of it. An endpoint is leased as a whole, so that one
 * process at a time calls it, in the order in which things happened; those of a process that dies are taken over.
 * Locks in one order: the webhook, then its call.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { enqueue } from '../../platform/jobs.ts';
import type { Attempt } from './endpoint.ts';
import { FAILURES_UNTIL_REST } from './notice.ts';
import type { StoredEvent } from './payload.ts';
import { nextCallAt } from './retry.ts';

const LEASE_SECONDS = 30;
const CALLS_AT_ONCE = 20;
const REST_SECONDS = 60;
const FAILURES_UNTIL_PAUSE = 30;
const GONE = 410;

export interface Endpoint {
  teamId: number;
  id: string;
  url: string;
  secret: Buffer;
  /** Null when there is none, or its time is over. */
  oldSecret: Buffer | null;
  updatedAt: Date;
}

export interface DueCall extends StoredEvent {
  id: string;
  eventId: string;
  roundAttempts: number;
  firstTriedAt: Date | null;
}

/**
 * Walks from endpoint to endpoint along the index of waiting calls, so that a million calls that wait for one of them
 * cost no more than one. Who was called longest ago comes first.
 */
export async function leaseEndpoints(db: Db, heraldId: string, count: number): Promise<Endpoint[]> {
  const { rows } = await sql<Endpoint>`
    with recursive endpoint as (
      (select team_id, webhook_id from webhook_calls where status = 'waiting' order by team_id, webhook_id limit 1)
      union all
      select next.team_id, next.webhook_id from endpoint e cross join lateral (
        select c.team_id, c.webhook_id from webhook_calls c
        where c.status = 'waiting' and (c.team_id, c.webhook_id) > (e.team_id, e.webhook_id)
        order by c.team_id, c.webhook_id limit 1
      ) next
    ), free as (
      select w.team_id, w.id from endpoint e join webhooks w on w.team_id = e.team_id and w.id = e.webhook_id
      where w.status = 'active' and w.rests_until <= now() and (w.leased_by is null or w.leased_until < now())
        and exists (
          select from webhook_calls c
          where c.team_id = w.team_id and c.webhook_id = w.id and c.status = 'waiting' and c.due_at <= now()
        )
      order by w.last_called_at nulls first limit ${count}
      for update of w skip locked
    )
    update webhooks w set leased_by = ${heraldId}, leased_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      last_called_at = now()
    from free where w.team_id = free.team_id and w.id = free.id
    returning w.team_id as "teamId", w.id, w.url, w.secret, w.updated_at as "updatedAt",
      case when w.old_secret_until > now() then w.old_secret end as "oldSecret"
  `.execute(db);
  return rows;
}

export async function findDueCalls(db: Db, { teamId, id }: Endpoint): Promise<DueCall[]> {
  const { rows } = await sql<DueCall>`
    select id, event_id as "eventId", type, ids, data, happened_at, round_attempts as "roundAttempts",
      first_tried_at as "firstTriedAt"
    from webhook_calls
    where team_id = ${teamId} and webhook_id = ${id} and status = 'waiting' and due_at <= now()
    order by id limit ${CALLS_AT_ONCE}
  `.execute(db);
  return rows;
}

interface AfterCall {
  status: string;
  reason: string | null;
  updatedAt: Date;
  isResting: boolean;
}

/** Returns whether the next call may follow: not when the endpoint rests, was changed, or was taken over. */
export async function recordAttempt(
  db: Db,
  heraldId: string,
  endpoint: Endpoint,
  call: DueCall,
  attempt: Attempt,
  now: Date,
): Promise<boolean> {
  const after =
    attempt.error === null
      ? await writeAttempt(db, heraldId, endpoint, call, attempt, now)
      : await inTransaction(db, async (trx) => {
          const written = await writeAttempt(trx, heraldId, endpoint, call, attempt, now);
          if (written?.status === 'paused' && written.reason === 'failures') {
            const { teamId, id: webhookId } = endpoint;
            await enqueue(trx, 'tell-of-paused-webhook', { teamId, webhookId });
          }
          return written;
        });
  return (
    after?.status === 'active' &&
    !after.isResting &&
    after.updatedAt.getTime() === endpoint.updatedAt.getTime()
  );
}

async function writeAttempt(
  db: Db,
  heraldId: string,
  { teamId, id: webhookId }: Endpoint,
  call: DueCall,
  attempt: Attempt,
  now: Date,
): Promise<AfterCall | undefined> {
  const startedAt = new Date(now.getTime() - attempt.durationMs);
  const isTaken = attempt.error === null;
  const isGone = attempt.statusCode === GONE;
  const nextAt = isTaken || isGone ? null : retryAt(call, attempt, startedAt, now);
  const restMs = attempt.retryAfterMs ?? 0;
  const lastError =
    attempt.error && (attempt.statusCode ? `${attempt.error} (${attempt.statusCode})` : attempt.error);
  const { rows } = await sql<AfterCall>`
    with hook as (
      update webhooks set
        failures = case when ${isTaken}::boolean then 0 else failures + 1 end,
        failing_since = case when ${isTaken}::boolean then null else coalesce(failing_since, now()) end,
        last_error = ${lastError},
        rests_until = case when ${isTaken}::boolean then rests_until else greatest(
          now() + make_interval(secs => ${restMs / 1000}::float8),
          case when failures + 1 >= ${FAILURES_UNTIL_REST}
            then now() + make_interval(secs => ${REST_SECONDS} * (1 + random() / 10)) else now() end
        ) end,
        status = case when ${isGone}::boolean then 'disabled' when ${isTaken}::boolean then status
          when status = 'active' and failures + 1 >= ${FAILURES_UNTIL_PAUSE}
            and failing_since <= now() - interval '1 day' then 'paused'
          else status end,
        paused_reason = case when ${isGone}::boolean then 'gone' when ${isTaken}::boolean then paused_reason
          when status = 'active' and failures + 1 >= ${FAILURES_UNTIL_PAUSE}
            and failing_since <= now() - interval '1 day' then 'failures'
          else paused_reason end,
        leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
      where team_id = ${teamId} and id = ${webhookId} and leased_by = ${heraldId}
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

function retryAt(call: DueCall, attempt: Attempt, startedAt: Date, now: Date): Date | null {
  return nextCallAt({
    attempt: call.roundAttempts + 1,
    firstTriedAt: call.firstTriedAt ?? startedAt,
    now,
    retryAfterMs: attempt.retryAfterMs,
    random: Math.random,
  });
}

export async function freeEndpoint(db: Db, heraldId: string, { teamId, id }: Endpoint): Promise<void> {
  await sql`
    update webhooks set leased_by = null, leased_until = null
    where team_id = ${teamId} and id = ${id} and leased_by = ${heraldId}
  `.execute(db);
}

/** Those of heralds who are gone, or our own at the end. */
export async function freeEndpoints(db: Db, heraldIds: string[]): Promise<void> {
  await sql`
    update webhooks set leased_by = null, leased_until = null where leased_by = any(${heraldIds}::uuid[])
  `.execute(db);
}

export async function findLeaseHolders(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct leased_by as id from webhooks where leased_by is not null
  `.execute(db);
  return rows.map(({ id }) => id);
}
