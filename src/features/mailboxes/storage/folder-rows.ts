/** The folders of a mailbox with their counters. */
import { sql } from 'kysely';
import { Fragment, type Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import type { MailboxRef } from './change-numbers.ts';
import { normalizeName, SYSTEM_FOLDERS } from './folder-names.ts';

/**
 * `unseen`, `messages` and `bytes` count messages. `modseq` is the number of the latest change to its messages, and
 * `changedModseq` that of the latest change to the folder itself.
 */
export type FolderRow = CamelRow<
  'folders',
  | 'id'
  | 'name'
  | 'uid_validity'
  | 'next_uid'
  | 'modseq'
  | 'created_modseq'
  | 'changed_modseq'
  | 'subscribed'
  | 'messages'
  | 'unseen'
  | 'bytes'
  | 'sort_order'
  | 'first_recent_uid'
>;

/** The columns of a FolderRow. */
export const FOLDER_COLUMNS =
  new Fragment(`id, name, uid_validity as "uidValidity", next_uid as "nextUid", modseq,
  created_modseq as "createdModseq", changed_modseq as "changedModseq", subscribed, messages, unseen, bytes,
  sort_order as "sortOrder", first_recent_uid as "firstRecentUid"`);
const COLUMNS = sql.raw(FOLDER_COLUMNS.text);

/** System folders come first, then the others by name. */
export async function listFolders(db: Db, { teamId, mailboxId }: MailboxRef): Promise<FolderRow[]> {
  const { rows } = await sql<FolderRow>`
    select ${COLUMNS} from folders where team_id = ${teamId} and mailbox_id = ${mailboxId}
    order by array_position(${[...SYSTEM_FOLDERS]}::text[], id), lower(name), name
  `.execute(db);
  return rows;
}

export async function findFolder(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  id: string,
): Promise<FolderRow | null> {
  const { rows } = await sql<FolderRow>`
    select ${COLUMNS} from folders where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = ${id}
  `.execute(db);
  return rows[0] ?? null;
}

export async function requireFolderRow(db: Db, mailbox: MailboxRef, id: string): Promise<FolderRow> {
  const folder = await findFolder(db, mailbox, id);
  if (!folder) throw notFound('Folder');
  return folder;
}

/** Finds a folder by its full name. */
export async function findFolderByName(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  name: string,
): Promise<FolderRow | null> {
  const { rows } = await sql<FolderRow>`
    select ${COLUMNS} from folders
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and name = ${normalizeName(name)}
  `.execute(db);
  return rows[0] ?? null;
}
