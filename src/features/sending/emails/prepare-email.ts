/** Turns one submission into the message that is stored: checks it, fills its template, tracks and composes it. */
import { composeOffLoop } from '../../../mail/offload/compose-message.ts';
import { keepToDomain } from '../../api/bound-keys.ts';
import type { Db } from '../../../platform/database/database.ts';
import { AppError, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { acceptRaw } from './accept-raw.ts';
import { applyTemplate } from './apply-template.ts';
import { asWritten, labelsOf, type EmailInput } from './emails.schema.ts';
import { findSender, requireHeld } from './require-sender.ts';
import { requireWithinLimits } from './require-within-limits.ts';
import type { FieldsContent, SubmittedMessage, Submission } from './submission.ts';
import { chooseTimeToLeave } from './time-to-leave.ts';
import { trackEmail, UNTRACKED } from './track-email.ts';

export interface PreparedEmail {
  id: string;
  message: SubmittedMessage;
}

type Caller = Submission['caller'];

/** The ids and the date of a new email. */
interface Identity {
  id: string;
  emailId: string;
  now: Date;
}

/** `find` may keep the senders that it has found, for submissions that are prepared together. */
export async function prepareEmail(
  db: Db,
  { caller, content }: Submission,
  find: typeof findSender = findSender,
): Promise<PreparedEmail> {
  const id = newUuid();
  const identity = { id, emailId: encodeId('eml', id), now: new Date() };
  const message =
    content.kind === 'raw'
      ? await acceptRaw(db, caller, content, identity)
      : await composeFields({ db, caller, find }, content, identity);
  return { id, message };
}

/** The order of the steps decides which error a request gets: an unverified domain comes after missing objects. */
async function composeFields(
  { db, caller, find }: { db: Db; caller: Caller; find: typeof findSender },
  content: FieldsContent,
  { id, emailId, now }: Identity,
): Promise<SubmittedMessage> {
  const { email: input, links, limits } = content;
  if (limits) requireWithinLimits(limits, input);
  const found = await find(db, caller, input.from);
  const reply = content.reply ?? (await findRepliedTo(db, caller, input.inReplyToId));
  const email = await applyTemplate(db, caller.teamId, input);
  // The template may have made the email larger.
  if (limits) requireWithinLimits(limits, email);
  const sender = requireHeld(found, input.from);
  const leavesAt = content.leavesAt === undefined ? await chooseTimeToLeave(db, email) : content.leavesAt;
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
    raw: await compose(sent, { textFrom: email.html, messageId, reply, date: now }),
  };
}

async function findRepliedTo(
  db: Db,
  caller: Caller,
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

interface Composed {
  /** The HTML before tracking. A missing text part is made from it. */
  textFrom: string | null | undefined;
  messageId: string;
  reply: FieldsContent['reply'];
  date: Date;
}

async function compose(email: EmailInput, { textFrom, messageId, reply, date }: Composed): Promise<Buffer> {
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
    textFrom: textFrom ?? null,
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
