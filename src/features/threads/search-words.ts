/**
 * The words that a message is found by. They are split here and not by PostgreSQL, so that a message and a question
 * about it are split alike in every language; each carries the mark of its mailbox, so that a search walks through
 * the words of that mailbox alone, however many others the instance has.
 */
const MAX_CHARACTERS = 100_000;
// A tsvector has at most a megabyte: so many words of that length, in letters of four bytes, always fit.
const MAX_WORDS = 5_000;
const MAX_WORD_LENGTH = 40;
// Scripts without blanks between words are found by their characters.
const WORD = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}\p{M}]+/gu;
// The same for most mail, in a fraction of the time.
const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORD = /[a-z0-9]+/g;

/** What a word is looked for in: anywhere, among the senders, among the recipients. */
export type SearchField = '' | 'f' | 't';

/** Each once. */
export function wordsOf(text: string): string[] {
  const start = text.slice(0, MAX_CHARACTERS);
  const words = ASCII.test(start)
    ? start.toLowerCase().match(ASCII_WORD)
    : start.normalize('NFKC').toLowerCase().match(WORD);
  return [...new Set(words)].map((word) => (word.length <= MAX_WORD_LENGTH ? word : shorten(word)));
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
