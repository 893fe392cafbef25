/** The keywords of JMAP (RFC 8621 section 4.1.1), and the flags and labels of messages. */
import { decodeKeyword, encodeKeyword } from '../imap/mailbox-names.ts';

export const FLAG_OF_KEYWORD: Record<string, 'read' | 'starred' | 'answered' | 'draft'> = {
  $seen: 'read',
  $flagged: 'starred',
  $answered: 'answered',
  $draft: 'draft',
};
/** Keywords that have one spelling as labels (RFC 5788), as IMAP stores them. */
const KNOWN_LABELS = ['$Forwarded', '$MDNSent', '$Junk', '$NotJunk', '$Phishing', '$Important', '$Submitted'];

export const MAX_KEYWORDS = 50;
/** RFC 8621 section 4.1.1. */
const KEYWORD = /^[!#$&'+,./0-9:;<=>?@A-Z[^_`a-z|}~-]{1,255}$/;

export function isKeyword(text: string): boolean {
  return KEYWORD.test(text);
}

/** Returns the form of a keyword for comparison: in lower case, unless it encodes characters in the way of IMAP. */
export function normalizeKeyword(keyword: string): string {
  return keyword.includes('&') ? keyword : keyword.toLowerCase();
}

/** Returns the keyword of a label. Characters that a keyword cannot have are encoded as in IMAP. */
export function toKeyword(label: string): string {
  return normalizeKeyword(encodeKeyword(label));
}

/** Returns the label that a keyword adds, unless the message already has a label for this keyword. */
export function toLabel(keyword: string): string {
  const lower = keyword.toLowerCase();
  return KNOWN_LABELS.find((label) => label.toLowerCase() === lower) ?? decodeKeyword(keyword);
}

export interface Keyworded {
  read: boolean;
  starred: boolean;
  answered: boolean;
  draft: boolean;
  labels: string[];
}

export function keywordsOf(message: Keyworded): Record<string, true> {
  const flags = Object.entries(FLAG_OF_KEYWORD).flatMap(([keyword, flag]) =>
    message[flag] ? [keyword] : [],
  );
  return Object.fromEntries([...flags, ...message.labels.map(toKeyword)].map((keyword) => [keyword, true]));
}
