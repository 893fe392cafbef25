/**
 * Adds a message that an email app uploads: a draft, a copy of a sent message, or old mail from another server. It is
 * parsed, sanitised and put into a thread like received mail, but it is not a delivery: it sends no event to webhooks
 * and cancels nothing. `appendMessage` stores it again each time, except the copy of a message that was sent through
 * us.
 */
import { sql } from 'kysely';
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { compressSource } from '../../content/stored/compress-source.ts';
import { uploadContents } from '../../content/stored/upload-blobs.ts';
import type { MailSender } from '../../sending/emails/submission.ts';
import { sortLabels, type FlagSet } from '../storage/change-flags.ts';
import { lockChangeNumber, type MailboxRef } from '../storage/change-numbers.ts';
import { findThreads, lockThreadsOfAll, type ThreadCriteria } from '../storage/conversation.ts';
import { cannotSnoozeByMoving } from '../storage/move-messages.ts';
import { requireFolderRow } from '../storage/folder-rows.ts';
import { collectPeople, formatPerson, joinPeople } from '../storage/participants.ts';
import { findSentMessage } from '../storage/sent-copies.ts';
import { refreshThreads } from '../storage/refresh-threads.ts';
import { NO_FLAGS, storeMessages, type Flags } from '../storage/store-message.ts';
import { contentOf, readIncoming } from './receive.ts';

interface AppendedMessage {
  id: string;
  threadId: string;
  uid: number;
  modseq: number;
}

interface NewMessage {
  raw: Buffer;
  folder: string;
  flags: FlagSet;
  date: Date | null;
}

/** `sender` is who has logged in. An import has none. */
/** `userId` is the UUID of the person, who is the author of drafts. */
type OwnMailbox = MailboxRef & { addressKey: string; sender?: MailSender; userId?: string | null };

export async function appendMessage(
  db: Db,
  mailbox: OwnMailbox,
  message: NewMessage,
): Promise<AppendedMessage> {
  return (await append(db, mailbox, [message], null))[0]!;
}

/** Adds all messages or none (RFC 3502). */
export async function appendMessages(
  db: Db,
  mailbox: OwnMailbox,
  messages: readonly NewMessage[],
): Promise<AppendedMessage[]> {
  return append(db, mailbox, messages, null);
}

/** Null if the mailbox already has a message with this delivery key. */
export async function appendOnce(
  db: Db,
  mailbox: OwnMailbox,
  message: NewMessage,
  deliveryKey: Buffer,
): Promise<AppendedMessage | null> {
  return (await append(db, mailbox, [message], deliveryKey))[0] ?? null;
}

/** Returns no entry for a message that the mailbox already has. */
async function append(
  db: Db,
  mailbox: OwnMailbox,
  messages: readonly NewMessage[],
  deliveryKey: Buffer | null,
): Promise<AppendedMessage[]> {
  const prepared: PreparedMessage[] = [];
  for (const message of messages) prepared.push(await prepare(db, mailbox, message, deliveryKey));
  return inTransaction(db, async (trx) => {
    // All threads are locked before the change number, which the first message locks.
    if (prepared.length > 1)
      await lockThreadsOfAll(
        trx,
        prepared.map(({ criteria }) => criteria),
      );
    const stored: AppendedMessage[] = [];
    for (const message of prepared) {
      const added = await store(trx, mailbox, message);
      if (added) stored.push(added);
    }
    await refreshThreads(trx, mailbox.teamId, [...new Set(stored.map(({ threadId }) => threadId))]);
    return stored;
  });
}

interface PreparedMessage extends NewMessage {
  incoming: Awaited<ReturnType<typeof readIncoming>>;
  criteria: ThreadCriteria;
}

/** Does everything that needs no transaction. */
async function prepare(
  db: Db,
  mailbox: OwnMailbox,
  message: NewMessage,
  deliveryKey: Buffer | null,
): Promise<PreparedMessage> {
  const { raw, folder } = message;
  const parsed = await parseMessage(raw);
  const incoming = await readIncoming({
    destinations: [mailbox],
    raw,
    trace: '',
    parsed,
    mailFrom: '',
    authentication: null,
    isSpam: folder === 'spam',
    deliveryKey,
  });
  await compressSource(db, raw);
  await uploadContents(db, [mailbox.teamId], [raw, ...parsed.attachments.map(({ content }) => content)]);
  return { ...message, incoming, criteria: incoming.deliveries[0]!.criteria };
}

async function store(
  trx: Db,
  mailbox: OwnMailbox,
  { raw, folder, flags, date, incoming, criteria }: PreparedMessage,
): Promise<AppendedMessage | null> {
  const { teamId, mailboxId, addressKey } = mailbox;
  const { parsed } = incoming.received;
  const set: Flags = { ...NO_FLAGS };
  for (const flag of flags.flags ?? []) set[flag] = true;
  const isOurs = set.draft || folder === 'sent' || folder === 'drafts' || criteria.senderKey === addressKey;
  const match = (await findThreads(trx, [[criteria]]))[0]![0]!;
  if (match === 'gone') throw notFound('Mailbox');
  if (match === 'duplicate') return null;
  const sent =
    folder === 'sent' && parsed.messageId !== null
      ? await findSentMessage(trx, mailbox, parsed.messageId)
      : null;
  if (sent) return sent;
  await lockChangeNumber(trx, mailbox);
  if (folder === 'snoozed') throw cannotSnoozeByMoving();
  await requireFolderRow(trx, mailbox, folder);
  const people = collectPeople([incoming.from, ...incoming.to, ...incoming.cc], addressKey);
  const [id, threadId] = [newUuid(), match?.id ?? newUuid()];
  await storeMessages(trx, [
    {
      message: {
        teamId,
        mailboxId,
        id,
        direction: isOurs ? 'out' : 'in',
        folder,
        flags: set,
        labels: sortLabels(flags.labels ?? []),
        authorId: set.draft || folder === 'drafts' ? (mailbox.userId ?? null) : null,
        ...contentOf(incoming),
        // Only our own messages show the recipients of blind copies.
        bcc: isOurs ? parsed.bcc.map(formatPerson) : [],
        authentication: null,
        raw,
        deliveryKey: criteria.deliveryKey,
        createdAt: date && isStorable(date) ? date : new Date(),
      },
      thread: {
        id: threadId,
        people: match ? joinPeople(match.people, people, addressKey) : people,
        movesToTop: false,
        event: 'thread.changed',
      },
    },
  ]);
  if (mailbox.sender && mailbox.sender.policyIds.length > 0) await markAgents(trx, teamId, id);
  const { rows } = await sql<Row<'messages', 'uid' | 'modseq'>>`
    select uid, modseq from messages where team_id = ${teamId} and id = ${id}
  `.execute(trx);
  return { id, threadId, ...rows[0]! };
}

/** Send policies do not learn from it whom the mailbox knows (exchanged-mail.ts). */
async function markAgents(trx: Db, teamId: number, messageId: string): Promise<void> {
  await sql`
    update blobs b set by_agent = true from messages m
    where m.team_id = ${teamId} and m.id = ${messageId} and b.team_id = m.team_id and b.sha256 = m.raw_sha256
  `.execute(trx);
}

/** Other servers may send any date. PostgreSQL cannot read years after 9999 in the format of JavaScript. */
function isStorable(date: Date): boolean {
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999;
}
