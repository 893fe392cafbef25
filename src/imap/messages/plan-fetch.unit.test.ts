import { expect, test } from 'vitest';
import { CommandCursor } from '../../mail/imap/command-cursor.ts';
import { readFetchItems, type FetchItem } from '../../mail/imap/fetch-items.ts';
import { planFetch, type FetchPlan } from './plan-fetch.ts';

const ALL = Array.from({ length: 200 }, (_, at) => at + 1);

function plan(items: string, asked: Partial<Parameters<typeof planFetch>[1]> = {}): FetchPlan {
  const parsed = readFetchItems(new CommandCursor({ text: items, literals: [] }));
  return planFetch(parsed, { uids: ALL, isUid: false, changedSince: null, isReadOnly: false, ...asked });
}

function names(items: FetchItem[]): string[] {
  return items.map((item) => (item.kind === 'simple' ? item.name : item.kind));
}

test.each([
  ['(UID FLAGS)', 'flags'],
  ['(FLAGS MODSEQ)', 'flags'],
  ['FAST', 'lists'],
  ['(FLAGS ENVELOPE BODYSTRUCTURE)', 'lists'],
  ['(UID BODY.PEEK[HEADER.FIELDS (From)] INTERNALDATE)', 'lists'],
  ['RFC822.HEADER', 'lists'],
  ['(UID PREVIEW)', 'rows'],
  ['BODY[HEADER]', 'rows'],
  ['BODY.PEEK[]', 'whole'],
  ['BODY.PEEK[1.HEADER]', 'whole'],
  ['(FLAGS BINARY.SIZE[1])', 'whole'],
])('%s is read by the reader of %s', (items, reader) => {
  expect(plan(items).reader).toBe(reader);
});

test('flags of few messages, or of few in a large range, are not read as a range', () => {
  expect(plan('FLAGS', { uids: ALL.slice(0, 99) }).reader).toBe('lists');
  expect(plan('FLAGS', { uids: ALL.map((uid) => uid * 5) }).reader).toBe('lists');
  expect(plan('FLAGS', { uids: ALL.map((uid) => uid * 3) }).reader).toBe('flags');
  expect(plan('FLAGS', { uids: [] }).reader).toBe('lists');
});

test('changes since a change number are chosen from rows or the range of flags, and show their change numbers', () => {
  const changes = plan('(ENVELOPE)', { changedSince: 7 });
  expect([changes.reader, changes.changedSince, names(changes.items)]).toEqual([
    'rows',
    7,
    ['ENVELOPE', 'MODSEQ'],
  ]);
  const flags = plan('(MODSEQ FLAGS)', { changedSince: 7 });
  expect([flags.reader, flags.withModseq, names(flags.items)]).toEqual(['flags', true, ['MODSEQ', 'FLAGS']]);
});

test('UID FETCH shows the UID once', () => {
  expect(names(plan('FLAGS', { isUid: true }).items)).toEqual(['UID', 'FLAGS']);
  expect(names(plan('(FLAGS UID)', { isUid: true }).items)).toEqual(['FLAGS', 'UID']);
});

test('only bodies without PEEK mark messages as read, and then their flags are shown', () => {
  for (const items of ['BODY[]', 'RFC822', 'RFC822.TEXT', 'BINARY[1]', 'BODY[HEADER]'])
    expect(plan(items).marks).toBe(true);
  for (const items of ['BODY.PEEK[]', 'RFC822.HEADER', 'BINARY.PEEK[1]', 'BINARY.SIZE[1]', 'BODY', 'FULL'])
    expect(plan(items).marks).toBe(false);
  const read = plan('(UID BODY[])');
  expect([names(read.items), names(read.itemsOfMarked)]).toEqual([
    ['UID', 'body'],
    ['UID', 'body', 'FLAGS'],
  ]);
  expect(names(plan('(FLAGS BODY[])').itemsOfMarked)).toEqual(['FLAGS', 'body']);
});

test('nothing is marked as read in a folder that is open for reading only', () => {
  expect(plan('BODY[]', { isReadOnly: true }).marks).toBe(false);
  expect(plan('BODY[HEADER]', { isReadOnly: true }).reader).toBe('lists');
});

test.each([
  ['(UID FLAGS INTERNALDATE)', [], 'none'],
  ['FAST', [], 'sizes'],
  ['(RFC822.SIZE BODY.PEEK[HEADER.FIELDS (Subject)] RFC822.HEADER)', ['header'], 'headers'],
  ['FULL', ['envelope', 'body'], 'all'],
  ['(RFC822.HEADER BODYSTRUCTURE)', ['header', 'bodyStructure'], 'all'],
  ['(BODY.PEEK[] BODY.PEEK[HEADER])', ['header'], 'headers'],
  ['BODY.PEEK[1.MIME]', [], 'none'],
])('%s shows the texts %j and reads %s of the structures', (items, texts, structures) => {
  expect(plan(items)).toMatchObject({ texts, structures });
});

test('a message is parsed only if its parts are shown', () => {
  for (const items of ['BODY[]', 'RFC822', 'BINARY[]', '(BODY[] BODY[HEADER])', 'FULL'])
    expect(plan(items).withTree).toBe(false);
  for (const items of ['BODY[TEXT]', 'RFC822.TEXT', 'BODY[2]', 'BINARY.SIZE[1]', 'BODY[1.MIME]'])
    expect(plan(items).withTree).toBe(true);
});
