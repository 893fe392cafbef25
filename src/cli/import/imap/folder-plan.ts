/**
 * Decides which folder gets the messages of each folder of another server. Folders with a special use go to ours.
 * Folders that only show messages of other folders are skipped, except the one with all mail: it comes last, and only
 * messages that no other folder has are taken from it.
 */
import { MAX_FOLDER_NAME } from '../../../features/mailboxes/storage/folder-names.ts';

/** A folder as the server lists it. */
export interface ListedFolder {
  path: string;
  delimiter: string | null | undefined;
  specialUse?: string | undefined;
  flags: Set<string>;
}

export interface PlannedFolder {
  /** The name on the other server. */
  path: string;
  /** The name of our folder. */
  name: string;
  /** Take only messages that no earlier folder has. */
  isAllMail: boolean;
}

const OUR_NAMES: Record<string, string> = {
  '\\Inbox': 'INBOX',
  '\\Archive': 'Archive',
  '\\Sent': 'Sent',
  '\\Drafts': 'Drafts',
  '\\Junk': 'Spam',
  '\\Trash': 'Trash',
  '\\All': 'Archive',
};
/** Views of messages that are in other folders (RFC 6154, RFC 8457). */
const VIEWS = ['\\Flagged', '\\Important'];

/** `prefix` belongs to the personal namespace (RFC 2342), such as `INBOX.`. */
export function planFolders(
  listed: ListedFolder[],
  prefix: string,
): { folders: PlannedFolder[]; views: string[] } {
  const folders: PlannedFolder[] = [];
  const views: string[] = [];
  for (const folder of listed) {
    if (folder.flags.has('\\Noselect') || folder.flags.has('\\NonExistent')) continue;
    if (VIEWS.some((use) => folder.specialUse === use || folder.flags.has(use))) views.push(folder.path);
    else
      folders.push({
        path: folder.path,
        name: OUR_NAMES[folder.specialUse ?? ''] ?? toOurName(folder, prefix),
        isAllMail: folder.specialUse === '\\All',
      });
  }
  const inOrder = folders.toSorted((a, b) => Number(a.isAllMail) - Number(b.isAllMail));
  return { folders: inOrder, views };
}

/** Our folder levels are separated by a slash, and our names are shorter than other servers allow. */
function toOurName({ path, delimiter }: ListedFolder, prefix: string): string {
  const own = prefix !== '' && path.startsWith(prefix) ? path.slice(prefix.length) : path;
  const levels = (delimiter ? own.split(delimiter) : [own]).map((level) =>
    level
      .toWellFormed()
      .normalize('NFC')
      .replaceAll(/[\p{Cc}%*/]/gu, '_'),
  );
  const name = [...joinLevels(levels)].slice(0, MAX_FOLDER_NAME).join('');
  return joinLevels(name.split('/')) || 'Imported';
}

function joinLevels(levels: string[]): string {
  return levels
    .map((level) => level.trim())
    .filter((level) => level !== '')
    .join('/');
}
