/** LIST with its extensions (RFC 5258, 5819, 6154), and LSUB. */
import { listFolders, type FolderRow } from '../../features/mailboxes/storage/folder-rows.ts';
import { normalizeName } from '../../features/mailboxes/storage/folder-names.ts';
import { BadCommand, type CommandCursor } from '../../mail/imap/command-cursor.ts';
import { decodeMailboxName } from '../../mail/imap/mailbox-names.ts';
import { DELIMITER, writeFolderName } from '../session/folder-names.ts';
import { isUtf8, type CommandInput, type CommandResult, type UserSession } from '../session/session.ts';
import { readStatusItems, writeStatus, type StatusItem } from './status.ts';

const SPECIAL_USES: Record<string, string> = {
  archive: '\\Archive',
  sent: '\\Sent',
  drafts: '\\Drafts',
  spam: '\\Junk',
  trash: '\\Trash',
};

interface ListOptions {
  onlySubscribed: boolean;
  onlySpecialUse: boolean;
  recursive: boolean;
  showsSubscribed: boolean;
  status: StatusItem[] | null;
}

const MAX_PATTERNS = 50;

export async function list(session: UserSession, { cursor }: CommandInput): CommandResult {
  cursor.space();
  const options: ListOptions = {
    onlySubscribed: false,
    onlySpecialUse: false,
    recursive: false,
    showsSubscribed: false,
    status: null,
  };
  let isExtended = false;
  if (cursor.sees('(')) {
    isExtended = true;
    readSelection(cursor, options);
    cursor.space();
  }
  const reference = readPattern(session, () => cursor.astring());
  cursor.space();
  const isList = cursor.sees('(');
  const patterns = isList
    ? cursor.list(() => readPattern(session, () => cursor.listMailbox()))
    : [readPattern(session, () => cursor.listMailbox())];
  if (patterns.length > MAX_PATTERNS) throw new BadCommand('Too many patterns');
  if (cursor.take(' ')) {
    cursor.expect('RETURN ');
    readReturn(cursor, options);
    isExtended = true;
  }
  cursor.end();
  // In the old form, an empty pattern asks for the separator.
  if (patterns.length === 1 && patterns[0] === '' && !isList) {
    session.out.line(`* LIST (\\Noselect) "${DELIMITER}" ""`);
    return;
  }
  const folders = await listFolders(session.tools.db, session.login);
  const matchers = patterns.map((pattern) => toMatcher(reference + pattern));
  for (const folder of folders) {
    if (!matchers.some((matches) => matches(folder.name))) continue;
    const childIsSubscribed = options.recursive && hasSubscribedInside(folder, folders);
    const isMissing = options.onlySubscribed && !folder.subscribed;
    if (isMissing && !childIsSubscribed) continue;
    if (options.onlySpecialUse && !SPECIAL_USES[folder.id]) continue;
    const attributes = options.showsSubscribed || options.onlySubscribed;
    const childInfo = options.onlySubscribed && childIsSubscribed ? ' ("CHILDINFO" ("SUBSCRIBED"))' : '';
    session.out.line(writeListEntry(session, folder, folders, attributes) + childInfo);
    if (options.status) session.out.line(await writeStatus(session, folder, options.status));
  }
  return isExtended ? 'LIST completed' : undefined;
}

export async function lsub(session: UserSession, { cursor }: CommandInput): CommandResult {
  cursor.space();
  const reference = readPattern(session, () => cursor.astring());
  cursor.space();
  const pattern = reference + readPattern(session, () => cursor.listMailbox());
  const matches = toMatcher(pattern);
  cursor.end();
  const folders = await listFolders(session.tools.db, session.login);
  for (const folder of folders) {
    if (!matches(folder.name)) continue;
    if (folder.subscribed)
      session.out.line(writeListEntry(session, folder, folders).replace('* LIST', '* LSUB'));
    // RFC 3501 section 6.3.9: with %, a folder that is not subscribed stands for the subscribed ones inside it.
    else if (pattern.endsWith('%') && hasSubscribedInside(folder, folders))
      session.out.line(
        `* LSUB (\\Noselect \\HasChildren) "${DELIMITER}" ${writeFolderName(session, folder.name)}`,
      );
  }
}

function hasSubscribedInside({ name }: FolderRow, all: FolderRow[]): boolean {
  return all.some((child) => child.subscribed && child.name.startsWith(name + DELIMITER));
}

/** `all` are the folders that may be inside it. */
export function writeListEntry(
  session: UserSession,
  { id, name, subscribed }: FolderRow,
  all: FolderRow[],
  showsSubscribed = false,
): string {
  const hasChildren = all.some((other) => other.name.startsWith(name + DELIMITER));
  const attributes = [
    hasChildren ? '\\HasChildren' : '\\HasNoChildren',
    ...(SPECIAL_USES[id] ? [SPECIAL_USES[id]] : []),
    ...(showsSubscribed && subscribed ? ['\\Subscribed'] : []),
  ];
  return `* LIST (${attributes.join(' ')}) "${DELIMITER}" ${writeFolderName(session, name)}`;
}

function readSelection(cursor: CommandCursor, options: ListOptions): void {
  cursor.list(() => {
    const name = cursor.atom().toUpperCase();
    if (name === 'SUBSCRIBED') options.onlySubscribed = true;
    else if (name === 'SPECIAL-USE') options.onlySpecialUse = true;
    else if (name === 'RECURSIVEMATCH') options.recursive = true;
    else if (name !== 'REMOTE') throw new BadCommand(`Unknown option ${name.slice(0, 50)}`);
  });
  if (options.recursive && !options.onlySubscribed)
    throw new BadCommand('RECURSIVEMATCH needs another selection option');
}

function readReturn(cursor: CommandCursor, options: ListOptions): void {
  cursor.list(() => {
    const name = cursor.atom().toUpperCase();
    if (name === 'SUBSCRIBED') options.showsSubscribed = true;
    else if (name === 'STATUS') {
      cursor.space();
      options.status = readStatusItems(cursor);
    } else if (name !== 'CHILDREN' && name !== 'SPECIAL-USE')
      throw new BadCommand(`Unknown option ${name.slice(0, 50)}`);
  });
}

function readPattern(session: UserSession, read: () => string): string {
  const bytes = read();
  // A pattern that is not valid UTF-7 matches nothing, as no name has these bytes.
  return decodeMailboxName(bytes, isUtf8(session)) ?? bytes;
}

/** `*` matches everything, `%` everything within a level. Takes time in proportion to both lengths. */
function toMatcher(pattern: string): (name: string) => boolean {
  const wanted = normalizeName(pattern.replaceAll(/\*[*%]*/g, '*').replaceAll(/%+/g, '%'));
  return (name) => {
    let places = new Set([0]);
    for (const character of wanted) {
      const next = new Set<number>();
      for (const place of places) {
        if (character === '*' || character === '%') {
          for (let at = place; at <= name.length; at += 1) {
            next.add(at);
            if (character === '%' && name[at] === DELIMITER) break;
          }
        } else if (name[place] === character) next.add(place + 1);
      }
      places = next;
      if (places.size === 0) return false;
    }
    return places.has(name.length);
  };
}
