/** FETCH (RFC 9051 section 6.4.5) with CONDSTORE and QRESYNC (RFC 7162), BINARY, PREVIEW, SAVEDATE and OBJECTID. */
import { changeFlags } from '../../features/mailboxes/storage/change-flags.ts';
import { readMessages, type ProgramMessage } from '../../features/mailboxes/email-apps/message-rows.ts';
import {
  readSource,
  readStructures,
  type MessageStructure,
} from '../../features/mailboxes/email-apps/message-source.ts';
import { listChangesSince } from '../../features/mailboxes/storage/list-changes.ts';
import type { WholeMessage } from '../../features/mailboxes/email-apps/whole-messages.ts';
import { BadCommand, type CommandCursor } from '../../mail/imap/command-cursor.ts';
import { fetchFlags, isFlagsOnly } from './fetch-flags.ts';
import { fetchList, isHeaderOnly, isList } from './fetch-lists.ts';
import { readAhead } from './read-ahead.ts';
import { readWhole, WHOLE_BATCH } from './read-whole.ts';
import { readFetchItems, type FetchItem } from '../../mail/imap/fetch-items.ts';
import { parseMimeTree, type MimePart } from '../../mail/mime/parse/mime-tree.ts';
import { decodePart, filterHeader, findPart, sliceSection } from '../../mail/imap/sections.ts';
import { isInRanges, readSequenceSet, resolveRanges, writeSet } from '../../mail/imap/sequence-set.ts';
import { toBytes, writeDateTime, writeString } from '../../mail/imap/write-values.ts';
import { AppError } from '../../platform/errors.ts';
import { encodeId } from '../../platform/ids.ts';
import { writeFlags } from '../session/flags.ts';
import { announceKeywords } from '../session/report-changes.ts';
import type { SelectedFolder } from '../session/selected-folder.ts';
import {
  enableCondstore,
  Refusal,
  type CommandInput,
  type CommandResult,
  type FolderSession,
} from '../session/session.ts';

/** The number of messages that one statement reads if their bytes are not needed. */
const BATCH = 500;

export async function fetch(session: FolderSession, { cursor, isUid }: CommandInput): CommandResult {
  cursor.space();
  const set = readSequenceSet(cursor);
  cursor.space();
  const items = readFetchItems(cursor);
  const { changedSince, vanished } = readModifiers(session, cursor, isUid);
  cursor.end();
  if (isUid && !has(items, 'UID')) items.unshift({ kind: 'simple', name: 'UID' });
  if (has(items, 'MODSEQ')) enableCondstore(session);
  if (changedSince !== null && !has(items, 'MODSEQ')) items.push({ kind: 'simple', name: 'MODSEQ' });
  const { selected } = session;
  if (!isUid && selected.exceeds(set)) throw new BadCommand('There is no message with this number');
  const uids = selected.resolve(set, isUid, session.savedSearch);
  if (vanished) await reportVanished(session, changedSince!, set);
  if (isFlagsOnly(items, uids)) return fetchFlags(session, uids, items, changedSince);
  if (changedSince === null && isList(items))
    return fetchList(session, uids, items, (others) => fetchBatches(session, others, items, null));
  await fetchBatches(session, uids, items, changedSince);
}

function readModifiers(
  session: FolderSession,
  cursor: CommandCursor,
  isUid: boolean,
): { changedSince: number | null; vanished: boolean } {
  let changedSince: number | null = null;
  let vanished = false;
  if (cursor.take(' '))
    cursor.list(() => {
      const name = cursor.atom().toUpperCase();
      if (name === 'CHANGEDSINCE') {
        cursor.space();
        changedSince = cursor.number();
        enableCondstore(session);
      } else if (name === 'VANISHED' && isUid && session.enabled.has('QRESYNC')) vanished = true;
      else throw new BadCommand(`Unknown modifier ${name.slice(0, 50)}`);
    });
  if (vanished && changedSince === null) throw new BadCommand('VANISHED needs CHANGEDSINCE');
  return { changedSince, vanished };
}

async function reportVanished(
  { tools, login, selected, out }: FolderSession,
  since: number,
  set: ReturnType<typeof readSequenceSet>,
): Promise<void> {
  const changes = await listChangesSince(tools.db, login, since, { folder: selected.folder.id });
  const ranges = set === '$' ? null : resolveRanges(set, selected.folder.nextUid - 1);
  const isAsked = (uid: number) => ranges === null || isInRanges(ranges, uid);
  const gone = changes.vanished.map(({ uid }) => uid).filter((uid) => uid > 0 && isAsked(uid));
  const uids = [...new Set(gone)].toSorted((a, b) => a - b);
  if (uids.length > 0) out.line(`* VANISHED (EARLIER) ${writeSet(uids)}`);
}

function has(items: FetchItem[], name: string): boolean {
  return items.some((item) => item.kind === 'simple' && item.name === name);
}

/** True if an item needs the whole message, false if header and structure are enough. */
function needsSource(item: FetchItem): boolean {
  return item.kind !== 'simple' && !isHeaderOnly(item);
}

/** True if an item is a part of the message. */
function needsTree(item: FetchItem): boolean {
  return needsSource(item) && !isAll(item);
}

/** True if an item is the message itself. */
function isAll(item: FetchItem): boolean {
  return item.kind !== 'simple' && item.section.path.length === 0 && item.section.what === 'ALL';
}

const STRUCTURE_ITEMS = ['ENVELOPE', 'BODY', 'BODYSTRUCTURE', 'RFC822.SIZE'];

async function fetchBatches(
  session: FolderSession,
  uids: readonly number[],
  items: FetchItem[],
  changedSince: number | null,
): Promise<void> {
  if (items.some(needsSource)) return fetchWhole(session, uids, items, changedSince);
  const { tools, login, selected } = session;
  for (let at = 0; at < uids.length && !session.wire.isClosing; at += BATCH) {
    const asked = uids.slice(at, at + BATCH);
    const found = await readMessages(tools.db, login, selected.folder.id, asked, changedSince);
    await writeBatch(session, found, items);
  }
}

async function fetchWhole(
  session: FolderSession,
  uids: readonly number[],
  items: FetchItem[],
  changedSince: number | null,
): Promise<void> {
  const read = (asked: readonly number[]) => readWhole(session, asked, changedSince);
  for await (const [, found] of readAhead(uids, WHOLE_BATCH, read)) {
    if (session.wire.isClosing) return;
    await writeBatch(session, found, items);
  }
}

/** `bytes` is set if the bytes were read together with the message. */
type FetchedMessage = ProgramMessage & Partial<Pick<WholeMessage, 'bytes'>>;

async function writeBatch(
  session: FolderSession,
  found: FetchedMessage[],
  items: FetchItem[],
): Promise<void> {
  const { tools, login, selected, out } = session;
  const messages = await markAsRead(session, found, items);
  const needsStructure = items.some(
    (item) => isHeaderOnly(item) || (item.kind === 'simple' && STRUCTURE_ITEMS.includes(item.name)),
  );
  const onlyHeaders = !items.some(
    (item) => item.kind === 'simple' && STRUCTURE_ITEMS.slice(0, 3).includes(item.name),
  );
  const onlySize = !items.some(
    (item) =>
      isHeaderOnly(item) || (item.kind === 'simple' && STRUCTURE_ITEMS.slice(0, 3).includes(item.name)),
  );
  const wanted = onlySize ? messages.filter(({ size }) => size === null) : messages;
  const structures = needsStructure
    ? await readStructures(tools.db, login, wanted, { onlyHeaders })
    : new Map();
  if (has(items, 'FLAGS')) announceKeywords(session, messages);
  for (const message of messages) {
    const number = selected.numberOf(message.uid);
    if (number === 0 || session.wire.isClosing) continue;
    await writeMessage(session, number, message, items, structures.get(message.id));
    await out.drain();
  }
}

/** Reading a body without PEEK sets \Seen. The new flags are part of the response. */
async function markAsRead(
  session: FolderSession,
  messages: FetchedMessage[],
  items: FetchItem[],
): Promise<FetchedMessage[]> {
  const { tools, login, selected } = session;
  const marks = items.some((item) => (item.kind === 'body' || item.kind === 'binary') && !item.peek);
  const unread = messages.filter(({ read }) => !read).map(({ id }) => id);
  if (!marks || selected.isReadOnly || unread.length === 0) return messages;
  const { changed, modseq } = await changeFlags(tools.db, login, unread, { add: { flags: ['read'] } });
  tools.facts.hintMail();
  session.changeNumber = null;
  if (!has(items, 'FLAGS')) items.push({ kind: 'simple', name: 'FLAGS' });
  const ids = new Set(changed.map(({ id }) => id));
  return messages.map((message) => (ids.has(message.id) ? { ...message, read: true, modseq } : message));
}

async function writeMessage(
  session: FolderSession,
  number: number,
  message: FetchedMessage,
  items: FetchItem[],
  structure: MessageStructure | undefined,
): Promise<void> {
  const { out } = session;
  const pieces: (string | Buffer)[] = [`* ${number} FETCH (`];
  const source = items.some(needsSource) ? (message.bytes ?? (await findSource(session, message))) : null;
  const tree = source && items.some(needsTree) ? parseMimeTree(source) : null;
  let isFirst = true;
  for (const item of items) {
    const values =
      item.kind === 'simple'
        ? [writeSimple(item.name, message, structure, session.selected)]
        : isHeaderOnly(item)
          ? writeHeader(item, structure)
          : writePart(item, source, tree);
    if (values.length === 0 || values[0] === '') continue;
    if (!isFirst) pieces.push(' ');
    isFirst = false;
    pieces.push(...values);
  }
  pieces.push(')\r\n');
  for (const piece of pieces) out.write(piece);
}

/** Returns null if the message was deleted in the meantime, or its bytes are lost. */
async function findSource({ tools, login }: FolderSession, message: ProgramMessage): Promise<Buffer | null> {
  try {
    return await readSource(tools.db, login, message);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

function writeSimple(
  name: string,
  message: ProgramMessage,
  structure: MessageStructure | undefined,
  selected: SelectedFolder,
): string {
  switch (name) {
    case 'UID':
      return `UID ${message.uid}`;
    case 'FLAGS':
      return `FLAGS ${writeFlags(message, selected.isRecent(message.uid))}`;
    case 'INTERNALDATE':
      return `INTERNALDATE ${writeDateTime(message.createdAt)}`;
    case 'RFC822.SIZE':
      return `RFC822.SIZE ${structure?.size ?? message.size ?? 0}`;
    case 'MODSEQ':
      return `MODSEQ (${message.modseq})`;
    case 'EMAILID':
      return `EMAILID (${encodeId('msg', message.id)})`;
    case 'THREADID':
      return `THREADID (${encodeId('thr', message.threadId)})`;
    case 'SAVEDATE':
      return `SAVEDATE ${writeDateTime(message.savedAt)}`;
    case 'PREVIEW':
      return `PREVIEW ${writeString(toBytes(message.snippet))}`;
    // A message that was deleted in the meantime has no structure.
    case 'ENVELOPE':
      return structure ? `ENVELOPE ${structure.envelope}` : '';
    case 'BODY':
      return structure ? `BODY ${structure.body}` : '';
    default:
      return structure ? `BODYSTRUCTURE ${structure.bodyStructure}` : '';
  }
}

function writeHeader(item: FetchItem, structure: MessageStructure | undefined): (string | Buffer)[] {
  if (item.kind !== 'body') return [];
  const { section } = item;
  if (!structure) return [`${item.label} NIL`];
  const header =
    section.what === 'HEADER'
      ? structure.header
      : filterHeader(structure.header, section.fields, section.what === 'HEADER.FIELDS');
  return writeBytes(item.label, cut(header, item.partial), false);
}

function writePart(item: FetchItem, source: Buffer | null, tree: MimePart | null): (string | Buffer)[] {
  if (item.kind === 'simple') return [];
  const { section } = item;
  if (item.kind === 'body') {
    const bytes = isAll(item) ? source : source && tree && sliceSection(source, tree, section);
    return bytes ? writeBytes(item.label, cut(bytes, item.partial), false) : [`${item.label} NIL`];
  }
  const part = tree && findPart(tree, section.path);
  const decoded = isAll(item) ? source : source && part && decodePart(source, part);
  if (part && !decoded) throw new Refusal('UNKNOWN-CTE', 'The part has an unknown transfer encoding');
  if (item.kind === 'binary-size') return [`BINARY.SIZE[${section.text}] ${decoded?.length ?? 0}`];
  const label = `BINARY[${section.text}]${item.partial ? `<${item.partial.offset}>` : ''}`;
  return decoded ? writeBytes(label, cut(decoded, item.partial), true) : [`${label} NIL`];
}

function cut(bytes: Buffer, partial: { offset: number; length: number } | null): Buffer {
  return partial ? bytes.subarray(partial.offset, partial.offset + partial.length) : bytes;
}

/** A literal8 is needed for bytes that include NUL (RFC 3516). */
function writeBytes(label: string, bytes: Buffer, isBinary: boolean): (string | Buffer)[] {
  const hasNul = bytes.includes(0);
  const marker = isBinary && hasNul ? '~' : '';
  // NUL cannot occur in a literal. It is replaced by a character of the same length.
  const shown = hasNul && !isBinary ? Buffer.from(bytes.map((byte) => (byte === 0 ? 0x80 : byte))) : bytes;
  return [`${label} ${marker}{${shown.length}}\r\n`, shown];
}
