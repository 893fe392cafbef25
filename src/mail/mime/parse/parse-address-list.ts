/**
 * Parses the address lists of header fields in one pass, including the invalid ones of old email apps: names with or
 * without quotes, comments, groups, semicolons instead of commas, missing brackets. Any input gives a result. Encoded
 * words must not contain separators (`toUtf8Words`).
 *
 * An address is taken from text in brackets, else from text outside quotes, and from text in quotes only if there is
 * nothing else: in `"boss@example.com" <mallory@example.net>` the sender is Mallory.
 */
import { decodeWords } from './encoded-words.ts';

export interface ListedAddress {
  /** Decoded, may be empty. */
  name: string;
  /** The address is not checked. It is empty when there is only a name. */
  address: string;
  /** Set if the entry has another address that other software could take instead. */
  isAmbiguous?: true;
}

/** The start of a group, with its decoded name, or the end of one. */
export interface GroupMark {
  group: string | null;
}

export type ListEntry = ListedAddress | GroupMark;

interface Piece {
  text: string;
  isQuoted: boolean;
}

/** The parts of one address that were found, in the order of the list. */
interface Item {
  text: Piece[];
  comments: Piece[];
  addresses: string[];
}

const CLOSED_BY: Record<string, string> = { '"': '"', '(': ')', '<': '>' };
const BARE_ADDRESS = /^[^@\s]+@[^@\s]+$/;
const ONLY_ENCODED_WORDS = /^=\?[^?\s]+\?[QqBb]\?[^?]*\?=$/;
const ADDRESS_IN_BRACKETS = /<[^<>@]+@[^<>]+>/;

export function parseAddressList(list: string): ListedAddress[] {
  return parseEntries(list).filter((entry) => 'address' in entry);
}

/** Also returns where groups start and end (RFC 5322 section 3.4). */
export function parseEntries(list: string): ListEntry[] {
  return splitItems(list).flatMap((item): ListEntry[] => ('group' in item ? [item] : readItem(item)));
}

function splitItems(list: string): (Item | GroupMark)[] {
  const items: (Item | GroupMark)[] = [];
  let isInGroup = false;
  let item: Item = { text: [], comments: [], addresses: [] };
  let text = '';
  /** The character that ends quotes, a comment or brackets, while inside. */
  let closedBy = '';
  /** The offset at which the comment ends if it has comments or escaped brackets in it. */
  let commentEnd = 0;
  const commentEnds = findCommentEnds(list);
  /** After `"a"` or `(c)`, text without a space continues the text before it: `"a"@b.example`. */
  let continues = false;
  for (let at = 0; at < list.length; at += 1) {
    const character = list[at]!;
    if (closedBy !== '') {
      if (character === '\\' && (closedBy === '"' || at < commentEnd))
        text += readable(list[(at += 1)] ?? '');
      else if (character === closedBy && at >= commentEnd) {
        endText();
        closedBy = '';
        continues = !/[\s,;]/.test(list[at + 1] ?? ' ');
      } else text += readable(character);
    } else if (character in CLOSED_BY) {
      endText();
      closedBy = CLOSED_BY[character]!;
      commentEnd = commentEnds.get(at) ?? 0;
      continues = false;
    } else if (character === ',' || character === ';') {
      endText();
      items.push(item);
      if (character === ';') endGroup();
      item = { text: [], comments: [], addresses: [] };
      continues = false;
    } else if (character === ':') {
      // This was the name of a group. Its members follow, up to a semicolon.
      endText();
      endGroup();
      const named = item.text.length > 0 ? item.text : item.comments;
      items.push({ group: decodeWords(named.map((piece) => piece.text).join(' ')) });
      isInGroup = true;
      item = { text: [], comments: [], addresses: [] };
      continues = false;
    } else text += readable(character);
  }
  endText();
  items.push(item);
  endGroup();
  return items;

  function endGroup(): void {
    if (isInGroup) items.push({ group: null });
    isInGroup = false;
  }

  function endText(): void {
    const trimmed = text.trim();
    text = '';
    if (trimmed === '') return;
    if (closedBy === '>') item.addresses.push(trimmed.slice(trimmed.indexOf('<') + 1).trimStart());
    else {
      const pieces = closedBy === ')' ? item.comments : item.text;
      const last = pieces.at(-1);
      if (continues && last) last.text += trimmed;
      else pieces.push({ text: trimmed, isQuoted: closedBy === '"' });
    }
    continues = false;
  }
}

/**
 * Returns the end of each comment by its start (RFC 5322 section 3.2.2): a comment can have others and escaped brackets
 * in it. A comment without an end is left out, and ends at the first bracket.
 */
function findCommentEnds(list: string): Map<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  let isQuoted = false;
  for (let at = 0; at < list.length; at += 1) {
    const character = list[at];
    if (character === '\\' && (isQuoted || open.length > 0)) at += 1;
    else if (character === '"' && open.length === 0) isQuoted = !isQuoted;
    else if (character === '(' && !isQuoted) open.push(at);
    else if (character === ')' && open.length > 0) ends.set(open.pop()!, at);
  }
  return ends;
}

/** Drops control characters and turns a line break into a space. */
function readable(character: string): string {
  if (character === '\n') return ' ';
  return character >= ' ' || character === '\t' ? character : '';
}

function readItem({ text, comments, addresses }: Item): ListedAddress[] {
  // Some email apps write the name as a comment: `ada@example.com (Ada)`.
  let names = text.length > 0 ? text : comments;
  const [address = takeAddress(names), ...others] = addresses;
  const isTaken = addresses.length === 0;
  const isAmbiguous =
    others.some((other) => other.includes('@')) ||
    (isTaken && text.some((piece) => !piece.isQuoted && piece.text.includes('@')));
  names = names.filter((piece) => piece.text !== '');
  if (names.length === 0) names = comments;
  const name = [...names.map((piece) => piece.text), ...others].join(' ');
  // A comment alone, as in an empty group, is not an address.
  if (address === '' && (name === '' || (text.length === 0 && isTaken && !name.includes('@')))) return [];
  if (address === '' && ONLY_ENCODED_WORDS.test(name)) return readEncoded(decodeWords(name));
  if (address !== '') {
    const found = { name: name === address ? '' : decodeWords(name), address };
    return [isAmbiguous ? { ...found, isAmbiguous } : found];
  }
  return name.includes('@') ? [{ name: '', address: name }] : [{ name: decodeWords(name), address: '' }];
}

/** Removes the last address outside quotes from the text and returns it, or an empty string. */
function takeAddress(pieces: Piece[]): string {
  const open = pieces.filter((piece) => !piece.isQuoted).toReversed();
  const bare = open.find((piece) => BARE_ADDRESS.test(piece.text));
  if (bare) {
    const address = bare.text;
    bare.text = '';
    return address;
  }
  for (const piece of open) {
    for (const [word] of piece.text.matchAll(/\S+/g)) {
      const found = /^[^@\w]*(\w[^@]*@.*\w)/.exec(word)?.[1];
      if (found === undefined) continue;
      const start = piece.text.indexOf(found);
      const before = piece.text.slice(0, start).trimEnd();
      const after = piece.text.slice(start + found.length).trimStart();
      piece.text = `${before} ${after}`.trim();
      return found;
    }
  }
  return '';
}

/** Some email apps encode name and address together. */
function readEncoded(decoded: string): ListedAddress[] {
  return ADDRESS_IN_BRACKETS.test(decoded) ? parseAddressList(decoded) : [{ name: decoded, address: '' }];
}
