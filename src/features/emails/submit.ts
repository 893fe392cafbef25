/**
 * The only way in for a message, whatever the door: a short list of named steps. What comes out is stored with its
 * recipients, its first events and, when it is not to wait, one delivery for each recipient, all in one statement.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { composeLetter } from '../../mail/compose-letter.ts';
import { keepToDomain } from '../../platform/bound-keys.ts';
import { databaseNow, type Db } from '../../platform/database.ts';
import { AppError, badRequest, notFound } from '../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../platform/ids.ts';
import { acceptRaw } from './accept-raw.ts';
import { applyTemplate } from './apply-template.ts';
import { asGiven, type EmailInput } from './emails.schema.ts';
import { MOST_URGENT_RECIPIENTS, type Priority } from './priority.ts';
import { findSender, requireHeld, type Sender } from './require-sender.ts';
import { storeEmail, storeEmails, type AcceptedEmail } from './store-emails.ts';
import { trackEmail } from './track-email.ts';
import type { FieldsContent, Message, Submission } from './submission.ts';

/** A clock a little behind ours, or a request a little slow, means now. */
const PAST_COUNTS_AS_NOW_MS = 60_000;
const MADE_AT_ONCE = 10;

export async function submit(db: Db, submission: Submission): Promise<string> {
  const made = await make(db, submission, findSender);
  await storeEmail(db, accept(submission, made, made.message.recipients.length));
  return encodeId('eml', made.id);
}

/** All of one team, and all or none. */
export async function submitAll(db: Db, teamId: number, submissions: Submission[]): Promise<string[]> {
  const findOnce = findSendersOnce();
  const made: Made[] = [];
  for (let at = 0; at < submissions.length; at += MADE_AT_ONCE) {
    // Composing a hundred emails takes a while: others come in between.
    if (at > 0) await nextTurn();
    const some = submissions.slice(at, at + MADE_AT_ONCE);
    made.push(...(await Promise.all(some.map((submission) => make(db, submission, findOnce)))));
  }
  const recipients = made.reduce((sum, { message }) => sum + message.recipients.length, 0);
  const emails = made.map((one, at) => accept(submissions[at]!, one, recipients));
  await storeEmails(db, teamId, emails);
  return emails.map(({ id }) => encodeId('eml', id));
}

interface Made {
  id: string;
  message: Message;
}

/** `recipients` is how many the whole request sends to. */
function accept(submission: Submission, { id, message }: Made, recipients: number): AcceptedEmail {
  const { source, caller, priority = choosePriority(submission, message, recipients) } = submission;
  return { id, teamId: caller.teamId, source, priority, message };
}

function choosePriority({ content }: Submission, message: Message, recipients: number): Priority {
  const isScheduled = message.leavesAt !== null && content.kind === 'fields' && !!content.email.scheduledAt;
  return isScheduled || recipients > MOST_URGENT_RECIPIENTS ? 'batch' : 'transactional';
}

/** A hundred emails of one domain need one query. The submissions have the same caller. */
function findSendersOnce(): typeof findSender {
  const found = new Map<string, Promise<Sender | null>>();
  return (db, caller, from) => {
    const known = found.get(from.domain) ?? findSender(db, caller, from);
    found.set(from.domain, known);
    return known;
  };
}

async function make(db: Db, { caller, content }: Submission, find: typeof findSender): Promise<Made> {
  const id = newUuid();
  const made = { id, emailId: encodeId('eml', id), now: new Date() };
  const message =
    content.kind === 'raw'
      ? await acceptRaw(db, caller, content, made)
      : await composeFields(db, caller, content, made, find);
  return { id, message };
}

async function composeFields(
  db: Db,
  caller: Submission['caller'],
  content: FieldsContent,
  { id, emailId, now }: { id: string; emailId: string; now: Date },
  find: typeof findSender,
): Promise<Message> {
  const { email: input, links } = content;
  const found = await find(db, caller, input.from);
  const reply = content.reply ?? (await findAnswered(db, caller, input.inReplyToId));
  const email = await applyTemplate(db, caller.teamId, input);
  const sender = requireHeld(found, input.from);
  const leavesAt = content.leavesAt === undefined ? await chooseTime(db, email) : content.leavesAt;
  const messageId = `<${emailId}@${sender.domain}>`;
  const tracked = links
    ? await trackEmail(email, sender, links, { teamId: caller.teamId, emailId: id })
    : email;
  const cc = email.cc ?? [];
  const bcc = email.bcc ?? [];
  return {
    domainId: sender.domainId,
    from: email.from.given,
    to: asGiven(email.to),
    cc: asGiven(cc),
    bcc: asGiven(bcc),
    replyTo: asGiven(email.replyTo),
    subject: email.subject ?? '',
    recipients: [...email.to, ...cc, ...bcc],
    messageId,
    leavesAt,
    raw: await compose(tracked, email.html, messageId, reply, now),
  };
}

async function findAnswered(
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
  if (!row) throw notFound('The email named by inReplyToId');
  keepToDomain(caller, row.domain_id);
  return { inReplyTo: row.message_id, references: [row.message_id] };
}

/** By the database's clock, which is the one that lets it go. Null: at once. */
async function chooseTime(db: Db, email: EmailInput): Promise<Date | null> {
  if (!email.scheduledAt && !email.undoSeconds) return null;
  return timeToLeave(email, await databaseNow(db));
}

/** Null: at once. */
export function timeToLeave(email: Pick<EmailInput, 'scheduledAt' | 'undoSeconds'>, now: Date): Date | null {
  const undoUntil = now.getTime() + (email.undoSeconds ?? 0) * 1000;
  const wanted = email.scheduledAt?.getTime() ?? undoUntil;
  if (wanted < now.getTime() - PAST_COUNTS_AS_NOW_MS)
    throw badRequest('scheduledAt must not be in the past.');
  const leavesAt = Math.max(wanted, undoUntil);
  return leavesAt > now.getTime() ? new Date(leavesAt) : null;
}

async function compose(
  email: EmailInput,
  untracked: string | null | undefined,
  messageId: string,
  reply: FieldsContent['reply'],
  date: Date,
): Promise<Buffer> {
  const letter = {
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
  return composeLetter(letter).catch((error: unknown) => {
    throw new AppError('UNAVAILABLE', 'The email cannot be composed right now. Try again in a moment.', {
      cause: error,
    });
  });
}
