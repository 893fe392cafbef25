/**
 * Splits messages and searches into words. PostgreSQL does not do this, so that both are split the same way in every
 * language. Each word has its mailbox's prefix, so that a search scans only the words of that mailbox.
 */

/** Only this many characters of a text can be searched. */
export const MAX_CHARACTERS = 100_000;
// A tsvector holds at most 1 MB. This many words of that length fit even with four-byte characters.
const MAX_WORDS = 5_000;
const MAX_WORD_LENGTH = 40;
// In scripts without spaces between words, each character is a word.
const WORD = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}\p{M}]+/gu;
/** Where to search: anywhere, in senders, or in recipients. */
export type SearchField = '' | 'f' | 't';

/**
 * Contains only letters, digits and marks. Only wordsOf makes it, so that no other text becomes a part of a tsquery, a
 * tsvector or a pattern, which have a syntax of their own.
 */
export type SearchWord = string & { readonly searchWord: unique symbol };

/** Returns each word once. */
export function wordsOf(text: string): SearchWord[] {
  const start = text.slice(0, MAX_CHARACTERS);
  // Equal lengths mean ASCII: one byte per character.
  const words =
    Buffer.byteLength(start) === start.length
      ? splitAscii(start.toLowerCase())
      : new Set(start.normalize('NFKC').toLowerCase().match(WORD));
  return [...words].map((word) => (word.length <= MAX_WORD_LENGTH ? word : shorten(word)) as SearchWord);
}

const IS_WORD = Uint8Array.from({ length: 256 }, (_, code) =>
  /[a-z0-9]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const bytes = Buffer.alloc(MAX_CHARACTERS + 1);
/** Position at which a word was last seen, by its hash. */
const seenAt = new Int32Array(2_048);

/**
 * The fast path for ASCII takes a third of the time. Most words of a text repeat; repeated words are recognised by
 * their bytes, so no string is created for them.
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

/** Tells whether the word at `known` equals the word of this length at `start`. */
function isWordAt(known: number, start: number, length: number): boolean {
  if (known === -1) return false;
  for (let at = 0; at < length; at += 1) if (bytes[known + at] !== bytes[start + at]) return false;
  return IS_WORD[bytes[known + length]!] === 0;
}

function shorten(word: string): string {
  return [...word].slice(0, MAX_WORD_LENGTH).join('');
}

/** Precedes each word in message_words. Words contain none of them. */
export const MARKS: Record<SearchField, string> = { '': ' ', f: '<', t: '>' };

function mailboxMark(mailboxId: string): string {
  return mailboxId.slice(-8);
}

export function lexemePrefix(mailboxId: string, field: SearchField): string {
  return `${mailboxMark(mailboxId)}${field}:`;
}

/** Returns the part of a tsquery that matches words which begin with this one. */
export function toSearchTerm(mailboxId: string, field: SearchField, word: SearchWord): string {
  return `'${lexemePrefix(mailboxId, field)}${word}':*`;
}

/** Returns the text from which the function search_vector makes the tsvector. */
export function searchedTextOf(
  mailboxId: string,
  message: { from: string; to: string[]; subject: string; text: string },
): string {
  const words = new Set<string>();
  const add = (field: SearchField, text: string) => {
    for (const word of wordsOf(text)) {
      if (words.size < MAX_WORDS) words.add(MARKS[field] + word);
    }
  };
  const recipients = message.to.join(' ');
  add('f', message.from);
  add('t', recipients);
  add('', `${message.subject} ${message.from} ${recipients}`);
  add('', message.text);
  return mailboxMark(mailboxId) + [...words].join('');
}
