/**
 * The only way to submit a message, for the HTTP API, SMTP, mailboxes and the system. One statement stores the
 * message with its recipients and first events and, unless it is scheduled, a delivery for each recipient.
 */
import { setImmediate as yieldEventLoop } from 'node:timers/promises';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError, isServerFault } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import { addAttributes, currentTraceparent, withSpan } from '../../../platform/telemetry/tracing.ts';
import { prepareEmail, type PreparedEmail } from './prepare-email.ts';
import { MOST_URGENT_RECIPIENTS, type Priority } from './priority.ts';
import { createSenderFinder } from './require-sender.ts';
import { storeEmail, storeEmails, type AcceptedEmail } from './store-emails.ts';
import type { SubmittedMessage, Submission } from './submission.ts';

/** Composing many emails takes a while, so other requests run after this many. */
const COMPOSE_BATCH = 10;
const PIECE_BYTES = 4 * 1024 * 1024;
const PIECE_EMAILS = 200;

export async function submit(db: Db, submission: Submission): Promise<string> {
  return withSpan('email.submit', async () => {
    const prepared = await prepareEmail(db, submission);
    const emailId = encodeId('eml', prepared.id);
    addAttributes({ 'posthorn.email_id': emailId });
    await storeEmail(db, accept(submission, prepared, prepared.message.recipients.length));
    return emailId;
  });
}

/** All submissions must belong to one team. Either all of them are stored or none. */
export async function submitAll(db: Db, teamId: number, submissions: Submission[]): Promise<string[]> {
  return withSpan('email.submit', async () =>
    storePrepared(db, teamId, submissions, await prepareAll(submissions, createPrepare(db))),
  );
}

/** Checks and composes the emails like `submitAll`, a few at a time, and stores nothing. */
export async function checkAll(db: Db, submissions: Iterable<Submission>): Promise<void> {
  const prepareOne = createPrepare(db);
  for (const some of inGroups(submissions, COMPOSE_BATCH)) {
    await Promise.all(some.map(prepareOne));
    await yieldEventLoop();
  }
}

/** Stores the valid submissions. Returns the ID of each email, or the error. */
export async function submitEach(
  db: Db,
  teamId: number,
  submissions: Submission[],
): Promise<(string | AppError)[]> {
  const prepareOne = createPrepare(db);
  const results = await prepareAll(submissions, (submission) =>
    prepareOne(submission).catch((error: unknown) => {
      if (error instanceof AppError && !isServerFault(error)) return error;
      throw error;
    }),
  );
  const ids = await storePrepared(
    db,
    teamId,
    submissions.filter((_, at) => isPrepared(results[at]!)),
    results.filter(isPrepared),
  );
  return results.map((result) => (isPrepared(result) ? ids.shift()! : result));
}

function isPrepared(result: PreparedEmail | AppError): result is PreparedEmail {
  return !(result instanceof AppError);
}

function createPrepare(db: Db): (submission: Submission) => Promise<PreparedEmail> {
  const find = createSenderFinder();
  return (submission) => prepareEmail(db, submission, find);
}

async function prepareAll<Result>(
  submissions: Submission[],
  prepareOne: (submission: Submission) => Promise<Result>,
): Promise<Result[]> {
  const prepared: Result[] = [];
  for (const some of inGroups(submissions, COMPOSE_BATCH)) {
    prepared.push(...(await Promise.all(some.map(prepareOne))));
    if (prepared.length < submissions.length) await yieldEventLoop();
  }
  return prepared;
}

async function storePrepared(
  db: Db,
  teamId: number,
  submissions: Submission[],
  prepared: PreparedEmail[],
): Promise<string[]> {
  if (prepared.length === 0) return [];
  const recipients = prepared.reduce((sum, { message }) => sum + message.recipients.length, 0);
  const emails = prepared.map((email, at) => accept(submissions[at]!, email, recipients));
  if (emails.length === 1) await storeEmail(db, emails[0]!);
  else await storeEmails(db, teamId, emails);
  return emails.map(({ id }) => encodeId('eml', id));
}

/**
 * Like submitAll, for a list whose messages together are too large for memory: it takes a few from the list, and
 * composes and stores them before it takes the next. All submissions must have a priority. It must be possible to
 * iterate the list again, because the transaction is repeated after a deadlock.
 */
export async function submitInPieces(
  db: Db,
  teamId: number,
  submissions: Iterable<Submission & { priority: Priority }>,
): Promise<void> {
  const find = createSenderFinder();
  await inTransaction(db, async (trx) => {
    let piece: AcceptedEmail[] = [];
    let bytes = 0;
    for (const some of inGroups(submissions, COMPOSE_BATCH)) {
      await yieldEventLoop();
      // None may still use the transaction when another has failed and it is rolled back.
      const results = await Promise.allSettled(some.map((each) => prepareEmail(trx, each, find)));
      for (const [at, result] of results.entries()) {
        if (result.status === 'rejected') throw result.reason;
        piece.push(accept(some[at]!, result.value, 1));
        bytes += result.value.message.raw.length;
      }
      if (bytes < PIECE_BYTES && piece.length < PIECE_EMAILS) continue;
      await storeEmails(trx, teamId, piece);
      piece = [];
      bytes = 0;
    }
    if (piece.length > 0) await storeEmails(trx, teamId, piece);
  });
}

function* inGroups<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let group: Item[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** `recipients` is the number of recipients of the whole request. */
function accept(submission: Submission, { id, message }: PreparedEmail, recipients: number): AcceptedEmail {
  const { source, caller, priority = choosePriority(submission, message, recipients) } = submission;
  return { id, teamId: caller.teamId, source, priority, message, traceparent: currentTraceparent() };
}

function choosePriority({ content }: Submission, message: SubmittedMessage, recipients: number): Priority {
  const isScheduled = message.leavesAt !== null && content.kind === 'fields' && !!content.email.scheduledAt;
  return isScheduled || recipients > MOST_URGENT_RECIPIENTS ? 'batch' : 'transactional';
}
