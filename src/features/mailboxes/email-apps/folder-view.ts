/**
 * A folder as an email app opens it: the UIDs of its messages in order, and the change number that they belong to. It
 * is cached while the row of the folder shows that it is still correct, so opening a folder again is one query.
 */
import { sql } from 'kysely';
import { statement, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { normalizeName } from '../storage/folder-names.ts';
import { FOLDER_COLUMNS, type FolderRow } from '../storage/folder-rows.ts';
import { PACKED_UID, unpackUids } from './packed-uids.ts';

export interface FolderView {
  folder: FolderRow;
  /** Increasing. */
  uids: Uint32Array;
  /** Later changes have a higher number. */
  modseq: number;
}

/** The data of a folder that SELECT reports besides its messages. */
export interface FolderSummary {
  /** The labels of its messages, at most 200. */
  keywords: string[];
  /** The UID of the first unread message. */
  firstUnread: number | null;
}

interface Kept {
  /** The row of the folder at the time of reading. */
  folder: FolderRow;
  uids: Uint32Array;
  /** Null until a caller needs it. */
  summary: FolderSummary | null;
}

/** Recently opened folders, the latest last. */
const kept = new Map<string, Kept>();
/** Counted in UIDs of four bytes. */
const MAX_KEPT = 4_000_000;
/** The size of an entry without its UIDs. */
const ENTRY_SIZE = 500;
let keptSize = 0;

type OpenedRow = FolderRow & { mailboxModseq: Row<'mailbox_change_numbers'>['modseq'] | null };

/**
 * The change number is that of the folder's row, so no change is missed: changes that commit before the UIDs are read
 * are in the view, and are reported again as changes. Null if there is no such folder.
 */
export async function openFolderView(
  db: Db,
  mailbox: MailboxRef,
  by: { id: string } | { name: string },
): Promise<FolderView | null> {
  const { teamId, mailboxId } = mailbox;
  const id = 'id' in by ? by.id : null;
  const name = 'name' in by ? normalizeName(by.name) : null;
  const rows = await statement<OpenedRow>(db)`
    select ${FOLDER_COLUMNS}, (
      select modseq from mailbox_change_numbers where team_id = ${teamId} and mailbox_id = ${mailboxId}
    ) as "mailboxModseq"
    from folders
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and (id = ${id}::text or name = ${name}::text)`;
  if (!rows[0]) return null;
  const { mailboxModseq, ...folder } = rows[0];
  return { folder, uids: await readUids(db, mailbox, folder), modseq: mailboxModseq ?? 0 };
}

/**
 * An added message gets the next UID, and a removed one lowers the number of messages. So while both values are
 * unchanged, the UIDs are unchanged too.
 */
async function readUids(db: Db, mailbox: MailboxRef, folder: FolderRow): Promise<Uint32Array> {
  const key = keyOf(mailbox, folder);
  const known = kept.get(key);
  if (known && hasSameUids(known.folder, folder)) {
    kept.delete(key);
    kept.set(key, known);
    return known.uids;
  }
  const uids = await readAllUids(db, mailbox, folder.id);
  const isOfFolderRow = uids.length === folder.messages && (uids.at(-1) ?? 0) < folder.nextUid;
  if (isOfFolderRow) keep(key, { folder, uids, summary: null });
  return uids;
}

function hasSameUids(before: FolderRow, now: FolderRow): boolean {
  return (
    before.uidValidity === now.uidValidity &&
    before.nextUid === now.nextUid &&
    before.messages === now.messages
  );
}

function keyOf({ mailboxId }: MailboxRef, { id }: FolderRow): string {
  return `${mailboxId} ${id}`;
}

function keep(key: string, entry: Kept): void {
  forget(key);
  kept.set(key, entry);
  keptSize += sizeOf(entry);
  for (const oldest of kept.keys()) {
    if (keptSize <= MAX_KEPT) return;
    forget(oldest);
  }
}

function forget(key: string): void {
  const entry = kept.get(key);
  if (entry) keptSize -= sizeOf(entry);
  kept.delete(key);
}

function sizeOf({ uids }: Kept): number {
  return ENTRY_SIZE + uids.length;
}

async function readAllUids(db: Db, mailbox: MailboxRef, folderId: string): Promise<Uint32Array> {
  const { rows } = await sql<{ packed: Buffer | null }>`
    select string_agg(${PACKED_UID}, ''::bytea) as packed from (
      select uid from messages
      where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and folder = ${folderId} order by uid
    ) m
  `.execute(db);
  return unpackUids(rows[0]!.packed);
}

/**
 * Every change of a flag or label raises the change number of the folder. The labels of a deleted message may stay in
 * the list, which does no harm.
 */
export async function summarizeFolder(
  db: Db,
  mailbox: MailboxRef,
  { folder }: FolderView,
): Promise<FolderSummary> {
  const known = kept.get(keyOf(mailbox, folder));
  if (known?.summary && hasSameUids(known.folder, folder) && hasSameFlags(known.folder, folder))
    return known.summary;
  const [keywords, firstUnread] = await Promise.all([
    listKeywords(db, mailbox, folder.id),
    folder.unseen > 0 ? findFirstUnread(db, mailbox, folder.id) : null,
  ]);
  const summary = { keywords, firstUnread };
  const current = kept.get(keyOf(mailbox, folder));
  // Another session may have read a later state in the meantime.
  if (current && hasSameUids(current.folder, folder) && current.folder.modseq <= folder.modseq)
    Object.assign(current, { folder, summary });
  return summary;
}

function hasSameFlags(before: FolderRow, now: FolderRow): boolean {
  return before.modseq === now.modseq && before.unseen === now.unseen;
}

async function listKeywords(db: Db, mailbox: MailboxRef, folderId: string): Promise<string[]> {
  const { rows } = await sql<{ label: string }>`
    select distinct label from messages, unnest(labels) as label
    where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and folder = ${folderId} and labels <> '{}'
    order by label limit 200
  `.execute(db);
  return rows.map(({ label }) => label);
}

/** For IMAP4rev1 clients. */
async function findFirstUnread(db: Db, mailbox: MailboxRef, folderId: string): Promise<number | null> {
  const { rows } = await sql<Row<'messages', 'uid'>>`
    select uid from messages
    where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and folder = ${folderId} and not read
    order by uid limit 1
  `.execute(db);
  return rows[0]?.uid ?? null;
}

export async function countDeleted(db: Db, mailbox: MailboxRef, folderId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from messages
    where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and folder = ${folderId} and deleted
  `.execute(db);
  return rows[0]!.count;
}
