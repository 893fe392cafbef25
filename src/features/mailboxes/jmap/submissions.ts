/**
 * Messages that JMAP clients send (RFC 8621 section 7). A submission sends the bytes of a stored message through
 * `submit`, like all mail. It waits for the undo time of the mailbox. The message itself does not change; the client
 * moves it.
 */
import { listFurtherKeys } from '../addresses/choose-sender.ts';
import { sql } from 'kysely';
import type { Address } from '../../../mail/mime/address.ts';
import { databaseNow, inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError, notFound } from '../../../platform/errors.ts';
import { decodeId, newUuid } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { cancelWaiting } from '../../sending/emails/cancel-waiting.ts';
import { idOf, submitForOutcome } from '../../sending/emails/submit.ts';
import { finishChange } from '../storage/change-flags.ts';
import { lockChangeNumber, storeChangeNumber, type MailboxRef } from '../storage/change-numbers.ts';
import { lockThreadsOf } from '../storage/refresh-threads.ts';
import { markAnswered } from '../writing/send.ts';
import { recordSentByApp, type SendingMailbox } from '../writing/send-raw.ts';

export interface SubmissionEnvelope {
  mailFrom: { email: string; parameters: Record<string, string | null> | null };
  rcptTo: { email: string; parameters: Record<string, string | null> | null }[];
}

export type SubmissionRow = CamelRow<
  'mail_submissions',
  'id' | 'identity_id' | 'message_id' | 'thread_id' | 'email_id' | 'send_at' | 'undo_status' | 'modseq'
> & { envelope: SubmissionEnvelope };

export interface NewSubmission {
  /** The IDs are UUIDs. */
  messageId: string;
  identityId: string;
  raw: Buffer;
  recipients: Address[];
  envelope: SubmissionEnvelope;
  /** When the client wants the message to be sent. Null means after the undo time of the mailbox. */
  sendAt: Date | null;
}

const COLUMNS = sql`id, identity_id as "identityId", message_id as "messageId", thread_id as "threadId",
  email_id as "emailId", envelope, send_at as "sendAt", undo_status as "undoStatus", modseq`;

export async function createSubmission(
  db: Db,
  mailbox: SendingMailbox,
  { messageId, identityId, raw, recipients, envelope, sendAt }: NewSubmission,
): Promise<SubmissionRow> {
  const { teamId, mailboxId } = mailbox;
  return inTransaction(db, async (trx) => {
    await lockThreadsOf(trx, mailbox, [messageId]);
    const now = await databaseNow(trx);
    const leavesAt = sendAt ?? (await undoUntil(trx, mailbox, now));
    const onlyFrom = { ...mailbox, furtherKeys: await listFurtherKeys(trx, mailbox) };
    const content = { kind: 'raw' as const, raw, recipients, onlyFrom, leavesAt };
    const outcome = await submitForOutcome(trx, {
      source: 'mailbox',
      caller: { teamId, domainIds: null, ...mailbox.sender },
      content,
    });
    const publicId = idOf(outcome);
    const isWaiting = leavesAt !== null || outcome.status === 'held';
    const emailId = decodeId('eml', publicId)!;
    const modseq = await lockChangeNumber(trx, mailbox);
    // A message that was sent before keeps its first email.
    const { rows: messages } = await sql<CamelRow<'messages', 'thread_id' | 'in_reply_to'>>`
      update messages set modseq = ${modseq},
        email_id = case when direction = 'out' then coalesce(email_id, ${emailId}) else email_id end,
        author_id = case when direction = 'out' then coalesce(author_id, ${mailbox.userId}::uuid) else author_id end
      where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = ${messageId}
      returning thread_id as "threadId", in_reply_to as "inReplyTo"
    `.execute(trx);
    const message = messages[0];
    if (!message) throw notFound('Message');
    const { rows } = await sql<SubmissionRow>`
      insert into mail_submissions (team_id, id, mailbox_id, identity_id, message_id, thread_id, email_id, envelope, send_at,
        undo_status, modseq, created_modseq)
      values (${teamId}, ${newUuid()}, ${mailboxId}, ${identityId}, ${messageId}, ${message.threadId}, ${emailId},
        ${JSON.stringify(envelope)}::jsonb, ${leavesAt ?? now}, ${isWaiting ? 'pending' : 'final'}, ${modseq}, ${modseq})
      returning ${COLUMNS}
    `.execute(trx);
    await finishChange(trx, mailbox, modseq, [message]);
    const isReply = message.inReplyTo !== null;
    await recordSentByApp(trx, mailbox, { id: messageId, threadId: message.threadId, isReply });
    if (message.inReplyTo !== null && !isWaiting)
      await markAnswered(trx, teamId, mailboxId, message.inReplyTo);
    return rows[0]!;
  });
}

async function undoUntil(db: Db, { teamId, mailboxId }: MailboxRef, now: Date): Promise<Date | null> {
  const { rows } = await sql<{ seconds: Row<'mailboxes'>['undo_seconds'] }>`
    select undo_seconds as seconds from mailboxes where team_id = ${teamId} and id = ${mailboxId}
  `.execute(db);
  if (!rows[0]) throw notFound('Mailbox');
  return rows[0].seconds > 0 ? new Date(now.getTime() + rows[0].seconds * 1000) : null;
}

/** Throws `already_sent` if the message has left. */
export async function cancelSubmission(db: Db, mailbox: MailboxRef, id: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { rows } = await sql<CamelRow<'mail_submissions', 'email_id' | 'undo_status'>>`
      select email_id as "emailId", undo_status as "undoStatus" from mail_submissions
      where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and id = ${id} and not is_destroyed
    `.execute(trx);
    const row = rows[0];
    if (!row) throw notFound('Submission');
    if (row.undoStatus === 'canceled') return;
    const cancelled = await cancelWaiting(trx, mailbox.teamId, [row.emailId]);
    if (cancelled.length === 0) throw new AppError('already_sent', 'This message has already been sent.');
  });
}

/** The message is still sent. Returns false if the submission does not exist. */
export async function destroySubmission(db: Db, mailbox: MailboxRef, id: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const modseq = await lockChangeNumber(trx, mailbox);
    const { rows } = await sql`
      update mail_submissions set is_destroyed = true, modseq = ${modseq}
      where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and id = ${id} and not is_destroyed
      returning 1
    `.execute(trx);
    if (rows.length > 0) await storeChangeNumber(trx, mailbox, modseq);
    return rows.length > 0;
  });
}

/**
 * Detaches the submissions of these messages, which continue without them. Destroying an Email does not cancel its
 * submission (RFC 8621 section 7), although deleting a waiting message does so in webmail and IMAP.
 */
export async function detachSubmissions(
  trx: Db,
  mailbox: MailboxRef,
  messageIds: readonly string[],
): Promise<void> {
  await lockThreadsOf(trx, mailbox, messageIds);
  // A release changes the submission under this lock, so the status read here is final.
  await lockChangeNumber(trx, mailbox);
  await sql`
    update messages m set email_id = null from mail_submissions s
    where m.team_id = ${mailbox.teamId} and m.mailbox_id = ${mailbox.mailboxId} and m.id = any(${messageIds}::uuid[])
      and s.team_id = m.team_id and s.email_id = m.email_id and s.undo_status = 'pending'
  `.execute(trx);
}
