/** Reads the values of header fields with free text and Message-IDs, for the API, IMAP and JMAP. */
import { toStorable } from '../../../platform/storable-text.ts';
import { toOneLine } from '../header-encoding.ts';
import { decodeWords } from './encoded-words.ts';

const MAX_TEXT_LENGTH = 64_000;
const MESSAGE_ID = /<[^<>\s]{1,995}>/g;
const BARE_ID = /^[^<>\s]{1,995}$/;

/** Decodes encoded words. The result is one line in Unicode normal form C. */
export function readText(value: string): string {
  return toStorable(toOneLine(decodeWords(value.slice(0, MAX_TEXT_LENGTH)))).normalize('NFC');
}

/** Returns the IDs with angle brackets, which some email apps omit. */
export function readMessageIds(value: string | null): string[] {
  const text = (value ?? '').trim();
  const ids = text.match(MESSAGE_ID) ?? (BARE_ID.test(text) ? [`<${text}>`] : []);
  return ids.map(toStorable);
}
