/** SEARCH with ESEARCH, SEARCHRES and CONDSTORE (RFC 9051 section 6.4.4, RFC 4731, RFC 5182, RFC 7162). */
import {
  searchFolder,
  type FolderSearchKey,
  type FoundMessages,
} from '../../features/mailboxes/email-apps/search-messages.ts';
import { BadCommand, type CommandCursor } from '../../mail/imap/command-cursor.ts';
import { readSearchKeys, type SearchKey } from '../../mail/imap/search-keys.ts';
import { writeSet } from '../../mail/imap/sequence-set.ts';
import { writeString } from '../../mail/imap/write-values.ts';
import { toLabel } from '../session/flags.ts';
import { runSlowWork } from '../session/slow-work.ts';
import {
  enableCondstore,
  Refusal,
  type CommandInput,
  type CommandResult,
  type FolderSession,
} from '../session/session.ts';

const RETURNS = ['MIN', 'MAX', 'ALL', 'COUNT', 'SAVE'] as const;
type Return = (typeof RETURNS)[number];

export async function search(session: FolderSession, { tag, cursor, isUid }: CommandInput): CommandResult {
  cursor.space();
  const returns = readReturns(cursor);
  readCharset(cursor);
  const key = readSearchKeys(cursor);
  const found = await runSearch(session, key, returns?.includes('SAVE') ?? false);
  const modseq = hasKey(key, ['modseq']) ? latestOf(found, returns) : null;
  if (modseq !== null) enableCondstore(session);
  const numbers = isUid ? found.uids : session.selected.numbersOf(found.uids);
  if (returns === null && !session.enabled.has('IMAP4REV2'))
    session.out.line(
      `* SEARCH${numbers.length > 0 ? ` ${numbers.join(' ')}` : ''}${modseq !== null && numbers.length > 0 ? ` (MODSEQ ${modseq})` : ''}`,
    );
  else writeExtended(session, { tag, isUid, numbers, modseq }, returns ?? ['ALL']);
}

/** RFC 7162 section 3.1.6: with only MIN or MAX, the change number is that of the returned messages. */
function latestOf({ modseqs }: FoundMessages, returns: Return[] | null): number {
  const all = modseqs ?? [];
  const namesAll = returns === null || returns.includes('ALL') || returns.includes('COUNT');
  const named = namesAll
    ? all
    : [
        ...(returns.includes('MIN') ? all.slice(0, 1) : []),
        ...(returns.includes('MAX') ? all.slice(-1) : []),
      ];
  return named.reduce((latest, modseq) => Math.max(latest, modseq), 0);
}

/** Finds the messages, and saves them for `$` if the command says SAVE. */
export async function runSearch(
  session: FolderSession,
  key: SearchKey,
  saves: boolean,
): Promise<FoundMessages> {
  const { tools, login, selected } = session;
  // RFC 5182 section 2.1: a search that fails leaves an empty result.
  if (saves) session.savedSearch = [];
  const search = {
    key: toFolderKey(session, key),
    allUids: selected.uids,
    withModseqs: hasKey(key, ['modseq']),
  };
  const found = await runSlowWork(session, hasKey(key, ['text', 'header']) ? 'texts' : 'numbers', () =>
    searchFolder(tools.db, login, selected.folder.id, search),
  );
  if (saves) session.savedSearch = [...found.uids];
  return found;
}

interface Answer {
  tag: string;
  isUid: boolean;
  numbers: Uint32Array;
  modseq: number | null;
}

function writeExtended(session: FolderSession, answer: Answer, returns: Return[]): void {
  const { tag, isUid, numbers, modseq } = answer;
  const parts = [`* ESEARCH (TAG ${writeString(tag)})`];
  if (isUid) parts.push('UID');
  if (returns.includes('MIN') && numbers.length > 0) parts.push(`MIN ${numbers[0]}`);
  if (returns.includes('MAX') && numbers.length > 0) parts.push(`MAX ${numbers.at(-1)}`);
  if (returns.includes('COUNT')) parts.push(`COUNT ${numbers.length}`);
  if (returns.includes('ALL') && numbers.length > 0) parts.push(`ALL ${writeSet(numbers)}`);
  if (modseq !== null && numbers.length > 0) parts.push(`MODSEQ ${modseq}`);
  // With SAVE alone there is no response (RFC 5182 section 2.1). MIN or MAX save only that message.
  const shown = returns.filter((name) => name !== 'SAVE');
  if (returns.includes('SAVE') && !returns.includes('ALL') && !returns.includes('COUNT'))
    keepEnds(session, shown);
  if (shown.length > 0) session.out.line(parts.join(' '));
}

function keepEnds(session: FolderSession, shown: Return[]): void {
  const saved = session.savedSearch;
  if (shown.length === 0 || saved.length === 0) return;
  const ends = [shown.includes('MIN') ? saved[0]! : null, shown.includes('MAX') ? saved.at(-1)! : null];
  session.savedSearch = [...new Set(ends.filter((uid) => uid !== null))];
}

/** Returns null without RETURN. `RETURN ()` means ALL. */
function readReturns(cursor: CommandCursor): Return[] | null {
  if (!cursor.take('RETURN ')) return null;
  const names = cursor.list(() => {
    const name = cursor.atom().toUpperCase();
    const known = RETURNS.find((candidate) => candidate === name);
    if (!known) throw new BadCommand(`Unknown result option ${name.slice(0, 50)}`);
    return known;
  });
  cursor.space();
  return names.length === 0 ? ['ALL'] : names;
}

/** Text is always UTF-8, which includes US-ASCII. */
function readCharset(cursor: CommandCursor): void {
  if (!cursor.take('CHARSET ')) return;
  requireCharset(cursor.astring());
  cursor.space();
}

export function requireCharset(name: string): void {
  if (!/^(?:utf-?8|us-ascii)$/i.test(name))
    throw new Refusal('BADCHARSET (UTF-8 US-ASCII)', 'The character set is not supported');
}

/** True if a search has a key of one of these kinds. */
function hasKey(key: SearchKey, kinds: SearchKey['kind'][]): boolean {
  if (key.kind === 'and' || key.kind === 'or') return key.keys.some((each) => hasKey(each, kinds));
  return key.kind === 'not' ? hasKey(key.key, kinds) : kinds.includes(key.kind);
}

function toFolderKey(session: FolderSession, key: SearchKey): FolderSearchKey {
  const { selected, savedSearch } = session;
  switch (key.kind) {
    case 'and':
    case 'or':
      return { kind: key.kind, keys: key.keys.map((each) => toFolderKey(session, each)) };
    case 'not':
      return { kind: 'not', key: toFolderKey(session, key.key) };
    case 'sequence':
    case 'uid':
      return { kind: 'uids', ranges: toRanges(selected.resolve(key.set, key.kind === 'uid', savedSearch)) };
    case 'recent':
      return { kind: 'uids', ranges: selected.recent };
    case 'keyword':
      return { kind: 'label', label: toLabel(key.keyword), isSet: key.isSet };
    default:
      return key;
  }
}

function toRanges(uids: number[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const uid of uids) {
    const last = ranges.at(-1);
    if (last && uid === last.to + 1) last.to = uid;
    else ranges.push({ from: uid, to: uid });
  }
  return ranges;
}
