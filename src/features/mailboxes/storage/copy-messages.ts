/** Copies messages to a folder of their mailbox. A copy is a separate message in the same thread. */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { storeBlobs } from '../../content/stored/store-blobs.ts';
import { readContent } from '../../sending/emails/read-content.ts';
import { finishChange } from './change-flags.ts';
import { lockChangeNumber, type MailboxRef } from './change-numbers.ts';
import { cannotSnoozeByMoving } from './move-messages.ts';
import { learnFromMove } from './learn-from-move.ts';
import { requireFolderRow } from './folder-rows.ts';
import { lockThreadsOf } from './refresh-threads.ts';

interface CopiedMessage extends Row<'messages', 'id' | 'uid'> {
  threadId: string;
  /** The message that was copied. */
  fromId: string;
  fromUid: number;
  fromFolder: string;
}

export interface MessagesCopied {
  /** Sorted by UID. */
  copied: CopiedMessage[];
  modseq: number;
}

/** Messages that do not exist are ignored. */
export async function copyMessages(
  db: Db,
  mailbox: MailboxRef,
  messageIds: readonly string[],
  folder: string,
): Promise<MessagesCopied> {
  return inTransaction(db, async (trx) => {
    await lockThreadsOf(trx, mailbox, messageIds);
    const sources = await storeSources(trx, mailbox, messageIds);
    const modseq = await lockChangeNumber(trx, mailbox);
    if (folder === 'snoozed') throw cannotSnoozeByMoving();
    await requireFolderRow(trx, mailbox, folder);
    const copied = await copyRows(trx, mailbox, messageIds, folder, modseq, sources);
    if (copied.length > 0) await finishChange(trx, mailbox, modseq, copied);
    // Email apps without MOVE copy a message and delete the original.
    await learnFromMove(trx, mailbox.teamId, copied, folder);
    return { copied, modseq };
  });
}

/** The size of the rows of a copy without the columns that sizeOfCopies adds up. */
const ROW_BYTES = 2_000;
const REFERENCE_BYTES = 150;
const ATTACHMENT_BYTES = 250;

/**
 * What copies of these messages will store, in bytes. They share a source that is a blob. The rows are their own: the words
 * of the search, which grow with the text, and the bodies of messages whose row has them (decision 47).
 */
export async function sizeOfCopies(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  messageIds: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(${ROW_BYTES}::bigint + coalesce(pg_column_size(w.words), pg_column_size(m.search), 0)
      + coalesce(pg_column_size(text), 0) + coalesce(pg_column_size(html), 0)
      + coalesce(pg_column_size(display_html), 0) + coalesce(pg_column_size(authentication), 0)
      + pg_column_size(to_addresses) + pg_column_size(cc_addresses) + coalesce(pg_column_size(more_addresses), 0)
      + pg_column_size(reference_ids) + cardinality(reference_ids) * ${REFERENCE_BYTES}::integer
      + attachment_count * ${ATTACHMENT_BYTES}::integer
      + case when raw_sha256 is null and email_id is not null then coalesce(size, 0) else 0 end), 0)::bigint as bytes
    from messages m left join message_words w on w.team_id = m.team_id and w.message_id = m.id
    where m.team_id = ${teamId} and m.mailbox_id = ${mailboxId} and m.id = any(${messageIds}::uuid[])
  `.execute(db);
  return rows[0]!.bytes;
}

/**
 * The source of a sent message is in its email. An email belongs to one message, so the copy gets the source as a blob.
 * Returns the hashes of the sources by message ID.
 */
async function storeSources(
  trx: Db,
  { teamId, mailboxId }: MailboxRef,
  messageIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<Row<'messages', 'id'> & { email_id: NonNullable<Row<'messages'>['email_id']> }>`
    select id, email_id from messages where team_id = ${teamId} and mailbox_id = ${mailboxId}
      and id = any(${messageIds}::uuid[]) and raw_sha256 is null and email_id is not null
  `.execute(trx);
  const hashes = new Map<string, string>();
  for (const { id, email_id } of rows) {
    const content = await readContent(trx, teamId, email_id);
    if (!content) continue;
    const hash = sha256(content);
    await storeBlobs(trx, [{ teamId, hash, content }]);
    hashes.set(id, hash.toString('hex'));
  }
  return hashes;
}

/**
 * One statement in these steps: `original` numbers the messages in their order, `place` reserves UIDs in the target
 * folder, and `files`, `referenced`, `searched`, `copied` and `learned` copy the rows under new IDs.
 */
async function copyRows(
  trx: Db,
  { teamId, mailboxId }: MailboxRef,
  messageIds: readonly string[],
  folder: string,
  modseq: number,
  sources: Map<string, string>,
): Promise<CopiedMessage[]> {
  const wanted = [...new Set(messageIds)];
  const { rows } = await sql<CopiedMessage>`
    with original as materialized (
      select m.*, wanted.new_id, decode(wanted.source, 'hex') as source,
        row_number() over (order by m.folder, m.uid) - 1 as nth
      from unnest(${wanted}::uuid[], ${wanted.map(() => newUuid())}::uuid[],
        ${wanted.map((id) => sources.get(id) ?? null)}::text[]) as wanted (id, new_id, source)
      join messages m on m.team_id = ${teamId} and m.mailbox_id = ${mailboxId} and m.id = wanted.id
    ), place as (
      update folders set next_uid = next_uid + (select count(*) from original)
      where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = ${folder}
      returning next_uid - (select count(*) from original) as first_uid
    ), files as (
      insert into message_attachments (team_id, message_id, no, filename, content_type, content_id, inline, size, sha256)
      select a.team_id, o.new_id, a.no, a.filename, a.content_type, a.content_id, a.inline, a.size, a.sha256
      from original o join message_attachments a on a.team_id = ${teamId} and a.message_id = o.id
    ), referenced as (
      insert into message_references (team_id, mailbox_id, reference, message_id)
      select r.team_id, r.mailbox_id, r.reference, o.new_id
      from original o join message_references r on r.team_id = ${teamId} and r.message_id = o.id
    ), searched as (
      insert into message_words (team_id, message_id, words)
      select w.team_id, o.new_id, w.words
      from original o join message_words w on w.team_id = ${teamId} and w.message_id = o.id
    ), copied as (
      insert into messages (team_id, id, mailbox_id, thread_id, direction, message_id, in_reply_to, reference_ids,
        sender, to_addresses, cc_addresses, bcc_addresses, reply_to, more_addresses, subject, text, html, display_html, body_bytes, snippet, read, starred, answered,
        draft, deleted, labels, folder, uid, modseq, created_modseq, size, attachment_count, authentication, raw_sha256, delivered_to,
        search, sent_at, sent_on, created_at, spam, list_unsubscribe)
      select team_id, new_id, mailbox_id, thread_id, direction, message_id, in_reply_to, reference_ids,
        sender, to_addresses, cc_addresses, bcc_addresses, reply_to, more_addresses, subject, text, html, display_html, body_bytes, snippet, read, starred, answered,
        draft, deleted, labels, ${folder}, first_uid + nth, ${modseq}, ${modseq}, size, attachment_count, authentication,
        coalesce(raw_sha256, source), delivered_to, search, sent_at, sent_on, created_at, spam,
        list_unsubscribe
      from original, place
      returning id, uid
    ), learned as (
      insert into spam_learned (team_id, message_id, kind)
      select l.team_id, o.new_id, l.kind from original o
      join spam_learned l on l.team_id = ${teamId} and l.message_id = o.id
    )
    select copied.id, o.thread_id as "threadId", copied.uid, o.id as "fromId", o.uid as "fromUid", o.folder as "fromFolder"
    from copied join original o on o.new_id = copied.id order by copied.uid
  `.execute(trx);
  return rows;
}
