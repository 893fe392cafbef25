/**
 * The only way to submit a message, for the HTTP API, SMTP, mailboxes and the system. One statement stores the
 * message with its recipients and first events and, unless it is scheduled, a delivery for each recipient.
 */
import { setImmediate as yieldEventLoop } from 'node:timers/promises';
import type { Db } from '../../../platform/database/database.ts';
import { AppError, isServerFault } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import { addAttributes, currentTraceparent, withSpan } from '../../../platform/telemetry/tracing.ts';
import { countStored } from '../../../platform/memory/request-meter.ts';
import { countWebhookData } from './count-webhook-data.ts';
import { prepareEmail, prepareTogether, type PreparedEmail } from './prepare-email.ts';
import { MOST_URGENT_RECIPIENTS, type Priority } from './priority.ts';
import { storeEmail, storeEmails, type AcceptedEmail } from './store-emails.ts';
import type { SubmittedMessage, Submission } from './submission.ts';

/** Composing many emails takes a while, so other requests run after this many. */
const COMPOSE_BATCH = 10;
/** Emails of at least this size are composed one at a time, because composing takes several times their memory. */
const LARGE_BYTES = 256 * 1024;

export async function submit(db: Db, submission: Submission): Promise<string> {
  return withSpan('email.submit', async () => {
    const prepared = await prepareEmail(db, submission, prepareTogether({ isMany: false }));
    await countPrepared(db, submission, prepared);
    const emailId = encodeId('eml', prepared.id);
    addAttributes({ 'posthorn.email_id': emailId });
    await storeEmail(db, accept(submission, prepared, prepared.message.recipients.length));
    return emailId;
  });
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
  return withSpan('email.submit', async () => {
    const prepared: Prepared[] = [];
    for await (const some of prepareInTurn(submissions, createPrepare(db))) prepared.push(...some);
    return storePrepared(db, teamId, prepared);
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
  const ids = await storePrepared(db, teamId, results.filter(isPrepared));
  return results.map((result) => (isPrepared(result) ? ids.shift()! : result));
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
