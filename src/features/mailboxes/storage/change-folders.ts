/** Creates, renames and deletes the folders that people make. */
import { sql } from 'kysely';
import { inTransaction, isTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest, conflict } from '../../../platform/errors.ts';
import { encodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { finishChange } from './change-flags.ts';
import { lockChangeNumber, storeChangeNumber, type MailboxRef } from './change-numbers.ts';
import { checkName, isSystemFolder, MAX_FOLDER_NAME } from './folder-names.ts';
import { findFolderByName, requireFolderRow, type FolderRow } from './folder-rows.ts';
import { recordFolderChange } from '../../events/live-updates.ts';
import { moveRows } from './move-messages.ts';
import { lockThreadsOf } from './refresh-threads.ts';
import { switchOffMoving } from './switch-off-rules.ts';
import { keepSubscriptions, takeSubscriptions } from './subscribed-names.ts';

const MAX_FOLDERS = 1_000;
/** The number of messages of a deleted folder that one transaction moves. */
const MOVED_AT_ONCE = 1_000;

/**
 * Also creates missing parents, as RFC 9051 section 6.3.4 recommends. Email apps subscribe by themselves if they want
 * to. A folder that a person creates elsewhere is subscribed, so that email apps show it.
 */
export async function createFolder(
  db: Db,
  mailbox: MailboxRef,
  rawName: string,
  { subscribes = true }: { subscribes?: boolean } = {},
): Promise<FolderRow> {
  const name = checkName(rawName);
  return inTransaction(db, async (trx) => {
    const modseq = await lockChangeNumber(trx, mailbox);
    if (await findFolderByName(trx, mailbox, name)) throw nameTaken(name);
    const id = await insertFolder(trx, mailbox, { name, modseq, subscribes });
    await insertParents(trx, mailbox, { name, modseq, subscribes });
    await refuseTooMany(trx, mailbox);
    await storeChangeNumber(trx, mailbox, modseq);
    await recordFolderChange(trx, mailbox);
    return requireFolderRow(trx, mailbox, id);
  });
}

/** Also renames the folders inside it. Messages, UIDs, IDs and subscriptions stay the same. */
export async function renameFolder(
  db: Db,
  mailbox: MailboxRef,
  folderId: string,
  rawName: string,
): Promise<FolderRow> {
  const name = checkName(rawName);
  return inTransaction(db, async (trx) => {
    const modseq = await lockChangeNumber(trx, mailbox);
    const folder = await requireFolderRow(trx, mailbox, folderId);
    if (isSystemFolder(folder.id)) throw conflict(`The folder ${folder.name} cannot be renamed.`);
    if (name === folder.name) return folder;
    if (name.startsWith(`${folder.name}/`)) throw badRequest('A folder cannot be moved into itself.');
    const own = sql`team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId}`;
    const inside = sql`starts_with(name, ${`${folder.name}/`})`;
    const renamed = sql`${name}::text || substr(name, ${[...folder.name].length + 1})`;
    const { rows } = await sql<{ is_taken: boolean; is_long: boolean }>`
      select bool_or(exists (
          select 1 from folders other where other.team_id = f.team_id and other.mailbox_id = f.mailbox_id
            and other.name = f.new_name)) as is_taken,
        max(length(new_name)) > ${MAX_FOLDER_NAME} as is_long
      from (
        select team_id, mailbox_id, ${renamed} as new_name from folders where ${own} and (id = ${folder.id} or ${inside})
      ) f
    `.execute(trx);
    if (rows[0]!.is_taken) throw nameTaken(name);
    if (rows[0]!.is_long) throw badRequest('The name of a folder inside this one would be too long.');
    await sql`
      update folders set name = ${renamed}, changed_modseq = ${modseq} where ${own} and (id = ${folder.id} or ${inside})
    `.execute(trx);
    await insertParents(trx, mailbox, { name, modseq, subscribes: folder.subscribed });
    await takeOverSubscriptions(trx, mailbox);
    await refuseTooMany(trx, mailbox);
    await storeChangeNumber(trx, mailbox, modseq);
    await recordFolderChange(trx, mailbox);
    return requireFolderRow(trx, mailbox, folder.id);
  });
}

/**
 * Deletes the folder and the folders inside it. Their messages move to the trash, most of them in separate
 * transactions, so that the mailbox is not locked while a hundred thousand are moved. If this is interrupted, the
 * remaining messages are still in the folder. Subscriptions end, unless the caller is an email app, which ends them
 * itself.
 */
export async function deleteFolder(
  db: Db,
  mailbox: MailboxRef,
  folderId: string,
  { keepsSubscriptions = false }: { keepsSubscriptions?: boolean } = {},
): Promise<void> {
  if (!isTransaction(db)) while ((await emptySome(db, mailbox, folderId)) === MOVED_AT_ONCE) continue;
  while (!(await inTransaction(db, (trx) => deleteWhole(trx, mailbox, folderId, keepsSubscriptions))))
    continue;
}

/** Returns false if another client renamed the folder before it was locked. */
async function deleteWhole(
  trx: Db,
  mailbox: MailboxRef,
  folderId: string,
  keepsSubscriptions: boolean,
): Promise<boolean> {
  const folder = await requireFolderRow(trx, mailbox, folderId);
  if (isSystemFolder(folder.id)) throw conflict(`The folder ${folder.name} cannot be deleted.`);
  const own = sql`team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId}`;
  const whole = sql`(name = ${folder.name} or starts_with(name, ${`${folder.name}/`}))`;
  const listMessages = async () => {
    const { rows } = await sql<Row<'messages', 'id'>>`
      select id from messages where ${own} and folder in (select id from folders where ${own} and ${whole})
    `.execute(trx);
    return rows.map(({ id }) => id);
  };
  await lockThreadsOf(trx, mailbox, await listMessages());
  const modseq = await lockChangeNumber(trx, mailbox);
  const locked = await requireFolderRow(trx, mailbox, folderId);
  if (locked.name !== folder.name) return false;
  const moved = await moveRows(trx, mailbox, await listMessages(), 'trash', modseq);
  const { rows: gone } = await sql<Row<'folders', 'id' | 'name' | 'subscribed'>>`
    with gone as (
      delete from folders where ${own} and ${whole} returning id, name, subscribed
    ), grams as (
      delete from search_grams s using gone where s.team_id = ${mailbox.teamId} and s.mailbox_id = ${mailbox.mailboxId}
        and s.folder = gone.id
    ), logged as (
      insert into vanished_messages (team_id, mailbox_id, modseq, folder, uid)
      select ${mailbox.teamId}, ${mailbox.mailboxId}, ${modseq}, id, 0 from gone
    )
    select id, name, subscribed from gone
  `.execute(trx);
  await switchOffMoving(
    trx,
    mailbox,
    gone.map(({ id }) => id),
  );
  const subscribed = gone.filter((each) => each.subscribed).map((each) => each.name);
  if (keepsSubscriptions && subscribed.length > 0) await keepSubscriptions(trx, mailbox, subscribed);
  await finishChange(trx, mailbox, modseq, moved);
  await recordFolderChange(trx, mailbox);
  return true;
}

/** Moves some messages of the folder and the folders inside it to the trash. Returns their number. */
async function emptySome(db: Db, mailbox: MailboxRef, folderId: string): Promise<number> {
  return inTransaction(db, async (trx) => {
    const folder = await requireFolderRow(trx, mailbox, folderId);
    if (isSystemFolder(folder.id)) return 0;
    const own = sql`team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId}`;
    const { rows } = await sql<Row<'messages', 'id'>>`
      select id from messages where ${own} and folder in (
        select id from folders where ${own} and (name = ${folder.name} or starts_with(name, ${`${folder.name}/`}))
      ) limit ${MOVED_AT_ONCE}
    `.execute(trx);
    const ids = rows.map(({ id }) => id);
    if (ids.length < MOVED_AT_ONCE) return 0;
    await lockThreadsOf(trx, mailbox, ids);
    const modseq = await lockChangeNumber(trx, mailbox);
    await finishChange(trx, mailbox, modseq, await moveRows(trx, mailbox, ids, 'trash', modseq));
    return ids.length;
  });
}

export async function setSubscribed(
  db: Db,
  mailbox: MailboxRef,
  folderId: string,
  subscribed: boolean,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const modseq = await lockChangeNumber(trx, mailbox);
    const { rows } = await sql`
      update folders set subscribed = ${subscribed}, changed_modseq = ${modseq}
      where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and id = ${folderId}
        and subscribed <> ${subscribed} returning 1
    `.execute(trx);
    if (rows.length > 0) await storeChangeNumber(trx, mailbox, modseq);
  });
}

export async function setSortOrder(
  db: Db,
  mailbox: MailboxRef,
  folderId: string,
  sortOrder: number,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const modseq = await lockChangeNumber(trx, mailbox);
    const { rows } = await sql`
      update folders set sort_order = ${sortOrder}, changed_modseq = ${modseq}
      where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and id = ${folderId}
        and sort_order is distinct from ${sortOrder} returning 1
    `.execute(trx);
    if (rows.length === 0) return;
    await storeChangeNumber(trx, mailbox, modseq);
    await recordFolderChange(trx, mailbox);
  });
}

function nameTaken(name: string) {
  return conflict(`A folder named ${name} already exists.`, 'folder-exists');
}

interface NewFolder {
  name: string;
  modseq: number;
  subscribes: boolean;
}

async function insertFolder(
  trx: Db,
  mailbox: MailboxRef,
  { name, modseq, subscribes }: NewFolder,
): Promise<string> {
  const { teamId, mailboxId } = mailbox;
  const id = encodeId('fld', newUuid());
  const wasSubscribed = (await takeSubscriptions(trx, mailbox, [name])).length > 0;
  // The sum is unique in the mailbox, because no other change has this number. A later mailbox has later times.
  await sql`
    insert into folders (team_id, mailbox_id, id, name, uid_validity, modseq, created_modseq, changed_modseq, subscribed)
    select team_id, mailbox_id, ${id}, ${name}, uid_validity + ${modseq}, ${modseq}, ${modseq}, ${modseq},
      ${subscribes || wasSubscribed}
    from folders where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = 'inbox'
    on conflict (team_id, mailbox_id, name) do nothing
  `.execute(trx);
  return id;
}

async function insertParents(trx: Db, mailbox: MailboxRef, folder: NewFolder): Promise<void> {
  const levels = folder.name.split('/');
  for (let depth = 1; depth < levels.length; depth++)
    await insertFolder(trx, mailbox, { ...folder, name: levels.slice(0, depth).join('/') });
}

/** After a rename, subscriptions to names without a folder go to the folders that now have these names. */
async function takeOverSubscriptions(trx: Db, { teamId, mailboxId }: MailboxRef): Promise<void> {
  await sql`
    with taken as (
      delete from subscribed_names s using folders f
      where s.team_id = ${teamId} and s.mailbox_id = ${mailboxId}
        and f.team_id = s.team_id and f.mailbox_id = s.mailbox_id and f.name = s.name
      returning f.id
    )
    update folders set subscribed = true
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and id in (select id from taken)
  `.execute(trx);
}

async function refuseTooMany(trx: Db, { teamId, mailboxId }: MailboxRef): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from folders where team_id = ${teamId} and mailbox_id = ${mailboxId}
  `.execute(trx);
  if (rows[0]!.count > MAX_FOLDERS)
    throw badRequest(`A mailbox can have at most ${MAX_FOLDERS} folders. Delete one first.`);
}
