/**
 * Finds the addresses in a field that names people. Whatever looks like an address counts, also within a name, a comment
 * or a group. Mail software disagrees about addresses with quotes, comments or spaces (`"spy"@example.net`,
 * `spy (x) @example.net`, `ada@example.com .example.net`), so these are unreadable.
 */
import { parseAddress } from '../../../mail/mime/address.ts';
import { decodeWords } from '../../../mail/mime/parse/encoded-words.ts';
import { UNREADABLE } from './decide-policy.ts';

const WORD = /[^\s<>"(),:;[\]\\]+/g;
/** An at sign beside what software may drop or take for a part of the address. */
const BESIDE_SPECIAL = /[")\]\\]@|@["(<[\\]/;

/** The keys of the addresses. What looks like an address and is none counts as it is. */
export function addressKeysIn(value: string): string[] {
  const decoded = decodeWords(value);
  const found = [...new Set([value, decoded])].flatMap(addressesIn).map(toKey);
  const isUnreadable =
    hasUnreadable(withoutNames(value)) || (decoded !== value && BESIDE_SPECIAL.test(decoded));
  return isUnreadable ? [...found, UNREADABLE] : found;
}

/** A word with several @ is taken apart, because mail software disagrees about it. */
function addressesIn(text: string): string[] {
  return [...text.matchAll(WORD)].flatMap(([word]) => {
    const parts = word.split('@');
    return parts.slice(1).flatMap((domain, at) => {
      const local = parts[at]!;
      return local === '' || domain === '' ? [] : [`${local}@${domain.split(/[?&]/, 1)[0]}`];
    });
  });
}

function toKey(written: string): string {
  let end = written.length;
  while (written[end - 1] === '.') end--;
  const bare = written.slice(0, end);
  return parseAddress(bare)?.key ?? bare.toLowerCase();
}

function hasUnreadable(text: string): boolean {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!word.includes('@')) continue;
    if (word.split('@').includes('')) return true;
    const before = text[index - 1] ?? '';
    const after = text[index + word.length] ?? '';
    if ('")]\\'.includes(before || ' ') || '"[\\'.includes(after || ' ')) return true;
    if (nextTo(text, index - 1, -1) === '.' || nextTo(text, index + word.length, 1) === '.') return true;
  }
  return false;
}

/** The next character that belongs neither to a space nor to a comment. */
function nextTo(text: string, from: number, step: 1 | -1): string | undefined {
  let at = from;
  while (/[\s()]/.test(text[at] ?? '')) at += step;
  return text[at];
}

/** Empties quoted names and comments, as an at sign there makes no address. Leaves a text as it is if one has no end. */
function withoutNames(value: string): string {
  let bare = '';
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const character = value[at]!;
    const isInside = isQuoted || depth > 0;
    if (isInside && character === '\\') at++;
    else if (character === '"' && depth === 0) isQuoted = !isQuoted;
    else if (character === '(' && !isQuoted) depth++;
    else if (character === ')' && depth > 0) depth--;
    else if (isInside) continue;
    if (!isInside || (!isQuoted && depth === 0)) bare += character;
  }
  return isQuoted || depth > 0 ? value : bare;
}
