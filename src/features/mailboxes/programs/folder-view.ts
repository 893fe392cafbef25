/** A folder as a mail program opens it: the UIDs of its messages in order, and the change number that they belong to. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database.ts';
import { notFound } from '../../../platform/errors.ts';
import type { Row } from '../../../platform/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { findFolder, type FolderRow } from '../storage/folder-rows.ts';
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

/**
 * The change number is read first, so nothing is missed: what changes in between is in the view, and is reported again
 * as a change. All UIDs come in one value, because a folder may have a million messages.
 */
export async function openFolderView(db: Db, mailbox: MailboxRef, folderId: string): Promise<FolderView> {
  const { modseq } = await readChangeNumber(db, mailbox);
  const folder = await findFolder(db, mailbox, folderId);
  if (!folder) throw notFound('Folder');
  const { rows } = await sql<{ uids: Buffer | null }>`
    select string_agg(int4send((uid - ${HALF}::bigint)::integer), ''::bytea order by uid) as uids from messages
    where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and folder = ${folderId}
  `.execute(db);
  const packed = rows[0]!.uids ?? Buffer.alloc(0);
  const uids = new Uint32Array(packed.length / 4);
  for (let at = 0; at < uids.length; at += 1) uids[at] = packed.readInt32BE(at * 4) + HALF;
  return { folder, uids, modseq };
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
