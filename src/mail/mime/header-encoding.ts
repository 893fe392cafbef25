/**
 * Encodes header fields: folding (RFC 5322 section 2.2.3), encoded words for text that is not ASCII (RFC 2047),
 * domains in A-labels. Input cannot end a line, because control characters are replaced by spaces first.
 */
import type { Address, NamedAddress } from './address.ts';

// RFC 2047 section 2 allows 76 characters on a line with encoded words, RFC 5322 allows 78 on others. 76 suits
// both.
const LINE = 76;
const ENCODED_WORD = 75;
const WORD_FRAME = '=?UTF-8?Q??='.length;
// RFC 5322 section 2.1.1 limits lines to 998 characters. A word of this length is split.
const LONGEST_WORD = 800;
// The characters that need no escaping in a phrase in Q encoding (RFC 2047 section 5, rule 3).
const Q_PLAIN = tableOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*+-/ ');

const LINE_ENDING = /[\p{Cc}\u2028\u2029]/u;
const LINE_ENDINGS = /[\p{Cc}\u2028\u2029]+/gu;
// Text that contains "=?" is encoded too, or the receiver would decode it.
const NEEDS_ENCODING = /[^ -~]|=\?/;
const UNBROKEN = new RegExp(`[^ ]{${LONGEST_WORD}}`);
const ATOMS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const NO_LOCAL_CHARACTERS = /[\p{Cc}\p{Z}"(),:;<>@[\\\]]+/gu;
const NO_HOST_CHARACTERS = /[^A-Za-z0-9.-]+/g;

/** Replaces everything that could end a header line with spaces. */
export function toOneLine(text: string): string {
  return LINE_ENDING.test(text) ? text.replaceAll(LINE_ENDINGS, ' ').trim() : text.trim();
}

/** Returns a whole field with its line break, folded at spaces. `value` must be a single line. */
export function foldHeader(name: string, value: string): string {
  return name.length + 2 + value.length <= LINE ? `${name}: ${value}\r\n` : foldWords(name, value.split(' '));
}

/** An empty word stands for an additional space. */
function foldWords(name: string, words: string[]): string {
  let folded = '';
  let line = `${name}:`;
  let gap = ' ';
  let isFirst = true;
  for (const word of words) {
    if (word === '') {
      gap = gap.length < LINE ? `${gap} ` : ' ';
      continue;
    }
    // The first word stays on the line of the name, however long it is: some parsers treat an empty first line as an
    // empty field.
    if (!isFirst && line.length + gap.length + word.length > LINE) {
      folded += `${line}\r\n`;
      line = gap;
    } else {
      line += gap;
    }
    line += word.length > LONGEST_WORD ? breakWord(word) : word;
    gap = ' ';
    isFirst = false;
  }
  return `${folded}${line}\r\n`;
}

/** Unstructured text (RFC 5322 section 3.2.5): the subject and headers without a known grammar. */
export function foldText(name: string, text: string): string {
  const value = toOneLine(text);
  const needsWords = NEEDS_ENCODING.test(value) || UNBROKEN.test(value);
  return foldHeader(name, needsWords ? encodeWords(value, LINE - name.length - 2) : value);
}

export function foldMailboxes(name: string, mailboxes: NamedAddress[]): string {
  const words: string[] = [];
  for (const [index, mailbox] of mailboxes.entries()) {
    words.push(...formatMailbox(mailbox, index === 0 ? LINE - name.length - 2 : ENCODED_WORD));
    if (index < mailboxes.length - 1) words[words.length - 1] += ',';
  }
  return foldWords(name, words);
}

/**
 * Encodes text as encoded words without splitting a character. The first word has at most `firstLength`
 * characters.
 */
export function encodeWords(text: string, firstLength = ENCODED_WORD): string {
  const wellFormed = text.toWellFormed();
  const byteLength = Buffer.byteLength(wellFormed);
  let plain = 0;
  for (let at = 0; at < wellFormed.length; at += 1) plain += Q_PLAIN[wellFormed.charCodeAt(at)] ?? 0;
  const isQ = plain + (byteLength - plain) * 3 <= (byteLength * 4) / 3;

  const words: string[] = [];
  let content = '';
  let used = 0;
  // A character takes at most 12 bytes, so every word has space for at least one.
  let space = Math.max(Math.min(firstLength, ENCODED_WORD) - WORD_FRAME, 12);
  for (const character of wellFormed) {
    const size = isQ ? qLength(character) : Buffer.byteLength(character);
    if (content !== '' && used + size > (isQ ? space : Math.floor(space / 4) * 3)) {
      words.push(encodeWord(content, isQ));
      content = '';
      used = 0;
      space = ENCODED_WORD - WORD_FRAME;
    }
    content += character;
    used += size;
  }
  words.push(encodeWord(content, isQ));
  return words.join(' ');
}

/**
 * Returns words at which the line may be folded. Quoted text could be folded too, but not every parser supports that.
 */
function formatMailbox(mailbox: NamedAddress, firstLength: number): string[] {
  const address = formatAddress(mailbox);
  const name = mailbox.name === null ? '' : toOneLine(mailbox.name);
  if (name === '') return [address];
  if (NEEDS_ENCODING.test(name) || name.length > LINE) {
    return [...encodeWords(name, firstLength).split(' '), `<${address}>`];
  }
  return ATOMS.test(name) ? [...name.split(' '), `<${address}>`] : [quote(name), `<${address}>`];
}

/**
 * Keeps the local part and writes the domain in A-labels. Characters that parseAddress rejects are removed: they would
 * be legal inside quotes, but some parsers find a second address in quoted text.
 */
function formatAddress({ email, domain }: Address): string {
  const local = email.slice(0, email.lastIndexOf('@')).replaceAll(NO_LOCAL_CHARACTERS, '');
  return `${local}@${domain.replaceAll(NO_HOST_CHARACTERS, '')}`;
}

/** RFC 5322 section 3.3, in UTC. */
export function formatDate(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000');
}

export function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

function encodeWord(content: string, isQ: boolean): string {
  if (!isQ) return `=?UTF-8?B?${Buffer.from(content).toString('base64')}?=`;
  let encoded = '';
  for (const byte of Buffer.from(content)) {
    if (byte === 0x20) encoded += '_';
    else if (Q_PLAIN[byte]) encoded += String.fromCharCode(byte);
    else encoded += `=${byte < 16 ? '0' : ''}${byte.toString(16).toUpperCase()}`;
  }
  return `=?UTF-8?Q?${encoded}?=`;
}

function qLength(character: string): number {
  return Q_PLAIN[character.charCodeAt(0)] ? 1 : Buffer.byteLength(character) * 3;
}

function breakWord(word: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < word.length; at += LONGEST_WORD) pieces.push(word.slice(at, at + LONGEST_WORD));
  return pieces.join('\r\n ');
}

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}
