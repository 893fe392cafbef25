/** Parses the criteria of SEARCH, SORT and THREAD (RFC 9051 section 6.4.4, RFC 5032, RFC 7162, RFC 8474, RFC 8514). */
import { BadCommand, MAX_DEPTH, type CommandCursor } from './command-cursor.ts';
import { readSequenceSet, type SequenceSet } from './sequence-set.ts';
import { fromBytes, readDate } from './write-values.ts';

type SearchFlag = 'read' | 'starred' | 'answered' | 'draft' | 'deleted';
type TextField = 'from' | 'to' | 'cc' | 'bcc' | 'subject' | 'body' | 'text';
type DateField = 'internal' | 'sent' | 'saved';

export type SearchKey =
  | { kind: 'all' }
  | { kind: 'and' | 'or'; keys: SearchKey[] }
  | { kind: 'not'; key: SearchKey }
  | { kind: 'flag'; flag: SearchFlag; isSet: boolean }
  | { kind: 'recent' }
  | { kind: 'keyword'; keyword: string; isSet: boolean }
  | { kind: 'text'; field: TextField; value: string }
  | { kind: 'header'; name: string; value: string }
  | { kind: 'date'; field: DateField; comparison: 'before' | 'on' | 'since'; date: Date }
  | { kind: 'age'; comparison: 'older' | 'younger'; seconds: number }
  | { kind: 'size'; comparison: 'larger' | 'smaller'; bytes: number }
  | { kind: 'sequence' | 'uid'; set: SequenceSet }
  | { kind: 'modseq'; modseq: number }
  | { kind: 'id'; field: 'email' | 'thread'; id: string };

const FLAGS: Record<string, SearchKey> = {
  ALL: { kind: 'all' },
  ANSWERED: { kind: 'flag', flag: 'answered', isSet: true },
  DELETED: { kind: 'flag', flag: 'deleted', isSet: true },
  DRAFT: { kind: 'flag', flag: 'draft', isSet: true },
  FLAGGED: { kind: 'flag', flag: 'starred', isSet: true },
  SEEN: { kind: 'flag', flag: 'read', isSet: true },
  UNANSWERED: { kind: 'flag', flag: 'answered', isSet: false },
  UNDELETED: { kind: 'flag', flag: 'deleted', isSet: false },
  UNDRAFT: { kind: 'flag', flag: 'draft', isSet: false },
  UNFLAGGED: { kind: 'flag', flag: 'starred', isSet: false },
  UNSEEN: { kind: 'flag', flag: 'read', isSet: false },
  RECENT: { kind: 'recent' },
  OLD: { kind: 'not', key: { kind: 'recent' } },
  NEW: { kind: 'and', keys: [{ kind: 'recent' }, { kind: 'flag', flag: 'read', isSet: false }] },
  SAVEDATESUPPORTED: { kind: 'all' },
};
const TEXTS: TextField[] = ['from', 'to', 'cc', 'bcc', 'subject', 'body', 'text'];
const DATES: Record<string, [DateField, 'before' | 'on' | 'since']> = {
  BEFORE: ['internal', 'before'],
  ON: ['internal', 'on'],
  SINCE: ['internal', 'since'],
  SENTBEFORE: ['sent', 'before'],
  SENTON: ['sent', 'on'],
  SENTSINCE: ['sent', 'since'],
  SAVEDBEFORE: ['saved', 'before'],
  SAVEDON: ['saved', 'on'],
  SAVEDSINCE: ['saved', 'since'],
};
const MAX_KEYS = 1_000;
/** Limits the keys that read the text or the header of every message. */
const MAX_TEXT_KEYS = 50;

/** Reads all keys to the end of the command. They must all match. */
export function readSearchKeys(cursor: CommandCursor): SearchKey {
  const progress: Progress = { keys: 0, texts: 0 };
  const keys = [readKey(cursor, 0, progress)];
  while (cursor.take(' ')) keys.push(readKey(cursor, 0, progress));
  cursor.end();
  return keys.length === 1 ? keys[0]! : { kind: 'and', keys };
}

interface Progress {
  keys: number;
  texts: number;
}

function readKey(cursor: CommandCursor, depth: number, progress: Progress): SearchKey {
  progress.keys += 1;
  if (depth > MAX_DEPTH || progress.keys > MAX_KEYS) throw new BadCommand('The search is too complex');
  if (cursor.sees('(')) {
    const keys = cursor.list(() => readKey(cursor, depth + 1, progress));
    return keys.length === 0 ? cursor.fail('Expected a search key') : { kind: 'and', keys };
  }
  if (cursor.match(/(?=[\d*$])/y) !== null) return { kind: 'sequence', set: readSequenceSet(cursor) };
  const name = cursor.atom().toUpperCase();
  const flag = FLAGS[name];
  if (flag) return flag;
  cursor.space();
  if (name === 'NOT') return { kind: 'not', key: readKey(cursor, depth + 1, progress) };
  if (name === 'OR') {
    const first = readKey(cursor, depth + 1, progress);
    cursor.space();
    return { kind: 'or', keys: [first, readKey(cursor, depth + 1, progress)] };
  }
  const key = readKeyWithValue(cursor, name);
  if (key.kind === 'text' || key.kind === 'header') progress.texts += 1;
  if (progress.texts > MAX_TEXT_KEYS) throw new BadCommand('The search is too complex');
  return key;
}

function readKeyWithValue(cursor: CommandCursor, name: string): SearchKey {
  const field = TEXTS.find((candidate) => candidate.toUpperCase() === name);
  if (field) return { kind: 'text', field, value: readText(cursor) };
  const date = DATES[name];
  if (date) return { kind: 'date', field: date[0], comparison: date[1], date: readDay(cursor) };
  switch (name) {
    case 'HEADER': {
      const header = cursor.astring().toLowerCase();
      cursor.space();
      return { kind: 'header', name: header, value: readText(cursor) };
    }
    case 'KEYWORD':
      return { kind: 'keyword', keyword: cursor.flag(), isSet: true };
    case 'UNKEYWORD':
      return { kind: 'keyword', keyword: cursor.flag(), isSet: false };
    case 'LARGER':
      return { kind: 'size', comparison: 'larger', bytes: cursor.number() };
    case 'SMALLER':
      return { kind: 'size', comparison: 'smaller', bytes: cursor.number() };
    case 'OLDER':
      return { kind: 'age', comparison: 'older', seconds: cursor.number() };
    case 'YOUNGER':
      return { kind: 'age', comparison: 'younger', seconds: cursor.number() };
    case 'UID':
      return { kind: 'uid', set: readSequenceSet(cursor) };
    case 'MODSEQ':
      // RFC 7162 section 3.1.5 allows the name and type of an entry first. They are ignored.
      if (cursor.sees('"')) {
        cursor.string();
        cursor.space();
        cursor.atom();
        cursor.space();
      }
      return { kind: 'modseq', modseq: cursor.number() };
    case 'EMAILID':
      return { kind: 'id', field: 'email', id: cursor.astring() };
    case 'THREADID':
      return { kind: 'id', field: 'thread', id: cursor.astring() };
    default:
      return cursor.fail(`Unknown search key ${name.slice(0, 50)}`);
  }
}

function readText(cursor: CommandCursor): string {
  return fromBytes(cursor.astring());
}

function readDay(cursor: CommandCursor): Date {
  return readDate(cursor.astring()) ?? cursor.fail('Expected a date such as 1-Feb-1994');
}
