/** LIST with its extensions (RFC 5258, 5819, 6154), and LSUB. */
import { listFolders, type FolderRow } from '../../features/mailboxes/storage/folder-rows.ts';
import { normalizeName } from '../../features/mailboxes/storage/folder-names.ts';
import { listSubscribedNames } from '../../features/mailboxes/storage/subscribed-names.ts';
import { BadCommand, type CommandCursor } from '../../mail/imap/command-cursor.ts';
import { decodeMailboxName } from '../../mail/imap/mailbox-names.ts';
import { runYielding } from '../../platform/concurrency/run-yielding.ts';
import { DELIMITER, writeFolderName } from '../session/folder-names.ts';
import { isUtf8, type CommandInput, type CommandResult, type UserSession } from '../session/session.ts';
import { readStatusItems, writeStatus, type StatusItem } from './status.ts';

const SPECIAL_USES: Record<string, string> = {
  archive: '\\Archive',
  sent: '\\Sent',
  drafts: '\\Drafts',
  spam: '\\Junk',
  trash: '\\Trash',
  // RFC 9979.
  snoozed: '\\Snoozed',
};

interface ListOptions {
  onlySubscribed: boolean;
  onlySpecialUse: boolean;
  recursive: boolean;
  showsSubscribed: boolean;
  status: StatusItem[] | null;
}

const MAX_PATTERNS = 50;
/** The total length of all patterns. */
const MAX_PATTERN_LENGTH = 2_000;

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
  // In the old form, an empty pattern requests the separator.
  if (patterns.length === 1 && patterns[0] === '' && !isList) {
    session.out.line(`* LIST (\\Noselect) "${DELIMITER}" ""`);
    return;
  }
  await writeFolders(
    session,
    options,
    patterns.map((pattern) => reference + pattern),
  );
  return isExtended ? 'LIST completed' : undefined;
}

async function writeFolders(session: UserSession, options: ListOptions, patterns: string[]): Promise<void> {
  const folders: ListedFolder[] = options.onlySubscribed
    ? await listSubscribed(session)
    : await listFolders(session.tools.db, session.login);
  const asked = await findMatching(folders, patterns);
  for (const folder of folders) {
    if (!asked.has(folder.name)) continue;
    // RFC 5258 section 3.5: child folders that are listed themselves are not mentioned again.
    const hasMore =
      options.recursive && subscribedInside(folder, folders).some((child) => !asked.has(child.name));
    if (options.onlySubscribed && !folder.subscribed && !hasMore) continue;
    if (options.onlySpecialUse && !SPECIAL_USES[folder.id]) continue;
    const attributes = options.showsSubscribed || options.onlySubscribed;
    const childInfo = hasMore ? ' ("CHILDINFO" ("SUBSCRIBED"))' : '';
    session.out.line(writeListEntry(session, folder, folders, attributes) + childInfo);
    if (options.status && 'nextUid' in folder)
      session.out.line(await writeStatus(session, folder, options.status));
  }
}

export async function lsub(session: UserSession, { cursor }: CommandInput): CommandResult {
  cursor.space();
  const reference = readPattern(session, () => cursor.astring());
  cursor.space();
  const pattern = reference + readPattern(session, () => cursor.listMailbox());
  cursor.end();
  const folders = await listSubscribed(session);
  const asked = await findMatching(folders, [pattern]);
  for (const folder of folders) {
    if (!asked.has(folder.name)) continue;
    if (folder.subscribed)
      session.out.line(
        writeListEntry(session, folder, folders)
          .replace('* LIST', '* LSUB')
          .replace('\\NonExistent', '\\Noselect'),
      );
    // RFC 3501 section 6.3.9: with %, a folder that is not subscribed is listed if subscribed folders are inside it.
    else if (pattern.endsWith('%') && subscribedInside(folder, folders).length > 0)
      session.out.line(
        `* LSUB (\\Noselect \\HasChildren) "${DELIMITER}" ${writeFolderName(session, folder.name)}`,
      );
  }
}

/**
 * Returns the names that match a pattern. Comparing a thousand names with fifty long patterns takes a second, so this
 * yields to the event loop.
 */
async function findMatching(folders: ListedFolder[], patterns: string[]): Promise<Set<string>> {
  const length = patterns.join('').length;
  if (length > MAX_PATTERN_LENGTH) throw new BadCommand('The patterns are too long');
  const matchers = patterns.map(toMatcher);
  const found = new Set<string>();
  for (const { name } of folders)
    if (await runYielding(length * name.length, () => matchers.some((matches) => matches(name))))
      found.add(name);
  return found;
}

/** A folder, or a subscribed name for which no folder exists. */
type ListedFolder = FolderRow | { id: ''; name: string; subscribed: boolean };

/** Returns the folders, the subscribed names without a folder, and the parents of those names. */
async function listSubscribed({ tools, login }: UserSession): Promise<ListedFolder[]> {
  const [folders, names] = await Promise.all([
    listFolders(tools.db, login),
    listSubscribedNames(tools.db, login),
  ]);
  const known = new Set(folders.map(({ name }) => name));
  const missing = new Map<string, ListedFolder>();
  for (const name of names) {
    const levels = name.split(DELIMITER);
    for (let depth = 1; depth < levels.length; depth += 1) {
      const above = levels.slice(0, depth).join(DELIMITER);
      if (!known.has(above) && !missing.has(above))
        missing.set(above, { id: '', name: above, subscribed: false });
    }
    if (!known.has(name)) missing.set(name, { id: '', name, subscribed: true });
  }
  return [...folders, ...missing.values()];
}

function subscribedInside({ name }: ListedFolder, all: ListedFolder[]): ListedFolder[] {
  return all.filter((child) => child.subscribed && child.name.startsWith(name + DELIMITER));
}

/** `all` are the folders that may be inside this one. */
export function writeListEntry(
  session: UserSession,
  { id, name, subscribed }: ListedFolder,
  all: ListedFolder[],
  showsSubscribed = false,
): string {
  const hasChildren = all.some((other) => other.id !== '' && other.name.startsWith(name + DELIMITER));
  const attributes = [
    ...(id === '' ? ['\\NonExistent'] : [hasChildren ? '\\HasChildren' : '\\HasNoChildren']),
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
  // A pattern that is not valid UTF-7 matches nothing, because no name has these bytes.
  return decodeMailboxName(bytes, isUtf8(session)) ?? bytes;
}

/**
 * `*` matches everything, `%` everything within a level. The time grows with the product of both lengths: for each
 * prefix of the pattern, an array marks with 1 the positions in the name at which a match can end.
 */
function toMatcher(pattern: string): (name: string) => boolean {
  const wanted = normalizeName(pattern.replaceAll(/\*[*%]*/g, '*').replaceAll(/%+/g, '%'));
  return (name) => {
    let places = new Uint8Array(name.length + 1);
    places[0] = 1;
    for (const character of wanted) {
      const next = new Uint8Array(name.length + 1);
      let isOpen = false;
      for (let at = 0; at <= name.length; at += 1) {
        if (character === '*' || character === '%') {
          isOpen ||= places[at] === 1;
          if (isOpen) next[at] = 1;
          if (character === '%' && name[at] === DELIMITER) isOpen = false;
        } else if (places[at] === 1 && name.startsWith(character, at)) next[at + character.length] = 1;
      }
      places = next;
      if (!places.includes(1)) return false;
    }
    return places[name.length] === 1;
  };
}
