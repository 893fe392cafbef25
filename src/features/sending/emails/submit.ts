/**
 * The only way to submit a message, for the HTTP API, SMTP, mailboxes and the system. One statement stores the
 * message with its recipients and first events and, unless it is scheduled, a delivery for each recipient.
 */
import { setImmediate as yieldEventLoop } from 'node:timers/promises';
import { composeOffLoop } from '../../../mail/offload/compose-message.ts';
import { keepToDomain } from '../../api/bound-keys.ts';
import { databaseNow, inTransaction, type Db } from '../../../platform/database.ts';
import { AppError, badRequest, isServerFault, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { addAttributes, currentTraceparent, withSpan } from '../../../platform/telemetry/tracing.ts';
import { acceptRaw } from './accept-raw.ts';
import { applyTemplate } from './apply-template.ts';
import { asWritten, labelsOf, type EmailInput } from './emails.schema.ts';
import { MOST_URGENT_RECIPIENTS, type Priority } from './priority.ts';
import { findSender, requireHeld, type Sender } from './require-sender.ts';
import { requireWithinLimits } from './require-within-limits.ts';
import { storeEmail, storeEmails, type AcceptedEmail } from './store-emails.ts';
import { trackEmail, UNTRACKED } from './track-email.ts';
import type { FieldsContent, Message, Submission } from './submission.ts';

/** Allows for clock differences and slow requests. */
const PAST_COUNTS_AS_NOW_MS = 60_000;
const COMPOSE_BATCH = 10;
const PIECE_BYTES = 4 * 1024 * 1024;
const PIECE_EMAILS = 200;

export async function submit(db: Db, submission: Submission): Promise<string> {
  return withSpan('email.submit', async () => {
    const prepared = await prepare(db, submission, findSender);
    const emailId = encodeId('eml', prepared.id);
    addAttributes({ 'posthorn.email_id': emailId });
    await storeEmail(db, accept(submission, prepared, prepared.message.recipients.length));
    return emailId;
  });
}

/** All submissions must be of one team. Either all of them are stored or none. */
export async function submitAll(db: Db, teamId: number, submissions: Submission[]): Promise<string[]> {
  return withSpan('email.submit', async () =>
    storePrepared(db, teamId, submissions, await prepareAll(submissions, createPrepare(db))),
  );
}

/** Checks and composes the emails as `submitAll` does, a few at a time, and stores nothing. */
export async function checkAll(db: Db, submissions: Iterable<Submission>): Promise<void> {
  const prepareOne = createPrepare(db);
  for (const some of inGroups(submissions, COMPOSE_BATCH)) {
    await Promise.all(some.map(prepareOne));
    await yieldEventLoop();
  }
}

/** Stores those that are valid. Returns the id of each, or what is wrong with it. */
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

/** Looks each sender up once. */
function createPrepare(db: Db): (submission: Submission) => Promise<PreparedEmail> {
  const findOnce = findSendersOnce();
  return (submission) => prepare(db, submission, findOnce);
}

async function prepareAll<Result>(
  submissions: Submission[],
  prepareOne: (submission: Submission) => Promise<Result>,
): Promise<Result[]> {
  const prepared: Result[] = [];
  for (let at = 0; at < submissions.length; at += COMPOSE_BATCH) {
    // Composing a hundred emails takes a while, so let other requests run in between.
    if (at > 0) await yieldEventLoop();
    const some = submissions.slice(at, at + COMPOSE_BATCH);
    prepared.push(...(await Promise.all(some.map(prepareOne))));
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
 * Like submitAll for a list whose messages together are too large for memory: it takes a few from the list, composes
 * them and stores them before it takes the next. All submissions must have a priority. The list must be an iterable that
 * can be read again, because the transaction is repeated after a deadlock.
 */
export async function submitInPieces(
  db: Db,
  teamId: number,
  submissions: Iterable<Submission & { priority: Priority }>,
): Promise<void> {
  const findOnce = findSendersOnce();
  await inTransaction(db, async (trx) => {
    let piece: AcceptedEmail[] = [];
    let bytes = 0;
    for (const some of inGroups(submissions, COMPOSE_BATCH)) {
      await yieldEventLoop();
      // None may still use the transaction when another has failed and it is rolled back.
      const results = await Promise.allSettled(some.map((each) => prepare(trx, each, findOnce)));
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

interface PreparedEmail {
  id: string;
  message: Message;
}

/** `recipients` is the number of recipients of the whole request. */
function accept(submission: Submission, { id, message }: PreparedEmail, recipients: number): AcceptedEmail {
  const { source, caller, priority = choosePriority(submission, message, recipients) } = submission;
  return { id, teamId: caller.teamId, source, priority, message, traceparent: currentTraceparent() };
}

function choosePriority({ content }: Submission, message: Message, recipients: number): Priority {
  const isScheduled = message.leavesAt !== null && content.kind === 'fields' && !!content.email.scheduledAt;
  return isScheduled || recipients > MOST_URGENT_RECIPIENTS ? 'batch' : 'transactional';
}

/** Caches senders, so that a hundred emails from one domain need one query. All submissions have the same caller. */
function findSendersOnce(): typeof findSender {
  const found = new Map<string, Promise<Sender | null>>();
  return (db, caller, from) => {
    const sender = found.get(from.domain) ?? findSender(db, caller, from);
    found.set(from.domain, sender);
    return sender;
  };
}

async function prepare(
  db: Db,
  { caller, content }: Submission,
  find: typeof findSender,
): Promise<PreparedEmail> {
  const id = newUuid();
  const identity = { id, emailId: encodeId('eml', id), now: new Date() };
  const message =
    content.kind === 'raw'
      ? await acceptRaw(db, caller, content, identity)
      : await composeFields(db, caller, content, identity, find);
  return { id, message };
}

async function composeFields(
  db: Db,
  caller: Submission['caller'],
  content: FieldsContent,
  { id, emailId, now }: { id: string; emailId: string; now: Date },
  find: typeof findSender,
): Promise<Message> {
  const { email: input, links, limits } = content;
  if (limits) requireWithinLimits(limits, input);
  const found = await find(db, caller, input.from);
  const reply = content.reply ?? (await findRepliedTo(db, caller, input.inReplyToId));
  const email = await applyTemplate(db, caller.teamId, input);
  // The template may have made the email larger.
  if (limits) requireWithinLimits(limits, email);
  const sender = requireHeld(found, input.from);
  const leavesAt = content.leavesAt === undefined ? await chooseTime(db, email) : content.leavesAt;
  const messageId = `<${emailId}@${sender.domain}>`;
  const { email: sent, tracked } = links
    ? await trackEmail(email, sender, links, { teamId: caller.teamId, emailId: id })
    : { email, tracked: UNTRACKED };
  const cc = email.cc ?? [];
  const bcc = email.bcc ?? [];
  return {
    domainId: sender.domainId,
    from: email.from.given,
    to: asWritten(email.to),
    cc: asWritten(cc),
    bcc: asWritten(bcc),
    replyTo: asWritten(email.replyTo),
    subject: email.subject ?? '',
    recipients: [...email.to, ...cc, ...bcc],
    ...(content.isWithheld ? { isWithheld: true } : {}),
    messageId,
    leavesAt,
    labels: labelsOf(email),
    tracked,
    raw: await compose(sent, email.html, messageId, reply, now),
  };
}

async function findRepliedTo(
  db: Db,
  caller: Submission['caller'],
  emailId: string | null | undefined,
): Promise<FieldsContent['reply']> {
  if (!emailId) return null;
  const id = decodeId('eml', emailId);
  const row =
    id &&
    (await db
      .selectFrom('emails')
      .select(['message_id', 'domain_id'])
      .where('team_id', '=', caller.teamId)
      .where('id', '=', id)
      .executeTakeFirst());
  if (!row) throw notFound('The email in inReplyToId');
  keepToDomain(caller, row.domain_id);
  return { inReplyTo: row.message_id, references: [row.message_id] };
}

/** Uses the database clock, which also decides the release. Null means now. */
async function chooseTime(db: Db, email: EmailInput): Promise<Date | null> {
  if (!email.scheduledAt && !email.undoSeconds) return null;
  return timeToLeave(email, await databaseNow(db));
}

/** Null means now. */
export function timeToLeave(email: Pick<EmailInput, 'scheduledAt' | 'undoSeconds'>, now: Date): Date | null {
  const undoUntil = now.getTime() + (email.undoSeconds ?? 0) * 1000;
  const requested = email.scheduledAt?.getTime() ?? undoUntil;
  if (requested < now.getTime() - PAST_COUNTS_AS_NOW_MS)
    throw badRequest('scheduledAt must not be in the past.');
  const leavesAt = Math.max(requested, undoUntil);
  return leavesAt > now.getTime() ? new Date(leavesAt) : null;
}

async function compose(
  email: EmailInput,
  untracked: string | null | undefined,
  messageId: string,
  reply: FieldsContent['reply'],
  date: Date,
): Promise<Buffer> {
  const message = {
    messageId,
    date,
    from: email.from,
    to: email.to,
    cc: email.cc ?? [],
    replyTo: email.replyTo ?? [],
    subject: email.subject ?? '',
    html: email.html ?? null,
    text: email.text ?? null,
    textFrom: untracked ?? null,
    headers: Object.entries(email.headers ?? {}),
    attachments: (email.attachments ?? []).map((file) => ({
      ...file,
      contentType: file.contentType ?? null,
      contentId: file.contentId ?? null,
    })),
    inReplyTo: reply?.inReplyTo ?? null,
    references: reply?.references ?? [],
  };
  return composeOffLoop(message).catch((error: unknown) => {
    throw new AppError('UNAVAILABLE', 'The email cannot be processed right now. Try again in a moment.', {
      cause: error,
    });
  });
}
