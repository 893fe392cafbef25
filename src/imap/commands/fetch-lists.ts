/**
 * FETCH of the items that email apps show in a list of messages: flags, dates, sizes, header fields, ENVELOPE and
 * BODYSTRUCTURE.
 */
import {
  readListedMessages,
  type ListedMessage,
  type ListedText,
} from '../../features/mailboxes/email-apps/listed-messages.ts';
import type { FetchItem } from '../../mail/imap/fetch-items.ts';
import { filterHeaderText } from '../../mail/imap/sections.ts';
import { writeDateTime } from '../../mail/imap/write-values.ts';
import { writeFlagBits } from '../session/flags.ts';
import { announceKeywords } from '../session/report-changes.ts';
import type { SelectedFolder } from '../session/selected-folder.ts';
import type { FolderSession } from '../session/session.ts';
import { readAhead } from './read-ahead.ts';

/** The number of messages that one statement reads. */
const BATCH = 250;
/** Lines are collected up to this length before they are written. */
const PIECE_LENGTH = 32 * 1024;

const TEXTS: Record<string, ListedText> = {
  ENVELOPE: 'envelope',
  BODY: 'body',
  BODYSTRUCTURE: 'body_structure',
};
const OTHERS = ['UID', 'FLAGS', 'MODSEQ', 'INTERNALDATE', 'RFC822.SIZE'];

export function isHeaderOnly(item: FetchItem): boolean {
  return item.kind === 'body' && item.section.path.length === 0 && item.section.what.startsWith('HEADER');
}

/** True if only items of a list are requested, and reading them sets no flag. */
export function isList(items: FetchItem[]): boolean {
  return items.every((item) =>
    item.kind === 'simple'
      ? item.name in TEXTS || OTHERS.includes(item.name)
      : item.kind === 'body' && item.peek && isHeaderOnly(item),
  );
}

/** `fetchOthers` is called for messages that cannot be listed. */
export async function fetchList(
  session: FolderSession,
  uids: readonly number[],
  items: FetchItem[],
  fetchOthers: (uids: readonly number[]) => Promise<void>,
): Promise<void> {
  const { tools, login, selected } = session;
  const texts = [...new Set(items.flatMap((item) => textOf(item) ?? []))];
  const read = (asked: readonly number[]) =>
    readListedMessages(tools.db, login, selected.folder.id, asked, texts);
  for await (const [, { messages, others }] of readAhead(uids, BATCH, read)) {
    if (session.wire.isClosing) return;
    await writeMessages(session, messages, items, texts);
    await fetchOthers(others);
  }
}

function textOf(item: FetchItem): ListedText | undefined {
  return item.kind === 'simple' ? TEXTS[item.name] : 'header';
}

async function writeMessages(
  session: FolderSession,
  messages: ListedMessage[],
  items: FetchItem[],
  texts: ListedText[],
): Promise<void> {
  const { selected, out } = session;
  if (items.some((item) => item.kind === 'simple' && item.name === 'FLAGS'))
    announceKeywords(
      session,
      messages.map(({ labels = [] }) => ({ labels })),
    );
  let piece = '';
  for (const message of messages) {
    const number = selected.numberOf(message.uid);
    if (number === 0) continue;
    piece += `* ${number} FETCH (`;
    let space = '';
    for (const item of items) {
      piece += `${space}${writeItem(item, message, message.texts[texts.indexOf(textOf(item)!)]!, selected)}`;
      space = ' ';
    }
    piece += ')\r\n';
    if (piece.length < PIECE_LENGTH) continue;
    out.write(piece);
    piece = '';
    await out.drain();
  }
  out.write(piece);
  await out.drain();
}

/** `text` belongs to the item, if the item has one. */
function writeItem(item: FetchItem, message: ListedMessage, text: string, selected: SelectedFolder): string {
  if (item.kind === 'simple')
    switch (item.name) {
      case 'UID':
        return `UID ${message.uid}`;
      case 'FLAGS':
        return `FLAGS ${writeFlagBits(message.flags, message.labels, selected.isRecent(message.uid))}`;
      case 'MODSEQ':
        return `MODSEQ (${message.modseq})`;
      case 'INTERNALDATE':
        return `INTERNALDATE ${writeDateTime(message.createdAt)}`;
      case 'RFC822.SIZE':
        return `RFC822.SIZE ${message.size}`;
      default:
        return `${item.name} ${text}`;
    }
  if (item.kind !== 'body') return '';
  const { section, partial, label } = item;
  const header =
    section.what === 'HEADER'
      ? text
      : filterHeaderText(text, section.fields, section.what === 'HEADER.FIELDS');
  const shown = partial ? header.slice(partial.offset, partial.offset + partial.length) : header;
  return `${label} {${shown.length}}\r\n${shown}`;
}
