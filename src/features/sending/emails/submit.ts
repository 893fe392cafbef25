/**
 * The only way to submit a message, for the HTTP API, SMTP, mailboxes and the system. One statement stores the
 * message with its recipients and first events and, unless it is scheduled, a delivery for each recipient.
 */
import { setImmediate as yieldEventLoop } from 'node:timers/promises';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError, isServerFault } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import { addAttributes, currentTraceparent, withSpan } from '../../../platform/telemetry/tracing.ts';
import { countStored } from '../../../platform/memory/request-meter.ts';
import { parseMailbox } from '../../../mail/mime/address.ts';
import { toStoredMessage } from '../../content/stored/stored-message.ts';
import { judge, type PolicyReason } from '../policies/judge.ts';
import { markAutomatic } from '../policies/mark-automatic.ts';
import { countWebhookData } from './count-webhook-data.ts';
import { prepareEmail, prepareTogether, type PreparedEmail } from './prepare-email.ts';
import { MOST_URGENT_RECIPIENTS, type Priority } from './priority.ts';
import { storeEmail, storeEmails, type AcceptedEmail } from './store-emails.ts';
import type { SubmittedMessage, Submission } from './submission.ts';

/** Composing many emails takes a while, so other requests run after this many. */
const COMPOSE_BATCH = 10;
/** Emails of at least this size are composed one at a time, because composing takes several times their memory. */
const LARGE_BYTES = 256 * 1024;

/**
 * What became of an email. `held` waits for the approval of a person: it is stored and can be cancelled like a scheduled
 * email. A `blocked` one is not stored.
 */
export type SubmitOutcome =
  | { status: 'accepted'; emailId: string }
  | { status: 'held'; emailId: string; approvalId: string; policy: PolicyReason }
  | { status: 'blocked'; emailId: string; policy: PolicyReason };

/** Returns the ID of the email, which may be held. Throws FORBIDDEN if a send policy blocks it. */
export async function submit(db: Db, submission: Submission): Promise<string> {
  return idOf(await submitForOutcome(db, submission));
}

/** For doors that tell held and blocked emails apart. */
export async function submitForOutcome(db: Db, submission: Submission): Promise<SubmitOutcome> {
  return withSpan('email.submit', async () => {
    const prepared = await prepareEmail(db, submission, prepareTogether({ isMany: false }));
    await countPrepared(db, submission, prepared);
    addAttributes({ 'posthorn.email_id': encodeId('eml', prepared.id) });
    if (submission.caller.policyIds.length > 0)
      return inTransaction(db, (trx) => judgeAndStore(trx, { submission, ...prepared }));
    await storeEmail(db, accept(submission, prepared, prepared.message.recipients.length));
    return { status: 'accepted', emailId: encodeId('eml', prepared.id) };
  });
}

/** Throws FORBIDDEN for a blocked email. */
export function idOf(outcome: SubmitOutcome): string {
  if (outcome.status !== 'blocked') return outcome.emailId;
  throw new AppError('FORBIDDEN', outcome.policy.sentence, { reason: 'blocked-by-policy' });
}

/**
 * All submissions must belong to one team. Either all of them are stored or none. They are taken from the list one
 * after the other, and only the stored form of each is kept, so that the list may be longer than the memory.
 */
export async function submitAll(
  db: Db,
  teamId: number,
  submissions: Iterable<Submission>,
): Promise<string[]> {
  const outcomes = await submitAllForOutcomes(db, teamId, submissions, { allOrNothing: true });
  return outcomes.map(idOf);
}

/** With `allOrNothing` one blocked email is an error. Otherwise the others are stored. */
export async function submitAllForOutcomes(
  db: Db,
  teamId: number,
  submissions: Iterable<Submission>,
  { allOrNothing }: { allOrNothing: boolean },
): Promise<SubmitOutcome[]> {
  return withSpan('email.submit', async () => {
    const prepared: Prepared[] = [];
    for await (const some of prepareInTurn(submissions, createPrepare(db))) prepared.push(...some);
    if (!prepared.some(isJudged)) return accepted(await storePrepared(db, teamId, prepared));
    return inTransaction(db, async (trx) => {
      const outcomes: SubmitOutcome[] = [];
      for (const each of prepared) {
        const outcome = await judgeAndStore(trx, each);
        if (allOrNothing) idOf(outcome);
        outcomes.push(outcome);
      }
      return outcomes;
    });
  });
}

/** Checks and composes the emails like `submitAll` and stores nothing. */
export async function checkAll(db: Db, submissions: Iterable<Submission>): Promise<void> {
  for await (const _ of prepareInTurn(submissions, createPrepare(db)));
}

/** Stores the valid submissions. Returns the ID of each email, or the error. */
export async function submitEach(
  db: Db,
  teamId: number,
  submissions: Submission[],
): Promise<(string | AppError)[]> {
  const prepareOne = createPrepare(db);
  const orError = (submission: Submission) =>
    prepareOne(submission).catch((error: unknown) => {
      if (error instanceof AppError && !isServerFault(error)) return error;
      throw error;
    });
  const results: (Prepared | AppError)[] = [];
  for await (const some of prepareInTurn(submissions, orError)) results.push(...some);
  const prepared = results.filter(isPrepared);
  if (prepared.some(isJudged)) return inTransaction(db, (trx) => judgeEach(trx, results));
  const ids = await storePrepared(db, teamId, prepared);
  return results.map((result) => (isPrepared(result) ? ids.shift()! : result));
}

async function judgeEach(trx: Db, results: (Prepared | AppError)[]): Promise<(string | AppError)[]> {
  const judged: (string | AppError)[] = [];
  for (const result of results) {
    const outcome = isPrepared(result) ? await judgeAndStore(trx, result) : null;
    if (outcome === null) judged.push(result as AppError);
    else if (outcome.status !== 'blocked') judged.push(outcome.emailId);
    else judged.push(new AppError('FORBIDDEN', outcome.policy.sentence, { reason: 'blocked-by-policy' }));
  }
  return judged;
}

function accepted(emailIds: string[]): SubmitOutcome[] {
  return emailIds.map((emailId) => ({ status: 'accepted', emailId }));
}

function isJudged({ submission }: Prepared): boolean {
  return submission.caller.policyIds.length > 0;
}

/** Emails that may go say that no person wrote them (RFC 3834). */
async function judgeAndStore(trx: Db, { submission, id, message }: Prepared): Promise<SubmitOutcome> {
  const { judged, ...rest } = message;
  if (!judged) throw new Error('An email of a key with a send policy has no bytes to judge.');
  const judgement = await judge(trx, submission.caller, {
    ...judged,
    emailId: id,
    fromKey: parseMailbox(message.from)?.key ?? '',
    recipients: message.recipients,
    leavesAt: message.leavesAt,
  });
  const emailId = encodeId('eml', id);
  if (judgement.outcome === 'blocked') return { status: 'blocked', emailId, policy: judgement.policy };
  const isHeld = judgement.outcome === 'held';
  const stored: SubmittedMessage = isHeld
    ? { ...rest, content: await toStoredMessage(judged.raw), isHeld }
    : { ...rest, content: await toStoredMessage(markAutomatic(judged.raw)) };
  await storeEmail(trx, accept(submission, { id, message: stored }, stored.recipients.length));
  if (judgement.outcome === 'allow') return { status: 'accepted', emailId };
  return { status: 'held', emailId, approvalId: judgement.approvalId, policy: judgement.policy };
}

interface Prepared extends PreparedEmail {
  submission: Submission;
}

function isPrepared(result: Prepared | AppError): result is Prepared {
  return !(result instanceof AppError);
}

function createPrepare(db: Db): (submission: Submission) => Promise<Prepared> {
  const together = prepareTogether({ isMany: true });
  return async (submission) => {
    const prepared = await prepareEmail(db, submission, together);
    await countPrepared(db, submission, prepared);
    return { submission, ...prepared };
  };
}

/** Other emails, such as those of mailboxes, have limits of their own. */
async function countPrepared(
  db: Db,
  { caller, content }: Submission,
  { message }: PreparedEmail,
): Promise<void> {
  if (content.kind === 'fields' && content.limits)
    countStored(
      message.content.bytes.length + JSON.stringify({ ...message, content: null }).length,
      message.recipients.length,
    );
  await countWebhookData(db, caller.teamId, message);
}

/** Prepares a few at a time. Once one of them was large, only one. */
async function* prepareInTurn<Result extends Prepared | AppError>(
  submissions: Iterable<Submission>,
  prepareOne: (submission: Submission) => Promise<Result>,
): AsyncGenerator<Result[]> {
  let atOnce = 1;
  let group: Submission[] = [];
  const prepareGroup = async (): Promise<Result[]> => {
    const settled = await Promise.allSettled(group.map(prepareOne));
    group = [];
    const results = settled.map((each) => {
      // None may still use the transaction when another has failed and it is rolled back.
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    });
    atOnce = results.some(isLarge) ? 1 : COMPOSE_BATCH;
    await yieldEventLoop();
    return results;
  };
  for (const submission of submissions) {
    group.push(submission);
    if (group.length >= atOnce) yield await prepareGroup();
  }
  if (group.length > 0) yield await prepareGroup();
}

function isLarge(result: Prepared | AppError): boolean {
  if (!isPrepared(result)) return false;
  const { fullSize, inflatedSize, bytes } = result.message.content;
  return (fullSize ?? inflatedSize ?? bytes.length) >= LARGE_BYTES;
}

async function storePrepared(db: Db, teamId: number, prepared: Prepared[]): Promise<string[]> {
  if (prepared.length === 0) return [];
  const recipients = prepared.reduce((sum, { message }) => sum + message.recipients.length, 0);
  const emails = prepared.map(({ submission, ...email }) => accept(submission, email, recipients));
  if (emails.length === 1) await storeEmail(db, emails[0]!);
  else await storeEmails(db, teamId, emails);
  return emails.map(({ id }) => encodeId('eml', id));
}

/** `recipients` is the number of recipients of the whole request. */
function accept(submission: Submission, { id, message }: PreparedEmail, recipients: number): AcceptedEmail {
  const { source, caller, contact, priority = choosePriority(submission, message, recipients) } = submission;
  const traceparent = currentTraceparent();
  return { id, teamId: caller.teamId, source, priority, message, traceparent, contact: contact ?? null };
}

function choosePriority({ content }: Submission, message: SubmittedMessage, recipients: number): Priority {
  const isScheduled = message.leavesAt !== null && content.kind === 'fields' && !!content.email.scheduledAt;
  return isScheduled || recipients > MOST_URGENT_RECIPIENTS ? 'batch' : 'transactional';
}
