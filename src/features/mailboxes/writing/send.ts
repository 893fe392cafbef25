/** Sends a message from a mailbox through `submit`, and stores a copy in its thread in the same transaction. */
import { sql } from 'kysely';
import { databaseNow, inTransaction, type Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Caller } from '../../api/caller.ts';
import { requireScope } from '../../api/policy-keys.ts';
import { asWritten } from '../../sending/emails/emails.schema.ts';
import { submitForOutcome } from '../../sending/emails/submit.ts';
import type { PolicyReason } from '../../sending/policies/judge.ts';
import { chooseSender, type OwnAddress } from '../addresses/choose-sender.ts';
import { withSignature } from '../addresses/with-signature.ts';
import { recordActivity, userKeyOf } from '../activity/record-activity.ts';
import { recordDraftEvent, threadEvent } from '../activity/record-own-events.ts';
import { recordEvents } from '../../events/record-events.ts';
import { refuseReminder, setReminder } from '../snoozing/reminders.ts';
import { refuseUnseen } from './refuse-unseen.ts';
import { doActions, joinFiles, readUsedReply } from '../saved-replies/use-saved-reply.ts';
import { requireMailbox, type MailboxRow } from '../mailboxes/find-mailbox.ts';
import { AppError, notFound } from '../../../platform/errors.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { filesOfDraft } from './draft-files.ts';
import { requireOwnDraft } from './draft-owner.ts';
import { removeMessage, type DraftRow } from './draft-rows.ts';
import { requireThread, type ThreadRow } from '../reading/find-thread.ts';
import { withCleanHtml } from '../storage/own-html.ts';
import { collectPeople, joinPeople, toPeople } from '../storage/participants.ts';
import { changeFlags } from '../storage/change-flags.ts';
import { isDraft } from '../storage/message-kinds.ts';
import { chooseSendTime } from './send-time.ts';
import type { MessageInput, MessageSubmitted } from './sending.schema.ts';
import { toFile } from '../storage/to-file.ts';
import { NO_FLAGS, storeMessages, type StoredFile } from '../storage/store-message.ts';

export async function sendMessage(
  db: Db,
  caller: Caller,
  mailboxId: string,
  input: MessageInput,
): Promise<MessageSubmitted> {
  return sendSanitized(db, caller, mailboxId, await withCleanHtml(input));
}

/** The HTML must already be sanitised, like that of a draft. */
export async function sendSanitized(
  db: Db,
  caller: Caller,
  mailboxId: string,
  written: MessageInput,
): Promise<MessageSubmitted> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'reply');
    const draft = written.draft_id ? await requireOwnDraft(trx, caller, mailbox, written.draft_id) : null;
    const thread = await findTargetThread(trx, caller, mailbox, written.thread_id ?? null, draft);
    const sender = await chooseSender(trx, caller.teamId, mailbox, {
      from: written.from ?? null,
      threadId: thread?.id ?? null,
    });
    const input = written.signature
      ? await withSignature(trx, caller, mailbox.id, sender.addressId, written)
      : written;
    const saved = await readUsedReply(trx, caller.teamId, mailbox.id, input.saved_reply_id);
    const own = input.attachments
      ? input.attachments.map(toFile)
      : await filesOfDraft(trx, caller.teamId, draft);
    const files = joinFiles(own, saved.files);
    const now = await databaseNow(trx);
    if (thread && input.seen_message_id)
      await refuseUnseen(trx, caller.teamId, thread.id, input.seen_message_id);
    const undoSeconds = input.undo_seconds ?? mailbox.undo_seconds;
    const leavesAt = chooseSendTime({ sendAt: input.send_at ?? null, undoSeconds }, now);
    if (input.remind_at) refuseReminder(input.remind_at, now, leavesAt);
    const subject = input.subject ?? toReplySubject(thread?.subject ?? '');
    const reply = thread && (await findReplyHeaders(trx, caller.teamId, thread.id));
    if (!reply) requireScope('mail.send', caller);
    const outgoing: Outgoing = {
      caller,
      input,
      mailbox,
      sender,
      thread,
      files,
      subject,
      reply,
      now,
      leavesAt,
      isWaiting: false,
    };
    const content = { kind: 'fields' as const, reply, leavesAt, email: toEmail(outgoing) };
    const outcome = await submitForOutcome(trx, { source: 'mailbox', caller, content });
    if (outcome.status === 'blocked') return presentBlocked(outgoing, draft, outcome.policy);
    const { emailId } = outcome;
    outgoing.isWaiting = outcome.status === 'held' || leavesAt !== null;
    if (draft) await removeMessage(trx, { teamId: caller.teamId, mailboxId: mailbox.id }, draft);
    const ids = {
      id: draft?.id ?? newUuid(),
      threadId: thread?.id ?? draft?.thread_id ?? newUuid(),
      emailId: decodeId('eml', emailId),
      messageId: await messageIdOf(trx, caller.teamId, emailId),
    };
    await storeMessages(trx, [toStored(outgoing, ids)]);
    await noteSent(trx, outgoing, ids);
    await doActions(trx, caller, { mailboxId: mailbox.id, threadId: ids.threadId }, saved.actions);
    // If the message waits, follow-messages.ts does this when the email is released.
    if (!outgoing.isWaiting && reply) await markAnswered(trx, caller.teamId, mailbox.id, reply.inReplyTo);
    const sent = {
      id: encodeId('msg', ids.id),
      thread_id: encodeId('thr', ids.threadId),
      subject,
      to: asWritten(input.to),
      created_at: now.toISOString(),
    };
    if (outcome.status === 'accepted')
      return { ...sent, status: 'waiting', send_at: (leavesAt ?? now).toISOString() };
    const { status, policy, approvalId } = outcome;
    return { ...sent, status, send_at: null, approval_id: approvalId, policy };
  });
}

function presentBlocked(
  { input, thread, subject, now }: Outgoing,
  draft: DraftRow | null,
  policy: PolicyReason,
): MessageSubmitted {
  return {
    id: encodeId('msg', draft?.id ?? newUuid()),
    thread_id: encodeId('thr', thread?.id ?? draft?.thread_id ?? newUuid()),
    status: 'blocked',
    subject,
    to: asWritten(input.to),
    send_at: null,
    created_at: now.toISOString(),
    policy,
  };
}

/** For doors that know only sent or not. Throws FORBIDDEN for a blocked message. */
export function requireSubmitted(message: MessageSubmitted): MessageSubmitted {
  if (message.status !== 'blocked') return message;
  throw new AppError('FORBIDDEN', message.policy.sentence, { reason: 'blocked-by-policy' });
}

/** A message to send, with all data that was looked up for it. */
interface Outgoing {
  caller: Caller;
  input: MessageInput;
  mailbox: MailboxRow;
  sender: OwnAddress;
  thread: ThreadRow | null;
  files: StoredFile[];
  subject: string;
  reply: Awaited<ReturnType<typeof findReplyHeaders>>;
  now: Date;
  leavesAt: Date | null;
  /** Whether it waits for its time or for the approval of a person. */
  isWaiting: boolean;
}

function toEmail({ input, sender, subject, files }: Outgoing) {
  return {
    from: sender,
    to: input.to,
    cc: input.cc ?? [],
    bcc: input.bcc ?? [],
    subject,
    html: input.html || null,
    text: input.text,
    attachments: files.map((file) => ({ ...file, filename: file.filename ?? 'attachment' })),
  };
}

async function noteSent(
  trx: Db,
  { caller, input, mailbox, thread, reply }: Outgoing,
  { id, threadId }: { id: string; threadId: string },
): Promise<void> {
  const ref = { mailboxId: mailbox.id, threadId };
  const sent = { ...ref, messageId: id };
  if (!thread)
    await recordEvents(trx, caller.teamId, [threadEvent('mailbox.thread.created', caller.by, sent)]);
  if (input.draft_id) await recordDraftEvent(trx, caller, 'sent', sent);
  const type = reply ? 'answered' : 'sent';
  await recordActivity(trx, caller, [{ ...ref, type, data: { message_id: encodeId('msg', id) } }]);
  if (input.remind_at) await setReminder(trx, caller, ref, { messageId: id, at: input.remind_at });
}

/** Returns the copy for the mailbox and the change of its thread. */
function toStored(
  { caller, input, mailbox, sender, thread, subject, reply, files, now, isWaiting }: Outgoing,
  ids: { id: string; threadId: string; emailId: string | null; messageId: string },
): Parameters<typeof storeMessages>[1][number] {
  const { to } = input;
  const [cc, bcc] = [input.cc ?? [], input.bcc ?? []];
  const people = collectPeople(asWritten([...to, ...cc, ...bcc]), mailbox.address_key);
  return {
    message: {
      teamId: caller.teamId,
      mailboxId: mailbox.id,
      id: ids.id,
      direction: 'out',
      // follow-messages.ts moves the message to `sent` when its email is released.
      folder: isWaiting ? 'drafts' : 'sent',
      flags: { ...NO_FLAGS, read: true },
      labels: [],
      emailId: ids.emailId,
      cancelIfReplied: input.cancel_if_replied ?? false,
      authorId: userKeyOf(caller),
      messageId: ids.messageId,
      inReplyTo: reply?.inReplyTo ?? null,
      references: reply?.references ?? [],
      from: sender.given,
      to: asWritten(to),
      cc: asWritten(cc),
      bcc: asWritten(bcc),
      replyTo: [],
      subject,
      text: input.text ?? null,
      html: input.html || null,
      authentication: null,
      raw: null,
      deliveryKey: null,
      files,
      createdAt: now,
    },
    thread: {
      id: ids.threadId,
      people: thread ? joinPeople(toPeople(thread.participants), people, mailbox.address_key) : people,
      movesToTop: true,
      event: isWaiting ? 'thread.changed' : 'message.left',
    },
  };
}

/** Returns the thread to reply in: the given one, or that of the draft. Null starts a new thread. */
async function findTargetThread(
  trx: Db,
  caller: Caller,
  mailbox: MailboxRow,
  threadId: string | null,
  draft: DraftRow | null,
): Promise<ThreadRow | null> {
  if (threadId === null && draft?.isAlone !== false) return null;
  const thread = await requireThread(
    trx,
    caller,
    threadId ?? encodeId('thr', draft!.thread_id),
    'for update',
  );
  if (thread.mailbox_id !== mailbox.id) throw notFound('Thread');
  return thread;
}

/** Returns the reply headers, which refer to the thread's last received or sent message (RFC 5322 section 3.6.4). */
async function findReplyHeaders(trx: Db, teamId: number, threadId: string) {
  const { rows } = await sql<
    Row<'messages', 'reference_ids'> & { message_id: NonNullable<Row<'messages'>['message_id']> }
  >`
    select message_id, reference_ids from messages
    where team_id = ${teamId} and thread_id = ${threadId} and message_id is not null
      and not ${isDraft('messages')}
    order by created_at desc, id desc limit 1
  `.execute(trx);
  const last = rows[0];
  return last ? { inReplyTo: last.message_id, references: [...last.reference_ids, last.message_id] } : null;
}

export async function markAnswered(
  trx: Db,
  teamId: number,
  mailboxId: string,
  messageId: string,
): Promise<void> {
  const { rows } = await sql<Row<'messages', 'id'>>`
    select id from messages where team_id = ${teamId} and mailbox_id = ${mailboxId} and message_id = ${messageId}
  `.execute(trx);
  const ids = rows.map(({ id }) => id);
  await changeFlags(trx, { teamId, mailboxId }, ids, { add: { flags: ['answered'] } });
}

export async function messageIdOf(trx: Db, teamId: number, emailId: string): Promise<string> {
  const { rows } = await sql<Row<'emails', 'message_id'>>`
    select message_id from emails where team_id = ${teamId} and id = ${decodeId('eml', emailId)}
  `.execute(trx);
  return rows[0]!.message_id;
}

function toReplySubject(subject: string): string {
  return (/^re:/i.test(subject) ? subject : `Re: ${subject}`).slice(0, 998).toWellFormed();
}
