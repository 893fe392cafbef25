/**
 * Folders as Mailbox objects (RFC 8621 section 2). A folder `Work/Done` is the Mailbox `Done` in the Mailbox `Work`.
 */
import { reachesLevel, type MailboxNeed } from '../../features/api/mailbox-access.ts';
import { needInFolder } from '../../features/mailboxes/access/message-needs.ts';
import { countThreads } from '../../features/mailboxes/jmap/count-threads.ts';
import {
  isSystemFolder,
  SYSTEM_FOLDERS,
  type SystemFolder,
} from '../../features/mailboxes/storage/folder-names.ts';
import { listFolders, type FolderRow } from '../../features/mailboxes/storage/folder-rows.ts';
import type { MethodContext } from '../calls/tools.ts';

const ROLES: Record<SystemFolder, string> = {
  inbox: 'inbox',
  archive: 'archive',
  sent: 'sent',
  drafts: 'drafts',
  spam: 'junk',
  trash: 'trash',
  snoozed: 'snoozed',
};
const SORT_ORDER_OF_OTHERS = 10;

export interface MailboxObject {
  id: string;
  name: string;
  parentId: string | null;
  role: string | null;
  sortOrder: number;
  isSubscribed: boolean;
  folder: FolderRow;
}

export const MAILBOX_PROPERTIES = [
  'id',
  'name',
  'parentId',
  'role',
  'sortOrder',
  'totalEmails',
  'unreadEmails',
  'totalThreads',
  'unreadThreads',
  'myRights',
  'isSubscribed',
];

export async function readMailboxes({ tools, login }: MethodContext): Promise<MailboxObject[]> {
  const folders = await listFolders(tools.db, login);
  const byName = new Map(folders.map((folder) => [folder.name, folder]));
  return folders.map((folder) => {
    const slash = folder.name.lastIndexOf('/');
    // A parent is created with its first child, so it exists. If it does not, the whole name is shown.
    const parent = slash === -1 ? undefined : byName.get(folder.name.slice(0, slash));
    const isSystem = isSystemFolder(folder.id);
    return {
      id: folder.id,
      name: folder.id === 'inbox' ? 'Inbox' : parent ? folder.name.slice(slash + 1) : folder.name,
      parentId: parent?.id ?? null,
      role: isSystem ? ROLES[folder.id as SystemFolder] : null,
      sortOrder:
        folder.sortOrder ??
        (isSystem ? SYSTEM_FOLDERS.indexOf(folder.id as SystemFolder) + 1 : SORT_ORDER_OF_OTHERS),
      isSubscribed: folder.subscribed,
      folder,
    };
  });
}

/** Counting threads reads the whole mailbox, so they are counted only on request. */
export async function presentMailboxes(
  { tools, login }: MethodContext,
  mailboxes: MailboxObject[],
  properties: readonly string[] | null,
): Promise<Record<string, unknown>[]> {
  const needsThreads = !properties || properties.some((name) => /Threads$|^unreadEmails$/.test(name));
  const threads = needsThreads && mailboxes.length > 0 ? await countThreads(tools.db, login) : null;
  const may = (need: MailboxNeed) => reachesLevel(login.access, need);
  return mailboxes.map(({ folder, ...mailbox }) => {
    const isSystem = isSystemFolder(folder.id);
    const counts = threads?.get(folder.id);
    return {
      ...mailbox,
      totalEmails: folder.messages,
      unreadEmails: Math.max(0, folder.unseen - (counts?.unreadDrafts ?? 0)),
      totalThreads: counts?.total ?? 0,
      unreadThreads: counts?.unread ?? 0,
      myRights: {
        mayReadItems: true,
        // Messages get there only by snoozing, which has an end.
        mayAddItems: folder.id !== 'snoozed' && may(needInFolder(folder.id)),
        mayRemoveItems: may(needInFolder(folder.id)),
        maySetSeen: true,
        maySetKeywords: may(needInFolder(folder.id)),
        mayCreateChild: may('reply'),
        mayRename: !isSystem && may('reply'),
        mayDelete: !isSystem && may('reply'),
        maySubmit: may('reply'),
      },
    };
  });
}
