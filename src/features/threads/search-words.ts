/**
 * The words that a message is found by. They are split here and not by PostgreSQL, so that a message and a question
 * about it are split alike in every language; each carries the mark of its mailbox, so that a search walks through
 * the words of that mailbox alone, however many others the instance has.
 */

/** Of a text; what stands behind is found by no search. */
export const MAX_CHARACTERS = 100_000;
// A tsvector has at most a megabyte: so many words of that length, in letters of four bytes, always fit.
const MAX_WORDS = 5_000;
const MAX_WORD_LENGTH = 40;
// Scripts without blanks between words are found by their characters.
const WORD = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}\p{M}]+/gu;
/** What a word is looked for in: anywhere, among the senders, among the recipients. */
export type SearchField = '' | 'f' | 't';

/** Each once. */
export function wordsOf(text: string): string[] {
  const start = text.slice(0, MAX_CHARACTERS);
  // ASCII has a byte for each character.
  const words =
    Buffer.byteLength(start) === start.length
      ? splitAscii(start.toLowerCase())
      : new Set(start.normalize('NFKC').toLowerCase().match(WORD));
  return [...words].map((word) => (word.length <= MAX_WORD_LENGTH ? word : shorten(word)));
}

const IS_WORD = Uint8Array.from({ length: 256 }, (_, code) =>
  /[a-z0-9]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const bytes = Buffer.alloc(MAX_CHARACTERS + 1);
/** Where a word was last seen, by its hash. */
const seenAt = new Int32Array(2_048);

/**
 * The same for most mail, in a third of the time. A text says most of its words again and again: those are known by
 * their bytes, and no string is made of them.
 */
function splitAscii(text: string): Set<string> {
  const words = new Set<string>();
  seenAt.fill(-1);
  const length = bytes.write(text, 'latin1');
  bytes[length] = 0;
  for (let at = 0; at < length; at += 1) {
    const start = at;
    let hash = 0;
    for (; IS_WORD[bytes[at]!] === 1; at += 1) hash = Math.imul(hash, 31) + bytes[at]!;
    if (at === start) continue;
    const slot = hash & (seenAt.length - 1);
    if (isWordAt(seenAt[slot]!, start, at - start)) continue;
    seenAt[slot] = start;
    words.add(text.slice(start, at));
  }
  return words;
}

/** Whether the word at `known` is the one of this length at `start`. */
function isWordAt(known: number, start: number, length: number): boolean {
  if (known === -1) return false;
  for (let at = 0; at < length; at += 1) if (bytes[known + at] !== bytes[start + at]) return false;
  return IS_WORD[bytes[known + length]!] === 0;
}

function shorten(word: string): string {
  return [...word].slice(0, MAX_WORD_LENGTH).join('');
}

export function toLexeme(mailboxId: string, field: SearchField, word: string): string {
  return `${mailboxId.slice(-8)}${field}:${word}`;
}

/** As PostgreSQL writes a tsvector. A word holds letters, digits and marks alone, so none needs escaping. */
export function searchVectorOf(
  mailboxId: string,
  message: { from: string; to: string[]; subject: string; text: string },
): string {
  const lexemes = new Set<string>();
  const add = (field: SearchField, text: string) => {
    const mark = toLexeme(mailboxId, field, '');
    for (const word of wordsOf(text)) {
      if (lexemes.size < MAX_WORDS) lexemes.add(mark + word);
    }
  };
  const recipients = message.to.join(' ');
  add('f', message.from);
  add('t', recipients);
  add('', `${message.subject} ${message.from} ${recipients}`);
  add('', message.text);
  return lexemes.size === 0 ? '' : `'${[...lexemes].join("' '")}'`;
}
