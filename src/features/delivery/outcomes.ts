/**
 * Records the outcomes of attempts in batches. One transaction updates everything that follows from them: the
 * queue, the recipients, the email's status, counters, events and suppressions.
 * Lock order, here and in reports.ts: deliveries, emails with several recipients, recipients, emails, counters,
 * suppressions; within a table in key order.
 */
import { bounceReason } from '../../mail/bounces/bounce-reason.ts';
import { classOfAttempt } from './class-of-attempt.ts';
import { checkBrakesLater } from '../jobs/check-brakes-later.ts';
import { nextAttemptAt } from '../../mail/smtp/retry.ts';
import {
  inTransaction,
  retryDeadlocks,
  statement,
  toNumberArray,
  runTogether,
  runText,
  toJson,
  type Db,
} from '../../platform/database/database.ts';
import type { CamelRow, Row } from '../../platform/database/rows.ts';
import { suppressAddresses } from '../sending/suppressions/suppressions.ts';
import { recordDelivered, type Delivered } from '../campaigns/running/record-delivered.ts';
import { releaseRecipients } from '../campaigns/running/release.ts';
import { shortenTranscript } from '../sending/ledger/transcript.ts';
import { wasHeldBack, type AttemptResult, type NotAttempted } from './transports/attempt.ts';
import { enqueue } from '../jobs/jobs.ts';
import type { ClaimedDelivery } from './claim.ts';
import { enhancedOf, toReport } from './to-report.ts';
import {
  recordResults,
  toResultRow,
  RESULT_COLUMNS,
  type KnownAboutResults,
  type RecipientResult,
} from '../sending/email-events/record-results.ts';

export interface Outcome {
  delivery: ClaimedDelivery;
  attempt: AttemptResult | NotAttempted;
  at: Date;
}

interface Result extends RecipientResult {
  status: 'DELIVERED' | 'DELIVERY_DELAYED' | 'BOUNCED' | 'SUPPRESSED' | 'FAILED';
  /** Null when the delivery is finished. */
  dueAt: Date | null;
  suppress: boolean;
  /** False when the delivery ended or was put off without an attempt, which then does not count as sent. */
  isAttempt: boolean;
  /** True when the email has no other recipient. */
  isLone: boolean;
  isOfCampaign: boolean;
}

export async function recordOutcomes(db: Db, outcomes: Outcome[]): Promise<void> {
  const delivered = outcomes.flatMap((outcome) => toDelivered(outcome) ?? []);
  if (delivered.length > 0) await retryDeadlocks(() => recordDelivered(db, delivered));
  const others = outcomes.filter((outcome) => !isDeliveredFromBatch(outcome));
  const fromBatches = others.filter(({ delivery }) => delivery.fromBatch);
  if (fromBatches.length > 0) await releaseAndRecord(db, fromBatches);
  const ofQueue = others.filter(({ delivery }) => !delivery.fromBatch);
  if (ofQueue.length > 0) await recordOfQueue(db, ofQueue);
  const bounced = others.filter(({ attempt }) => attempt.outcome === 'bounced' && !attempt.isOwnFault);
  for (const teamId of new Set(bounced.map(({ delivery }) => delivery.teamId)))
    await checkBrakesLater(db, teamId);
}

function isDeliveredFromBatch({ delivery, attempt }: Outcome): boolean {
  return delivery.fromBatch !== undefined && attempt.outcome === 'delivered';
}

/** Recipients of batches whose first attempt succeeded need only a row in the ledger. */
function toDelivered(outcome: Outcome): Delivered | null {
  const { delivery, attempt, at } = outcome;
  if (!delivery.fromBatch || !isDeliveredFromBatch(outcome)) return null;
  const transcript = attempt.transcript && shortenTranscript(attempt.transcript, delivery.recipient);
  const { batch, recipient } = delivery.fromBatch;
  return { batch, recipient, at, reply: attempt.reply, transcript: transcript ?? null };
}

/** All others become ordinary emails with their outcome, in one transaction. */
async function releaseAndRecord(db: Db, outcomes: Outcome[]): Promise<void> {
  await inTransaction(db, async (trx) => {
    for (const batch of new Set(outcomes.map(({ delivery }) => delivery.fromBatch!.batch))) {
      const ofBatch = outcomes.filter(({ delivery }) => delivery.fromBatch!.batch === batch);
      const recipients = ofBatch.map(({ delivery }) => delivery.fromBatch!.recipient);
      const released = new Set(await releaseRecipients(trx, batch, recipients));
      const recorded = ofBatch.filter(({ delivery }) => released.has(delivery.fromBatch!.recipient));
      if (recorded.length > 0) await recordOfQueue(trx, recorded);
    }
  });
}

async function recordOfQueue(db: Db, outcomes: Outcome[]): Promise<void> {
  const results = outcomes.map(toResult);
  // A single statement is its own transaction and needs one round trip.
  const reports = outcomes.flatMap((outcome, at) => toReport(outcome, results[at]!.status) ?? []);
  if (reports.length === 0 && results.every(({ isLone, suppress }) => isLone && !suppress)) {
    await retryDeadlocks(() => finishOrPutOff(db, results));
    return;
  }
  await inTransaction(db, async (trx) => {
    await lockDeliveriesAndEmails(trx, results);
    await suppressAddresses(trx, 'HARD_BOUNCE', await finishOrPutOff(trx, results));
    for (const report of reports) await enqueue(trx, 'send-delivery-report', report);
  });
}

/** A delivery that has no retries left counts as bounced. */
const FINAL_STATUS = {
  delivered: 'DELIVERED',
  deferred: 'BOUNCED',
  bounced: 'BOUNCED',
  suppressed: 'SUPPRESSED',
  dropped: 'FAILED',
} as const;

function toResult({ delivery, attempt, at }: Outcome): Result {
  const dueAt = attempt.outcome === 'deferred' ? chooseRetry(delivery, attempt.retryInMs, at) : null;
  const gaveUp = attempt.outcome === 'deferred' && dueAt === null;
  const hasBounced = gaveUp || attempt.outcome === 'bounced';
  const isHardBounce = attempt.outcome === 'bounced' && !attempt.isOwnFault;
  const suppress = attempt.outcome === 'bounced' && attempt.suppress;
  return {
    teamId: delivery.teamId,
    emailId: delivery.emailId,
    no: delivery.recipientNo,
    recipient: delivery.recipient,
    status: dueAt ? 'DELIVERY_DELAYED' : FINAL_STATUS[attempt.outcome],
    at,
    dueAt,
    isHardBounce,
    bounceReason: hasBounced
      ? bounceReason({
          enhanced: enhancedOf(attempt),
          text: attempt.reason,
          isBadAddress: suppress,
          gaveUp,
        })
      : null,
    suppress,
    isAttempt: wasAttempted(attempt),
    isLone: delivery.isLone,
    isOfCampaign: delivery.campaignId !== null,
    data: {
      ...attempt.reply,
      ...(attempt.host ? { host: attempt.host } : {}),
      ...(attempt.egress ? { egress: attempt.egress } : {}),
      ...('enhanced' in attempt ? { enhanced: attempt.enhanced } : {}),
      ...classOfAttempt(attempt),
      ...('reason' in attempt
        ? { reason: gaveUp ? `No retries left: ${attempt.reason}` : attempt.reason }
        : {}),
      ...(dueAt ? { nextAttemptAt: dueAt } : {}),
      ...(hasBounced ? { bounceType: isHardBounce ? 'hard' : 'soft' } : {}),
      ...(attempt.transcript ? { transcript: attempt.transcript } : {}),
    },
  };
}

function wasAttempted(attempt: AttemptResult | NotAttempted): boolean {
  return attempt.outcome !== 'suppressed' && attempt.outcome !== 'dropped' && !wasHeldBack(attempt);
}

function chooseRetry(delivery: ClaimedDelivery, inMs: number | undefined, now: Date): Date | null {
  if (inMs !== undefined) return new Date(now.getTime() + inMs);
  return nextAttemptAt({
    attempt: delivery.attempts + 1,
    firstTriedAt: delivery.firstTriedAt ?? now,
    now,
    random: Math.random,
  });
}

/**
 * Locks the deliveries, then the emails, each in key order, so that the next statement sees what other
 * transactions wrote about the other recipients of these emails.
 */
async function lockDeliveriesAndEmails(trx: Db, results: Result[]): Promise<void> {
  const teamIds = toNumberArray(results, ({ teamId }) => teamId);
  const emailIds = results.map(({ emailId }) => emailId);
  await runTogether(
    statement(trx)`
      select from unnest(
        ${teamIds}::integer[], ${emailIds}::uuid[], ${toNumberArray(results, ({ no }) => no)}::smallint[]
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
 * Most batches hold only deliveries that are finished, of emails with one recipient. The steps for all others cost as
 * much as several results even if they find nothing, so such batches have statements of their own.
 */
const STATEMENTS = {
  simple: writeStatement(finishSimple(), { areLone: true, hasCampaigns: false }),
  ofCampaigns: writeStatement(finishSimple(), { areLone: true, hasCampaigns: true }),
  any: writeStatement(finishAny(), { areLone: false, hasCampaigns: true }),
};

function statementFor(results: Result[]): string {
  if (!results.every(({ isLone, dueAt }) => isLone && dueAt === null)) return STATEMENTS.any;
  return results.some(({ isOfCampaign }) => isOfCampaign) ? STATEMENTS.ofCampaigns : STATEMENTS.simple;
}

/**
 * Only one of two writers finds a delivery in the queue, so an outcome is skipped if its lease expired and another
 * worker recorded the delivery. A recipient that a report has marked as bounced or complained keeps that status.
 * Returns the addresses to suppress.
 */
async function finishOrPutOff(db: Db, results: Result[]): Promise<{ teamId: number; address: string }[]> {
  const rows = results.map((result) => ({
    ...toResultRow(result),
    due_at: result.dueAt,
    suppress: result.suppress,
    is_attempt: result.isAttempt,
  }));
  return runText<CamelRow<'deliveries', 'team_id'> & { address: Row<'deliveries'>['recipient'] }>(
    db,
    statementFor(results),
    [toJson(rows)],
  );
}

/**
 * One statement in these steps:
 *
 *   outcome    the outcomes to record
 *   finished   deliveries that are taken out of the queue
 *   put_off    deliveries that are tried again later; the time for retries of a campaign's begins with its first attempt,
 *              because a warm-up may hold it back for weeks
 *   result     outcomes whose delivery was still in the queue, with their recipients, locked
 *              recipients, emails, counters and events                              recordResults
 */
function writeStatement(toResult: string, known: KnownAboutResults): string {
  return `
    with outcome as (
      select * from json_to_recordset($1::json)
        as o (${RESULT_COLUMNS.text}, due_at timestamptz, suppress boolean, is_attempt boolean)
    ), ${toResult}, ${recordResults(known)}
    select team_id as "teamId", recipient as address from result where suppress`;
}

function finishSimple(): string {
  return `
    finished as (
      delete from deliveries d using outcome o
      where d.team_id = o.team_id and d.email_id = o.email_id and d.recipient_no = o.no
      returning o.*, d.attempts = 0 and o.is_attempt as is_first
    ), result as materialized (
      select o.*, r.address_key, r.status as was, r.status not in ('BOUNCED', 'COMPLAINED') as moves
      from finished o
      join email_recipients r on r.team_id = o.team_id and r.email_id = o.email_id and r.no = o.no
      order by o.team_id, o.email_id, o.no for update of r
    )`;
}

function finishAny(): string {
  return `
    finished as (
      delete from deliveries d using outcome o
      where d.team_id = o.team_id and d.email_id = o.email_id and d.recipient_no = o.no and o.due_at is null
      returning d.team_id, d.email_id, d.recipient_no as no, d.attempts = 0 and o.is_attempt as is_first
    ), put_off as (
      update deliveries d set due_at = o.due_at, leased_by = null, attempts = d.attempts + o.is_attempt::integer,
        first_tried_at = case when o.is_attempt or campaign_id is null then coalesce(first_tried_at, o.at)
          else first_tried_at end
      from outcome o
      where d.team_id = o.team_id and d.email_id = o.email_id and d.recipient_no = o.no and o.due_at is not null
      returning d.team_id, d.email_id, d.recipient_no as no, d.attempts = 1 and o.is_attempt as is_first
    ), result as materialized (
      select o.*, queue.is_first, r.address_key, r.status as was, r.status not in ('BOUNCED', 'COMPLAINED') as moves
      from (select * from finished union all select * from put_off) queue
      join outcome o on o.team_id = queue.team_id and o.email_id = queue.email_id and o.no = queue.no
      join email_recipients r on r.team_id = o.team_id and r.email_id = o.email_id and r.no = o.no
      order by o.team_id, o.email_id, o.no for update of r
    )`;
}
