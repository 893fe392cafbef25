/**
 * Sends a whole message that an email app of a mailbox submits: through `submit` like all mail, and with a copy in the
 * thread that its References name. It is sent immediately, because the email app cannot offer an undo, unless the email
 * app asks to hold it (RFC 4865). Then it waits like a scheduled message.
 */
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import { cleanMailOffLoop } from '../../../mail/offload/clean-html.ts';
import type { CleanMail } from '../../../mail/html/display/display-html.ts';
import type { Address } from '../../../mail/mime/address.ts';
import type { ParsedMessage } from '../../../mail/mime/parse/parse-message.ts';
import { referencedIds } from '../../../mail/mime/threading.ts';
import { databaseNow, inTransaction, type Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { idOf, submitForOutcome, type SubmitOutcome } from '../../sending/emails/submit.ts';
import type { MailSender, RawContent } from '../../sending/emails/submission.ts';
import { findThreads, lockKeysOf, type ThreadMatch } from '../storage/conversation.ts';
import { collectPeople, formatPerson, joinPeople } from '../storage/participants.ts';
import { attachToCopy } from '../storage/sent-copies.ts';
import { sentOf } from '../storage/sent-date.ts';
import { NO_FLAGS, storeMessages, type StoredMessage } from '../storage/store-message.ts';
import { appActor, recordActivity } from '../activity/record-activity.ts';
import { listFurtherKeys } from '../addresses/choose-sender.ts';
import { markAnswered, messageIdOf } from './send.ts';

/** The mailbox that the email app has logged in to, by the UUID of its row. */
export interface SendingMailbox {
  teamId: number;
  mailboxId: string;
  address: string;
  addressKey: string;
  /** The author, by the UUID of the row. Null for an app password that an API key made. */
  userId: string | null;
  /** Who sends: the policies of an API key apply also to the app passwords that it made. */
  sender: MailSender;
}

/** Throws FORBIDDEN if a send policy blocks it. The From field must have the address of the mailbox. */
export async function sendRaw(
  db: Db,
  mailbox: SendingMailbox,
  { raw, recipients, leavesAt, envelope }: Omit<RawContent, 'kind' | 'labels' | 'onlyFrom'>,
): Promise<SubmitOutcome> {
  const { teamId } = mailbox;
  const parsed = await parseMessage(raw);
  const clean = await cleanMailOffLoop(parsed.html);
  return inTransaction(db, async (trx) => {
    const content: RawContent = {
      kind: 'raw',
      raw,
      recipients,
      onlyFrom: { ...mailbox, furtherKeys: await listFurtherKeys(trx, mailbox) },
      leavesAt: leavesAt ?? null,
      ...(envelope ? { envelope } : {}),
    };
    const outcome = await submitForOutcome(trx, {
      source: 'mailbox',
      caller: { teamId, domainIds: null, ...mailbox.sender },
      content,
    });
    const emailId = idOf(outcome);
    const isWaiting = !!leavesAt || outcome.status === 'held';
    const messageId = await messageIdOf(trx, teamId, emailId);
    const references = referencedIds(parsed);
    const criteria = {
      teamId,
      mailboxId: mailbox.mailboxId,
      messageId,
      references,
      // A subject alone joins no thread, because people start new conversations with an old subject.
      subjectKey: '',
      senderKey: mailbox.addressKey,
      deliveryKey: null,
      trust: null,
      isSpam: false,
    };
    const matches = await findThreads(trx, [[{ ...criteria, lockKeys: lockKeysOf(criteria) }]]);
    const match = matches[0]![0]!;
    if (match === 'gone') throw notFound('Mailbox');
    const ids = { emailId: decodeId('eml', emailId)!, messageId, references };
    let sent: { id: string; threadId: string } | null = await attachToCopy(
      trx,
      mailbox,
      messageId,
      ids.emailId,
    );
    if (!sent) {
      const sentAs = { ...ids, recipients, match, isWaiting, now: await databaseNow(trx) };
      const stored = toStored(mailbox, { ...parsed, ...clean }, sentAs);
      await storeMessages(trx, [stored]);
      sent = { id: stored.message.id, threadId: stored.thread.id };
    }
    await recordSentByApp(trx, mailbox, { ...sent, isReply: !!parsed.inReplyTo });
    // If the message waits, follow-messages.ts does this when the email is released.
    if (parsed.inReplyTo && !isWaiting) await markAnswered(trx, teamId, mailbox.mailboxId, parsed.inReplyTo);
    return outcome;
  });
}

/** Who sent it with an email app, for the activity of the thread. The IDs are UUIDs. */
export async function recordSentByApp(
  trx: Db,
  mailbox: SendingMailbox,
  { id, threadId, isReply }: { id: string; threadId: string; isReply: boolean },
): Promise<void> {
  const data = { message_id: encodeId('msg', id) };
  const { mailboxId } = mailbox;
  await recordActivity(trx, appActor(mailbox), [
    { mailboxId, threadId, type: isReply ? 'answered' : 'sent', data },
  ]);
}

interface SentAs {
  emailId: string | null;
  messageId: string;
  references: string[];
  recipients: Address[];
  match: ThreadMatch;
  isWaiting: boolean;
  now: Date;
}

function toStored(
  { teamId, mailboxId, addressKey, address, userId }: SendingMailbox,
  parsed: ParsedMessage & CleanMail,
  { emailId, messageId, references, recipients, match, isWaiting, now }: SentAs,
): StoredMessage {
  const thread = match !== null && typeof match === 'object' ? match : null;
  const [to, cc] = [parsed.to.map(formatPerson), parsed.cc.map(formatPerson)];
  const named = new Set([...parsed.to, ...parsed.cc].map((person) => person.address.toLowerCase()));
  const bcc = recipients.filter(({ email }) => !named.has(email.toLowerCase())).map(({ email }) => email);
  const people = collectPeople([...to, ...cc, ...bcc], addressKey);
  return {
    message: {
      teamId,
      mailboxId,
      id: newUuid(),
      direction: 'out',
      // follow-messages.ts moves the message to `sent` when its email is released.
      folder: isWaiting ? 'drafts' : 'sent',
      flags: { ...NO_FLAGS, read: true },
      labels: [],
      emailId,
      authorId: userId,
      cancelIfReplied: false,
      messageId,
      inReplyTo: parsed.inReplyTo,
      references,
      from: formatPerson(parsed.from ?? { name: null, address }),
      to,
      cc,
      bcc,
      replyTo: parsed.replyTo.map(formatPerson),
      subject: parsed.subject,
      text: parsed.text,
      html: parsed.html,
      displayHtml: parsed.displayHtml,
      authentication: null,
      raw: null,
      deliveryKey: null,
      files: parsed.attachments,
      sent: sentOf(parsed),
      createdAt: now,
    },
    thread: {
      id: thread?.id ?? newUuid(),
      people: thread ? joinPeople(thread.people, people, addressKey) : people,
      movesToTop: true,
      event: isWaiting ? 'thread.changed' : 'message.left',
    },
  };
}
