/** Writes `* n FETCH (…)`, the response with items of a message. There is no other writer, whoever reads the message. */
import type { FetchItem, SimpleItem } from '../../mail/imap/fetch-items.ts';
import { decodePart, filterHeaderText, findPart, sliceSection } from '../../mail/imap/sections.ts';
import { toBytes, writeDateTime, writeString } from '../../mail/imap/write-values.ts';
import { encodeId } from '../../platform/ids.ts';
import { writeFlags } from '../session/flags.ts';
import { announceKeywords } from '../session/keywords.ts';
import { Refusal, type FolderSession } from '../session/session.ts';
import type { FetchedMessage } from './fetched-message.ts';
import { isMessage, textOf, type SectionItem } from './plan-fetch.ts';

type Reader = Pick<FolderSession, 'selected' | 'out' | 'wire'>;
/** Bytes are not copied. The text comes before them. */
type Value = string | [text: string, bytes: Buffer];

/** The messages are in the order of their UIDs. Those that are not in the open folder are left out. */
export async function writeMessages(
  session: Reader,
  messages: Iterable<FetchedMessage>,
  { items, itemsOfMarked = items }: { items: readonly FetchItem[]; itemsOfMarked?: readonly FetchItem[] },
): Promise<void> {
  const { selected, out, wire } = session;
  let number = 0;
  for (const message of messages) {
    // Most messages follow the one before.
    number = selected.uids[number] === message.uid ? number + 1 : selected.numberOf(message.uid);
    if (number === 0) continue;
    writeMessage(session, number, message, message.isMarked ? itemsOfMarked : items);
    if (!out.isFull) continue;
    await out.flush();
    if (wire.isClosing) return;
  }
}

/** Nothing is written if an item is refused. */
function writeMessage(
  session: Reader,
  number: number,
  message: FetchedMessage,
  items: readonly FetchItem[],
): void {
  const before: (string | Buffer)[] = [];
  let text = `* ${number} FETCH (`;
  let space = '';
  for (const item of items) {
    const value =
      item.kind === 'simple' ? writeSimple(session, item.name, message) : writeSection(item, message);
    if (value === '') continue;
    if (typeof value === 'string') text += space + value;
    else {
      before.push(text + space + value[0], value[1]);
      text = '';
    }
    space = ' ';
  }
  for (const piece of before) session.out.write(piece);
  session.out.line(`${text})`);
}

/** Returns an empty text for a structure that a message does not have, because it was deleted in the meantime. */
function writeSimple(session: Reader, name: SimpleItem, message: FetchedMessage): string {
  switch (name) {
    case 'UID':
      return `UID ${message.uid}`;
    case 'FLAGS':
      if (message.labels) announceKeywords(session, message.labels);
      return `FLAGS ${writeFlags(message.flags, message.labels, session.selected.isRecent(message.uid))}`;
    case 'MODSEQ':
      return `MODSEQ (${message.modseq})`;
    case 'INTERNALDATE':
      return `INTERNALDATE ${writeDateTime(message.createdAt!)}`;
    case 'RFC822.SIZE':
      return `RFC822.SIZE ${message.size!}`;
    case 'EMAILID':
      return `EMAILID (${encodeId('msg', message.row!.id)})`;
    case 'THREADID':
      return `THREADID (${encodeId('thr', message.row!.threadId)})`;
    case 'SAVEDATE':
      return `SAVEDATE ${writeDateTime(message.row!.savedAt)}`;
    case 'PREVIEW':
      return `PREVIEW ${writeString(toBytes(message.row!.snippet))}`;
    case 'ENVELOPE':
      return message.envelope === undefined ? '' : `ENVELOPE ${message.envelope}`;
    case 'BODY':
      return message.body === undefined ? '' : `BODY ${message.body}`;
    case 'BODYSTRUCTURE':
      return message.bodyStructure === undefined ? '' : `BODYSTRUCTURE ${message.bodyStructure}`;
  }
}

function writeSection(item: SectionItem, message: FetchedMessage): Value {
  if (item.kind !== 'body') return writeBinary(item, message);
  if (textOf(item) === 'header') return writeHeader(item, message.header);
  const { section } = item;
  const { source, tree } = message;
  const bytes = isMessage(item) ? source : source && tree && sliceSection(source, tree, section);
  if (!bytes) return `${item.label} NIL`;
  const shown = cut(bytes, item);
  return [`${item.label} {${shown.length}}\r\n`, shown.includes(0) ? withoutNul(shown) : shown];
}

/** The header is a text, because lists of messages are written faster than as bytes. */
function writeHeader(item: Extract<FetchItem, { kind: 'body' }>, header: string | undefined): string {
  const { section, partial, label } = item;
  if (header === undefined) return `${label} NIL`;
  const asked =
    section.what === 'HEADER'
      ? header
      : filterHeaderText(header, section.fields, section.what === 'HEADER.FIELDS');
  const shown = partial ? asked.slice(partial.offset, partial.offset + partial.length) : asked;
  return `${label} {${shown.length}}\r\n${shown.replaceAll('\0', IN_PLACE_OF_NUL)}`;
}

function writeBinary(
  item: Extract<FetchItem, { kind: 'binary' | 'binary-size' }>,
  { source = null, tree }: FetchedMessage,
): Value {
  const { section } = item;
  const part = tree && findPart(tree, section.path);
  const decoded = isMessage(item) ? source : source && part && decodePart(source, part);
  if (part && !decoded) throw new Refusal('UNKNOWN-CTE', 'The part has an unknown transfer encoding');
  if (item.kind === 'binary-size') return `BINARY.SIZE[${section.text}] ${decoded?.length ?? 0}`;
  const label = `BINARY[${section.text}]${item.partial ? `<${item.partial.offset}>` : ''}`;
  if (!decoded) return `${label} NIL`;
  const shown = cut(decoded, item);
  // A literal8 is needed for bytes that include NUL (RFC 3516).
  return [`${label} ${shown.includes(0) ? '~' : ''}{${shown.length}}\r\n`, shown];
}

function cut(bytes: Buffer, { partial }: { partial: { offset: number; length: number } | null }): Buffer {
  return partial ? bytes.subarray(partial.offset, partial.offset + partial.length) : bytes;
}

/** NUL cannot occur in a literal. It is replaced by a character of the same length. */
const IN_PLACE_OF_NUL = '\x80';

function withoutNul(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => (byte === 0 ? 0x80 : byte)));
}
