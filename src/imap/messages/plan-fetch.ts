/**
 * Decides how a FETCH is carried out. This file is pure: the readers of messages (`read-….ts`) read what the plan says,
 * and `write-messages.ts` writes its items, whichever reader it was.
 */
import type { ListedText } from '../../features/mailboxes/email-apps/listed-messages.ts';
import type { FetchItem, SimpleItem } from '../../mail/imap/fetch-items.ts';

export interface FetchPlan {
  /** The items in the order in which they are written. */
  items: FetchItem[];
  /** The items of a message that this FETCH marks as read: its flags have changed, so they are among them. */
  itemsOfMarked: FetchItem[];
  /**
   * - `flags`: the flags of a whole range, read from an index.
   * - `lists`: what lists of messages show, packed into one value for many messages.
   * - `rows`: rows of messages, and their structures if `structures` says so.
   * - `whole`: the same with the bytes of each message.
   */
  reader: 'flags' | 'lists' | 'rows' | 'whole';
  /** Only messages that have changed since this change number are shown. */
  changedSince: number | null;
  /** True if change numbers are needed to choose messages or to show them. */
  withModseq: boolean;
  /** True if bodies are read without PEEK, which marks their messages as read. */
  marks: boolean;
  /** The texts that are shown of the structure of a message. */
  texts: ListedText[];
  /** What is read of structures. `sizes`: only those of messages whose rows have no size. */
  structures: 'none' | 'sizes' | 'headers' | 'all';
  /** True if parts of messages are shown, so that they have to be parsed. */
  withTree: boolean;
}

/** The items that the index has. */
const IN_INDEX: SimpleItem[] = ['UID', 'FLAGS', 'MODSEQ'];
/** The items that lists have besides texts. */
const LISTED: SimpleItem[] = [...IN_INDEX, 'INTERNALDATE', 'RFC822.SIZE'];
const TEXTS: Partial<Record<SimpleItem, ListedText>> = {
  ENVELOPE: 'envelope',
  BODY: 'body',
  BODYSTRUCTURE: 'bodyStructure',
};
/** Reading a range costs more than reading rows if there are fewer messages, or if the range has more others. */
const RANGE = { leastMessages: 100, mostUidsPerMessage: 4 };

interface Asked {
  /** In increasing order. */
  uids: readonly number[];
  isUid: boolean;
  changedSince: number | null;
  /** No message of the folder can be marked as read. */
  isReadOnly: boolean;
}

export function planFetch(
  asked: readonly FetchItem[],
  { uids, isUid, changedSince, isReadOnly }: Asked,
): FetchPlan {
  const items = [...asked];
  if (isUid && !shows(items, 'UID')) items.unshift({ kind: 'simple', name: 'UID' });
  if (changedSince !== null && !shows(items, 'MODSEQ')) items.push({ kind: 'simple', name: 'MODSEQ' });
  const marks = !isReadOnly && items.some((item) => hasBytes(item) && !item.peek);
  const texts = [...new Set(items.flatMap((item) => textOf(item) ?? []))];
  return {
    items,
    itemsOfMarked: shows(items, 'FLAGS') ? items : [...items, { kind: 'simple', name: 'FLAGS' }],
    reader: chooseReader(items, { uids, changedSince, marks }),
    changedSince,
    withModseq: shows(items, 'MODSEQ'),
    marks,
    texts,
    structures: structuresFor(items, texts),
    withTree: items.some((item) => needsSource(item) && !isMessage(item)),
  };
}

export function shows(items: readonly FetchItem[], name: SimpleItem): boolean {
  return items.some((item) => item.kind === 'simple' && item.name === name);
}

function chooseReader(
  items: FetchItem[],
  { uids, changedSince, marks }: Pick<Asked, 'uids' | 'changedSince'> & { marks: boolean },
): FetchPlan['reader'] {
  if (items.some(needsSource)) return 'whole';
  const isInIndex = items.every((item) => item.kind === 'simple' && IN_INDEX.includes(item.name));
  if (isInIndex && isRange(uids)) return 'flags';
  const isListed = items.every(
    (item) => textOf(item) !== undefined || (item.kind === 'simple' && LISTED.includes(item.name)),
  );
  return isListed && !marks && changedSince === null ? 'lists' : 'rows';
}

function isRange(uids: readonly number[]): boolean {
  const { leastMessages, mostUidsPerMessage } = RANGE;
  return uids.length >= leastMessages && uids.at(-1)! - uids[0]! < uids.length * mostUidsPerMessage;
}

function structuresFor(items: FetchItem[], texts: ListedText[]): FetchPlan['structures'] {
  if (texts.some((text) => text !== 'header')) return 'all';
  if (texts.length > 0) return 'headers';
  return shows(items, 'RFC822.SIZE') ? 'sizes' : 'none';
}

/** Returns the text of the structure that an item shows. */
export function textOf(item: FetchItem): ListedText | undefined {
  if (item.kind === 'simple') return TEXTS[item.name];
  return item.kind === 'body' && isOfMessage(item) && item.section.what.startsWith('HEADER')
    ? 'header'
    : undefined;
}

export type SectionItem = Exclude<FetchItem, { kind: 'simple' }>;

function needsSource(item: FetchItem): item is SectionItem {
  return item.kind !== 'simple' && textOf(item) === undefined;
}

function hasBytes(item: FetchItem): item is Extract<FetchItem, { kind: 'body' | 'binary' }> {
  return item.kind === 'body' || item.kind === 'binary';
}

/** True if an item is of the message itself, not of one of its parts. */
function isOfMessage({ section }: SectionItem): boolean {
  return section.path.length === 0;
}

/** True if an item is all of the message. */
export function isMessage(item: SectionItem): boolean {
  return isOfMessage(item) && item.section.what === 'ALL';
}
