/**
 * Adds a message that a mail program uploads: a draft, a copy of what it sent, or old mail from another server. It is
 * parsed, sanitized and put into a thread like received mail, but it is no delivery: it sends no event to webhooks and
 * cancels nothing. `appendMessage` stores it again each time, except the copy of a message that was sent through us.
 */
import { sql } from 'kysely';
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import { inTransaction, type Db } from '../../../platform/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/rows.ts';
import { uploadContents } from '../../sending/content/upload-blobs.ts';
import { sortLabels, type FlagSet } from '../storage/change-flags.ts';
import { lockChangeNumber, type MailboxRef } from '../storage/change-numbers.ts';
import { findThreads } from '../storage/conversation.ts';
import { requireFolderRow } from '../storage/folder-rows.ts';
import { collectPeople, formatPerson, joinPeople } from '../storage/participants.ts';
import { findSentMessage } from '../storage/sent-copies.ts';
import { refreshThreads } from '../storage/refresh-threads.ts';
import { NO_FLAGS, storeMessages, type Flags } from '../storage/store-message.ts';
import { contentOf, readIncoming } from './receive.ts';

export interface AppendedMessage {
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

type OwnMailbox = MailboxRef & { addressKey: string };

export async function appendMessage(
  db: Db,
  mailbox: OwnMailbox,
  message: NewMessage,
): Promise<AppendedMessage> {
  return (await append(db, mailbox, message, null))!;
}

/** Null if the mailbox already has a message with this delivery key. */
export async function appendOnce(
  db: Db,
  mailbox: OwnMailbox,
  message: NewMessage,
  deliveryKey: Buffer,
): Promise<AppendedMessage | null> {
  return append(db, mailbox, message, deliveryKey);
}

async function append(
  db: Db,
  mailbox: OwnMailbox,
  { raw, folder, flags, date }: NewMessage,
  deliveryKey: Buffer | null,
): Promise<AppendedMessage | null> {
  const { teamId, mailboxId, addressKey } = mailbox;
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
  const { criteria } = incoming.deliveries[0]!;
  await uploadContents(db, [teamId], [raw, ...parsed.attachments.map(({ content }) => content)]);
  const set: Flags = { ...NO_FLAGS };
  for (const flag of flags.flags ?? []) set[flag] = true;
  const isOurs = set.draft || folder === 'sent' || folder === 'drafts' || criteria.senderKey === addressKey;
  return inTransaction(db, async (trx) => {
    const match = (await findThreads(trx, [[criteria]]))[0]![0]!;
    if (match === 'gone') throw notFound('Mailbox');
    if (match === 'duplicate') return null;
    const sent =
      folder === 'sent' && parsed.messageId !== null
        ? await findSentMessage(trx, mailbox, parsed.messageId)
        : null;
    if (sent) return sent;
    const thread = match;
    await lockChangeNumber(trx, mailbox);
    await requireFolderRow(trx, mailbox, folder);
    const people = collectPeople([incoming.from, ...incoming.to, ...incoming.cc], addressKey);
    const [id, threadId] = [newUuid(), thread?.id ?? newUuid()];
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
          ...contentOf(incoming),
          // Only our own messages show who got a blind copy.
          bcc: isOurs ? parsed.bcc.map(formatPerson) : [],
          authentication: null,
          raw,
          deliveryKey,
          createdAt: date ?? new Date(),
        },
        thread: {
          id: threadId,
          people: thread ? joinPeople(thread.people, people, addressKey) : people,
          movesToTop: false,
          event: 'thread.changed',
        },
      },
    ]);
    await refreshThreads(trx, teamId, [threadId]);
    const { rows } = await sql<Row<'messages', 'uid' | 'modseq'>>`
      select uid, modseq from messages where team_id = ${teamId} and id = ${id}
    `.execute(trx);
    return { id, threadId, ...rows[0]! };
  });
}
