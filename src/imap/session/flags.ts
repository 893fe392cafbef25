/**
 * Converts between IMAP's system flags and keywords and the flags and labels of our messages. A label is a keyword in
 * modified UTF-7.
 */
import type { FlagSet, Flag } from '../../features/mailboxes/storage/change-flags.ts';
import {
  FLAG_SETS,
  readFlagBits,
  type FlaggedMessage,
} from '../../features/mailboxes/email-apps/folder-flags.ts';
import type { CommandCursor } from '../../mail/imap/command-cursor.ts';
import { decodeKeyword, encodeKeyword } from '../../mail/imap/mailbox-names.ts';
import { Refusal } from './session.ts';

const SYSTEM_FLAGS: Record<string, Flag> = {
  '\\answered': 'answered',
  '\\flagged': 'starred',
  '\\deleted': 'deleted',
  '\\seen': 'read',
  '\\draft': 'draft',
};
/** `writeFlags` writes them in this order. */
export const FLAG_NAMES = ['\\Answered', '\\Flagged', '\\Deleted', '\\Seen', '\\Draft'];
/** Keywords that have one spelling (RFC 5788), whatever an email app writes. */
const KNOWN_KEYWORDS = [
  '$Forwarded',
  '$MDNSent',
  '$Junk',
  '$NotJunk',
  '$Phishing',
  '$Important',
  '$Submitted',
];

const MAX_KEYWORD_LENGTH = 100;
const MAX_KEYWORDS = 50;

/** `flags`: see `readFlagBits`. */
export function writeFlags(flags: number, labels: string[] | undefined, isRecent: boolean): string {
  if (labels) return writeEach(readFlagBits(flags, labels), isRecent);
  return (isRecent ? RECENT_TEXTS : TEXTS)[flags]!;
}

function writeEach(message: FlaggedMessage, isRecent: boolean): string {
  const { answered, starred, deleted, read, draft, labels } = message;
  const flags: string[] = isRecent ? ['\\Recent'] : [];
  for (const [at, isSet] of [answered, starred, deleted, read, draft].entries())
    if (isSet) flags.push(FLAG_NAMES[at]!);
  for (const label of labels) flags.push(encodeKeyword(label));
  return `(${flags.join(' ')})`;
}

/** Messages without labels share these strings. */
const [TEXTS, RECENT_TEXTS] = [false, true].map((isRecent) =>
  Array.from({ length: FLAG_SETS }, (_, bits) => writeEach(readFlagBits(bits, []), isRecent)),
) as [string[], string[]];

export function readFlagList(cursor: CommandCursor): string[] {
  return cursor.list(() => cursor.flag());
}

export function toFlagSet(names: string[]): Required<FlagSet> {
  const flags = new Set<Flag>();
  const labels = new Set<string>();
  for (const name of names) {
    const flag = SYSTEM_FLAGS[name.toLowerCase()];
    if (flag) flags.add(flag);
    // \Recent cannot be changed, and other system flags do not exist.
    else if (!name.startsWith('\\')) labels.add(toLabel(name));
  }
  if (labels.size > MAX_KEYWORDS)
    throw new Refusal('LIMIT', `A message can have at most ${MAX_KEYWORDS} keywords`);
  return { flags: [...flags], labels: [...labels] };
}

export function toLabel(keyword: string): string {
  if (keyword.length > MAX_KEYWORD_LENGTH) throw new Refusal('LIMIT', 'The keyword is too long');
  const known = KNOWN_KEYWORDS.find((name) => name.toLowerCase() === keyword.toLowerCase());
  return known ?? decodeKeyword(keyword);
}
