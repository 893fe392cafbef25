/**
 * The words of notes, for search. A search for the beginning of a word finds it, as in messages, so the beginnings are
 * stored as well. They carry the mark of the mailbox, so that a search reads only the words of that mailbox.
 */
import { htmlToPlainText } from '../../../mail/html/text.ts';
import { lexemePrefix, MAX_CHARACTERS, wordsOf, type SearchWord } from '../storage/search-words.ts';

const MAX_WORDS = 10_000;
/** Shorter beginnings are not stored, except of words in scripts whose words are one character. */
const SHORTEST = 2;

export function noteWords(mailboxId: string, html: string): string[] {
  const prefix = lexemePrefix(mailboxId, '');
  const words = new Set<string>();
  for (const word of wordsOf(htmlToPlainText(html, MAX_CHARACTERS))) {
    if (words.size >= MAX_WORDS) break;
    const characters = [...word];
    words.add(prefix + word);
    for (let length = SHORTEST; length < characters.length; length++)
      words.add(prefix + characters.slice(0, length).join(''));
  }
  return [...words];
}

export function searchedWords(mailboxId: string, words: readonly SearchWord[]): string[] {
  return words.map((word) => lexemePrefix(mailboxId, '') + word);
}
