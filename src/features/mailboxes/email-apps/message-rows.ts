/** Reads messages of a folder by their UIDs, with the fields that email apps list. */
import { sql, type RawBuilder } from 'kysely';
import { Fragment, toNumberArray, type Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';

export interface ProgramMessage extends CamelRow<
  'messages',
  | 'id'
  | 'thread_id'
  | 'uid'
  | 'modseq'
  | 'read'
  | 'starred'
  | 'answered'
  | 'draft'
  | 'deleted'
  | 'labels'
  | 'size'
  | 'created_at'
  | 'saved_at'
  | 'snippet'
  | 'email_id'
> {
  rawHash: Row<'messages'>['raw_sha256'];
}

export const MESSAGE_COLUMNS =
  new Fragment(`id, thread_id as "threadId", uid, modseq, read, starred, answered, draft, deleted, labels, size,
  created_at as "createdAt", saved_at as "savedAt", snippet, raw_sha256 as "rawHash", email_id as "emailId"`);

/** Sorts by UID. Leaves out UIDs without a message, and messages that have not changed since `changedSince`. */
export async function readMessages(
  db: Db,
  mailbox: MailboxRef,
  folderId: string,
  uids: readonly number[],
  changedSince: number | null = null,
): Promise<ProgramMessage[]> {
  if (uids.length === 0) return [];
  const { rows } = await sql<ProgramMessage>`
    select ${sql.raw(MESSAGE_COLUMNS.text)} from messages
    where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and folder = ${folderId}
      and ${withUids(uids)} and ${changedSince === null ? sql`true` : sql`modseq > ${changedSince}`}
    order by uid
  `.execute(db);
  return rows;
}

/** Uses a range if the UIDs are consecutive, as in most requests. */
export function withUids(uids: ArrayLike<number>): RawBuilder<boolean> {
  const [first = 0, last = 0] = [uids[0], uids[uids.length - 1]];
  if (last - first + 1 === uids.length) return sql`uid between ${first} and ${last}`;
  return sql`uid = any(${toNumberArray(Array.from(uids), (uid) => uid)}::bigint[])`;
}

/** Returns the UIDs of those messages that are marked as deleted. */
export async function listDeletedIds(
  db: Db,
  mailbox: MailboxRef,
  folderId: string,
  uids: readonly number[] | null,
): Promise<string[]> {
  if (uids?.length === 0) return [];
  const { rows } = await sql<Row<'messages', 'id'>>`
    select id from messages
    where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and folder = ${folderId} and deleted
      and ${uids === null ? sql`true` : withUids(uids)}
    order by uid
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns the IDs of these messages, sorted by UID. */
export async function listIds(
  db: Db,
  mailbox: MailboxRef,
  folderId: string,
  uids: readonly number[],
): Promise<string[]> {
  if (uids.length === 0) return [];
  const { rows } = await sql<Row<'messages', 'id'>>`
    select id from messages
    where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and folder = ${folderId} and ${withUids(uids)}
    order by uid
  `.execute(db);
  return rows.map(({ id }) => id);
}
