/** Lists folders with counts. The system folders have stored thread counters; the views count their messages. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import type { MailboxNeed } from '../../api/mailbox-access.ts';
import { WAITS_IN_MAILBOX } from '../../sending/emails/waiting.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { createFolder, deleteFolder, renameFolder } from '../storage/change-folders.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { isSystemFolder } from '../storage/folder-names.ts';
import { findFolder, listFolders, type FolderRow } from '../storage/folder-rows.ts';
import { isDraft, isSentOrWaiting } from '../storage/message-kinds.ts';
import type { Folder, FolderCount } from './threads.schema.ts';

const ORDER = ['inbox', 'snoozed', 'archive', 'trash', 'spam', 'sent', 'drafts', 'scheduled'] as const;
/** Views, and folders that are created when they are first needed. */
const SHOWN_ALWAYS = [
  { id: 'scheduled', name: 'Scheduled' },
  { id: 'snoozed', name: 'Snoozed' },
];

/** The folders that every mailbox has and the view `scheduled`, then the others by name. */
export async function countFolders(db: Db, caller: Caller, mailboxId: string): Promise<FolderCount[]> {
  const mailbox = await requireRef(db, caller, mailboxId);
  const folders = await listFolders(db, mailbox);
  const countOf = await countThreads(db, mailbox);
  const system = ORDER.map((role) => {
    const { id, name } = [...folders, ...SHOWN_ALWAYS].find((folder) => folder.id === role)!;
    return { folder: id, id, name, role, ...(countOf.get(id) ?? { unread: 0, total: 0 }) };
  });
  const own = folders.filter(({ id }) => !isSystemFolder(id));
  return [
    ...system,
    ...own.map(({ id, name, unseen, messages }) => {
      return { folder: id, id, name, role: null, unread: unseen, total: messages };
    }),
  ];
}

async function countThreads(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
): Promise<Map<string, { unread: number; total: number }>> {
  const kept = sql`m.team_id = ${teamId} and m.mailbox_id = ${mailboxId} and m.folder not in ('trash', 'spam')`;
  const { rows } = await sql<{
    folder: Row<'mailbox_folder_counts'>['folder'];
    unread: number;
    total: number;
  }>`
    select folder, sum(unread)::bigint as unread, sum(threads)::bigint as total from mailbox_folder_counts
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and folder <> 'sent' group by folder
    union all
    select 'drafts', 0, count(*) from messages m where ${kept} and ${isDraft('m')}
    union all
    select 'scheduled', 0, count(*) from emails e
    join messages m on m.team_id = e.team_id and m.email_id = e.id and ${kept}
    where e.team_id = ${teamId} and ${WAITS_IN_MAILBOX}
    union all
    select 'sent', 0, count(*) from messages m where ${kept} and ${isSentOrWaiting('m')}
  `.execute(db);
  const countOf = new Map(rows.map(({ folder, unread, total }) => [folder, { unread, total }]));
  countOf.get('sent')!.total -= countOf.get('scheduled')!.total;
  return countOf;
}

export async function addFolder(db: Db, caller: Caller, mailboxId: string, name: string): Promise<Folder> {
  return present(await createFolder(db, await requireRef(db, caller, mailboxId, 'reply'), name));
}

export async function changeFolder(
  db: Db,
  caller: Caller,
  mailboxId: string,
  folderId: string,
  name: string,
): Promise<Folder> {
  return present(await renameFolder(db, await requireRef(db, caller, mailboxId, 'reply'), folderId, name));
}

export async function removeFolder(
  db: Db,
  caller: Caller,
  mailboxId: string,
  folderId: string,
): Promise<void> {
  await deleteFolder(db, await requireRef(db, caller, mailboxId, 'reply'), folderId);
}

export async function getFolder(
  db: Db,
  caller: Caller,
  mailboxId: string,
  folderId: string,
): Promise<Folder> {
  const folder = await findFolder(db, await requireRef(db, caller, mailboxId), folderId);
  if (!folder) throw notFound('Folder');
  return present(folder);
}

async function requireRef(
  db: Db,
  caller: Caller,
  mailboxId: string,
  need: MailboxNeed = 'read',
): Promise<MailboxRef> {
  return { teamId: caller.teamId, mailboxId: (await requireMailbox(db, caller, mailboxId, need)).id };
}

function present({ id, name, messages, unseen, bytes }: FolderRow): Folder {
  const role = isSystemFolder(id) ? id : null;
  return { id, name, role, messages, unread_messages: unseen, size: bytes };
}
