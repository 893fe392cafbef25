/** A folder as a mail program opens it: the UIDs of its messages in order, and the change number that they belong to. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database.ts';
import type { Row } from '../../../platform/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { findFolder, findFolderByName, type FolderRow } from '../storage/folder-rows.ts';
import { readChangeNumber } from '../storage/list-changes.ts';

export interface FolderView {
  folder: FolderRow;
  /** Increasing. */
  uids: Uint32Array;
  /** Later changes have a higher number. */
  modseq: number;
}

/** UIDs are unsigned 32-bit numbers; PostgreSQL's integers are signed. */
const HALF = 0x8000_0000;

/** The UIDs of folders that were opened lately. */
const cached = new Map<string, { uids: Uint32Array; nextUid: number }>();
const MAX_CACHED_UIDS = 4_000_000;
let cachedUids = 0;

/**
 * The change number is read first, so nothing is missed: what changes in between is in the view, and is reported again
 * as a change. Null if there is no such folder.
 */
export async function openFolderView(
  db: Db,
  mailbox: MailboxRef,
  by: { id: string } | { name: string },
): Promise<FolderView | null> {
  const { modseq } = await readChangeNumber(db, mailbox);
  const folder =
    'id' in by ? await findFolder(db, mailbox, by.id) : await findFolderByName(db, mailbox, by.name);
  return folder && { folder, uids: await readUids(db, mailbox, folder), modseq };
}

/**
 * A message that is added gets the next UID, and one that leaves lowers the number of messages. So while both are the same,
 * the UIDs are the same too.
 */
async function readUids(db: Db, mailbox: MailboxRef, folder: FolderRow): Promise<Uint32Array> {
  const key = `${mailbox.mailboxId} ${folder.id}`;
  const known = cached.get(key);
  if (known?.nextUid === folder.nextUid && known.uids.length === folder.messages) {
    cached.delete(key);
    cached.set(key, known);
    return known.uids;
  }
  const uids = await readAllUids(db, mailbox, folder.id);
  const isOfFolderRow = uids.length === folder.messages && (uids.at(-1) ?? 0) < folder.nextUid;
  if (isOfFolderRow) keep(key, { uids, nextUid: folder.nextUid });
  return uids;
}

function keep(key: string, entry: { uids: Uint32Array; nextUid: number }): void {
  forget(key);
  cached.set(key, entry);
  cachedUids += entry.uids.length;
  for (const oldest of cached.keys()) {
    if (cachedUids <= MAX_CACHED_UIDS) return;
    forget(oldest);
  }
}

function forget(key: string): void {
  cachedUids -= cached.get(key)?.uids.length ?? 0;
  cached.delete(key);
}

/** All UIDs come in one value, because a folder may have a million messages. */
async function readAllUids(db: Db, mailbox: MailboxRef, folderId: string): Promise<Uint32Array> {
  const { rows } = await sql<{ uids: Buffer | null }>`
    select string_agg(int4send((uid - ${HALF}::bigint)::integer), ''::bytea) as uids from (
      select uid from messages
      where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and folder = ${folderId} order by uid
    ) m
  `.execute(db);
  const packed = rows[0]!.uids ?? Buffer.alloc(0);
  const uids = new Uint32Array(packed.length / 4);
  for (let at = 0; at < uids.length; at += 1) uids[at] = packed.readInt32BE(at * 4) + HALF;
  return uids;
}

/** The labels of the messages in a folder, at most 200. */
export async function listKeywords(db: Db, mailbox: MailboxRef, folderId: string): Promise<string[]> {
  const { rows } = await sql<{ label: string }>`
    select distinct label from messages, unnest(labels) as label
    where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and folder = ${folderId} and labels <> '{}'
    order by label limit 200
  `.execute(db);
  return rows.map(({ label }) => label);
}

/** The first unread message, for IMAP4rev1 clients. */
export async function findFirstUnread(db: Db, mailbox: MailboxRef, folderId: string): Promise<number | null> {
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
