/**
 * Header fields as they go over the wire: folded (RFC 5322 section 2.2.3), with encoded words where they are not
 * ASCII (RFC 2047), domains in A-labels. Nothing that is given to these functions can end a line: every control
 * character becomes a space before anything else is done.
 */
import type { Address, Mailbox } from './address.ts';

// RFC 2047 section 2 allows 76 on a line that holds encoded words, RFC 5322 allows 78 on others: 76 suits both.
const LINE = 76;
const ENCODED_WORD = 75;
const WORD_FRAME = '=?UTF-8?Q??='.length;
// RFC 5322 section 2.1.1 ends a line at 998. A single word of this length is broken by force.
const LONGEST_WORD = 800;
// In a phrase only these may stand for themselves in the Q encoding (RFC 2047 section 5, rule 3).
const Q_PLAIN = tableOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*+-/ ');

const LINE_ENDING = /[\p{Cc}\u2028\u2029]/u;
const LINE_ENDINGS = /[\p{Cc}\u2028\u2029]+/gu;
// Text that holds "=?" is encoded too: it would be decoded on arrival into something that nobody wrote.
const NEEDS_ENCODING = /[^ -~]|=\?/;
const UNBROKEN = new RegExp(`[^ ]{${LONGEST_WORD}}`);
const ATOMS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const NO_LOCAL_CHARACTERS = /[\p{Cc}\p{Z}"(),:;<>@[\\\]]+/gu;
const NO_HOST_CHARACTERS = /[^A-Za-z0-9.-]+/g;

/** One line of text: what could end a header, or be taken for the end of one, is a space. */
export function toOneLine(text: string): string {
  return LINE_ENDING.test(text) ? text.replaceAll(LINE_ENDINGS, ' ').trim() : text.trim();
}

/** A whole field with its line end, folded at spaces. `value` holds one line. */
export function foldHeader(name: string, value: string): string {
  return name.length + 2 + value.length <= LINE ? `${name}: ${value}\r\n` : foldWords(name, value.split(' '));
}

/** An empty word is one more space. */
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
    // The first word stays beside the name, however long it is: some readers take an empty first line for an
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

/** Free text (RFC 5322 section 3.2.5): the subject and headers without a grammar that we know. */
export function foldText(name: string, text: string): string {
  const value = toOneLine(text);
  const needsWords = NEEDS_ENCODING.test(value) || UNBROKEN.test(value);
  return foldHeader(name, needsWords ? encodeWords(value, LINE - name.length - 2) : value);
}

export function foldMailboxes(name: string, mailboxes: Mailbox[]): string {
  const words: string[] = [];
  for (const [index, mailbox] of mailboxes.entries()) {
    words.push(...formatMailbox(mailbox, index === 0 ? LINE - name.length - 2 : ENCODED_WORD));
    if (index < mailboxes.length - 1) words[words.length - 1] += ',';
  }
  return foldWords(name, words);
}

/** `text` as encoded words, none of which splits a character; the first one fits into `firstRoom`. */
function encodeWords(text: string, firstRoom = ENCODED_WORD): string {
  const wellFormed = text.toWellFormed();
  const byteLength = Buffer.byteLength(wellFormed);
  let plain = 0;
  for (let at = 0; at < wellFormed.length; at += 1) plain += Q_PLAIN[wellFormed.charCodeAt(at)] ?? 0;
  const isQ = plain + (byteLength - plain) * 3 <= (byteLength * 4) / 3;

  const words: string[] = [];
  let content = '';
  let used = 0;
  // A character takes at most 12 places, so that a word always has room for one.
  let room = Math.max(Math.min(firstRoom, ENCODED_WORD) - WORD_FRAME, 12);
  for (const character of wellFormed) {
    const size = isQ ? qLength(character) : Buffer.byteLength(character);
    if (content !== '' && used + size > (isQ ? room : Math.floor(room / 4) * 3)) {
      words.push(encodeWord(content, isQ));
      content = '';
      used = 0;
      room = ENCODED_WORD - WORD_FRAME;
    }
    content += character;
    used += size;
  }
  words.push(encodeWord(content, isQ));
  return words.join(' ');
}

/** Its words, between which a line may end. It may also end inside quotes, but not every reader knows that. */
function formatMailbox(mailbox: Mailbox, firstRoom: number): string[] {
  const address = formatAddress(mailbox);
  const name = mailbox.name === null ? '' : toOneLine(mailbox.name);
  if (name === '') return [address];
  if (NEEDS_ENCODING.test(name) || name.length > LINE) {
    return [...encodeWords(name, firstRoom).split(' '), `<${address}>`];
  }
  return ATOMS.test(name) ? [...name.split(' '), `<${address}>`] : [quote(name), `<${address}>`];
}

/**
 * The local part as it was given, the domain in A-labels. What parseAddress never lets in is left out: inside quotes
 * it would be legal, but there are readers that find a second address in quotes.
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
