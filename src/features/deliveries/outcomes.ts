/**
 * Writing down what came of attempts: many at once, in one transaction with everything that follows from them
 * (the queue, each recipient, the email's status, counters, events, suppressions).
 *
 * The order of locks, here and in reports: deliveries, then emails of several recipients, then recipients, then
 * emails, then counters, then suppressions; of each table in the order of its keys.
 */
import { nextAttemptAt } from '../../mail/retry.ts';
import {
  inTransaction,
  retryDeadlocks,
  statement,
  toArray,
  together,
  toJson,
  type Db,
} from '../../platform/database.ts';
import { suppressAddresses } from '../suppressions/suppressions.ts';
import type { Attempt, Withheld } from './attempt.ts';
import type { Parcel } from './claim.ts';
import { SETTLE_TURNS, toTurnRow, TURN_COLUMNS, type Turn } from './settle.ts';

export interface Outcome {
  parcel: Parcel;
  attempt: Attempt | Withheld;
  at: Date;
}

interface Result extends Turn {
  status: 'DELIVERED' | 'DELIVERY_DELAYED' | 'BOUNCED' | 'SUPPRESSED';
  /** Null: it is finished. */
  dueAt: Date | null;
  suppress: boolean;
  /** Its email has no other recipient. */
  isLone: boolean;
}

export async function recordOutcomes(db: Db, outcomes: Outcome[]): Promise<void> {
  const results = outcomes.map(toResult);
  // One statement is a transaction of its own, and one way to the database and back.
  if (results.every(({ isLone, suppress }) => isLone && !suppress)) {
    await retryDeadlocks(() => moveOn(db, results));
    return;
  }
  await inTransaction(db, async (trx) => {
    await lockDeliveriesAndEmails(trx, results);
    await suppressAddresses(trx, 'HARD_BOUNCE', await moveOn(trx, results));
  });
}

/** Who is deferred for the last time has bounced. */
const FINAL_STATUS = {
  delivered: 'DELIVERED',
  deferred: 'BOUNCED',
  bounced: 'BOUNCED',
  suppressed: 'SUPPRESSED',
} as const;

function toResult({ parcel, attempt, at }: Outcome): Result {
  const dueAt =
    attempt.outcome === 'deferred'
      ? nextAttemptAt({
          attempt: parcel.attempts + 1,
          firstTriedAt: parcel.firstTriedAt ?? at,
          now: at,
          random: Math.random,
        })
      : null;
  const gaveUp = attempt.outcome === 'deferred' && dueAt === null;
  const isHardBounce = attempt.outcome === 'bounced';
  return {
    teamId: parcel.teamId,
    emailId: parcel.emailId,
    no: parcel.recipientNo,
    recipient: parcel.recipient,
    status: dueAt ? 'DELIVERY_DELAYED' : FINAL_STATUS[attempt.outcome],
    at,
    dueAt,
    isHardBounce,
    suppress: attempt.outcome === 'bounced' && attempt.suppress,
    isLone: parcel.isLone,
    data: {
      ...attempt.reply,
      ...('reason' in attempt ? { reason: gaveUp ? `Given up: ${attempt.reason}` : attempt.reason } : {}),
      ...(dueAt ? { nextAttemptAt: dueAt } : {}),
      ...(gaveUp || isHardBounce ? { bounceType: isHardBounce ? 'hard' : 'soft' } : {}),
      ...(attempt.transcript ? { transcript: attempt.transcript } : {}),
    },
  };
}

/**
 * Locks the deliveries, then the emails, each in the order of their keys. The statement that follows sees what others
 * wrote about the other recipients of these emails.
 */
async function lockDeliveriesAndEmails(trx: Db, results: Result[]): Promise<void> {
  const teamIds = toArray(results, ({ teamId }) => teamId);
  const emailIds = toArray(results, ({ emailId }) => emailId);
  await together(
    statement(trx)`
      select from unnest(
        ${teamIds}::integer[], ${emailIds}::uuid[], ${toArray(results, ({ no }) => no)}::smallint[]
      ) as k (team_id, email_id, no)
      join deliveries d on d.team_id = k.team_id and d.email_id = k.email_id and d.recipient_no = k.no
      order by d.team_id, d.email_id, d.recipient_no for update of d`,
    statement(trx)`
      select from unnest(${teamIds}::integer[], ${emailIds}::uuid[]) as k (team_id, email_id)
      join emails e on e.team_id = k.team_id and e.id = k.email_id
      order by e.team_id, e.id for update of e`,
  );
}

/**
 * A report that came back quicker than we wrote down the delivery stays the last word on its recipient. Whoever has
 * left the queue meanwhile (another courier wrote it down, after a lease that ran out) is passed over: taking it out of
 * the queue is what decides. Returns whom to suppress.
 */
async function moveOn(db: Db, results: Result[]): Promise<{ teamId: number; address: string }[]> {
  const rows = results.map((result) => ({
    ...toTurnRow(result),
    due_at: result.dueAt,
    suppress: result.suppress,
  }));
  return statement<{ teamId: number; address: string }>(db)`
    with outcome as (
      select * from json_to_recordset(${toJson(rows)}::json) as o (${TURN_COLUMNS}, due_at timestamptz, suppress boolean)
    ), finished as (
      delete from deliveries d using outcome o
      where d.team_id = o.team_id and d.email_id = o.email_id and d.recipient_no = o.no and o.due_at is null
      returning d.team_id, d.email_id, d.recipient_no as no, d.attempts = 0 as is_first
    ), put_off as (
      update deliveries d set due_at = o.due_at, leased_by = null, attempts = d.attempts + 1,
        first_tried_at = coalesce(first_tried_at, o.at)
      from outcome o
      where d.team_id = o.team_id and d.email_id = o.email_id and d.recipient_no = o.no and o.due_at is not null
      returning d.team_id, d.email_id, d.recipient_no as no, d.attempts = 1 as is_first
    ), turn as materialized (
      select o.*, queue.is_first, r.status as was, r.status not in ('BOUNCED', 'COMPLAINED') as moves
      from (select * from finished union all select * from put_off) queue
      join outcome o on o.team_id = queue.team_id and o.email_id = queue.email_id and o.no = queue.no
      join email_recipients r on r.team_id = o.team_id and r.email_id = o.email_id and r.no = o.no
      order by o.team_id, o.email_id, o.no for update of r
    ), ${SETTLE_TURNS}
    select team_id as "teamId", recipient as address from turn where suppress`;
}
