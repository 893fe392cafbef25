/** Parses the items of a FETCH (RFC 9051 section 6.4.5, RFC 7162, RFC 8474, RFC 8970, RFC 8514). */
import type { CommandCursor } from './command-cursor.ts';
import { readSection, type Section } from './sections.ts';

export type SimpleItem =
  | 'UID'
  | 'FLAGS'
  | 'INTERNALDATE'
  | 'RFC822.SIZE'
  | 'ENVELOPE'
  | 'BODY'
  | 'BODYSTRUCTURE'
  | 'MODSEQ'
  | 'EMAILID'
  | 'THREADID'
  | 'SAVEDATE'
  | 'PREVIEW';

export type FetchItem =
  | { kind: 'simple'; name: SimpleItem }
  | {
      kind: 'body';
      section: Section;
      partial: { offset: number; length: number } | null;
      peek: boolean;
      /** The name in the response: `BODY[…]<0>`, `RFC822.TEXT`. */
      label: string;
    }
  | { kind: 'binary'; section: Section; partial: { offset: number; length: number } | null; peek: boolean }
  | { kind: 'binary-size'; section: Section };

const MACROS: Record<string, SimpleItem[]> = {
  ALL: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE', 'ENVELOPE'],
  FAST: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE'],
  FULL: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE', 'ENVELOPE', 'BODY'],
};
const SIMPLE: SimpleItem[] = [
  'UID',
  'FLAGS',
  'INTERNALDATE',
  'RFC822.SIZE',
  'ENVELOPE',
  'BODYSTRUCTURE',
  'BODY',
  'MODSEQ',
  'EMAILID',
  'THREADID',
  'SAVEDATE',
  'PREVIEW',
];
const MAX_ITEMS = 200;

export function readFetchItems(cursor: CommandCursor): FetchItem[] {
  for (const [macro, names] of Object.entries(MACROS))
    if (cursor.match(new RegExp(`${macro}(?=[ ]|$)`, 'iy')) !== null)
      return names.map((name) => ({ kind: 'simple', name }));
  const items = cursor.sees('(') ? cursor.list(() => readItem(cursor)) : [readItem(cursor)];
  if (items.length > MAX_ITEMS) cursor.fail('Too many items');
  return items;
}

function readItem(cursor: CommandCursor): FetchItem {
  const name = (cursor.match(/[A-Za-z0-9.]+/y) ?? cursor.fail('Expected an item')).toUpperCase();
  if ((name === 'BODY' || name === 'BODY.PEEK') && cursor.take('[')) {
    const section = readSection(cursor);
    const partial = readPartial(cursor);
    const origin = partial ? `<${partial.offset}>` : '';
    return {
      kind: 'body',
      section,
      partial,
      peek: name === 'BODY.PEEK',
      label: `BODY[${section.text}]${origin}`,
    };
  }
  if (name === 'BINARY' || name === 'BINARY.PEEK' || name === 'BINARY.SIZE') {
    cursor.expect('[');
    const section = readSection(cursor);
    if (section.what !== 'ALL') cursor.fail('Expected a part number');
    if (name === 'BINARY.SIZE') return { kind: 'binary-size', section };
    return { kind: 'binary', section, partial: readPartial(cursor), peek: name === 'BINARY.PEEK' };
  }
  const legacy = LEGACY[name];
  if (legacy) return legacy;
  const simple =
    SIMPLE.find((candidate) => candidate === name) ?? cursor.fail(`Unknown item ${name.slice(0, 50)}`);
  // RFC 8970: a client that does not want to wait writes PREVIEW (LAZY). Our previews are always stored, so this
  // changes nothing.
  if (simple === 'PREVIEW') cursor.take(' (LAZY)');
  return { kind: 'simple', name: simple };
}

function readPartial(cursor: CommandCursor): { offset: number; length: number } | null {
  if (!cursor.take('<')) return null;
  const offset = cursor.number();
  cursor.expect('.');
  const length = cursor.number();
  cursor.expect('>');
  return { offset, length };
}

/** The items of IMAP4rev1. */
const LEGACY: Record<string, FetchItem> = {
  RFC822: legacyItem('RFC822', 'ALL', false),
  'RFC822.HEADER': legacyItem('RFC822.HEADER', 'HEADER', true),
  'RFC822.TEXT': legacyItem('RFC822.TEXT', 'TEXT', false),
};

function legacyItem(label: string, what: Section['what'], peek: boolean): FetchItem {
  return { kind: 'body', section: { path: [], what, fields: [], text: '' }, partial: null, peek, label };
}
