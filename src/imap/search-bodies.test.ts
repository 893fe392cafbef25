/** SEARCH BODY and TEXT find any part of a word, also after the folder has tables of grams (decision 48). */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ImapDialogue } from '../testing/clients/imap-dialogue.ts';
import { append, openInbox, startImapWorld, type ImapWorld } from '../testing/fixtures/imap-world.ts';

let world: ImapWorld;
beforeAll(async () => {
  world = await startImapWorld();
});
afterAll(() => world.close());

const COUNT = 140;

function rawOf(no: number): string {
  const type = no % 7 === 0 ? 'text/html' : 'text/plain';
  const needle = type === 'text/html' ? '<i>UnderNeedlework</i>' : 'UnderNeedlework';
  const text = no % 10 === 0 ? `An ${needle} ${no}` : `Nothing of note ${no}`;
  const header = no === 33 ? 'X-Trace: abc-Haystack-def\r\n' : '';
  return `From: a@example.org\r\nSubject: Number ${no}\r\n${header}Content-Type: ${type}; charset=utf-8\r\n\r\n${text}\r\n`;
}

async function fill(imap: ImapDialogue, folder: string, from: number, to: number): Promise<void> {
  const literals = Array.from({ length: to - from + 1 }, (_, at) => rawOf(from + at)).map(
    (raw) => ` {${raw.length}+}\r\n${raw}`,
  );
  expect(await imap.say(`APPEND ${folder}${literals.join('')}`)).toMatch(/OK \[APPENDUID/);
}

async function search(imap: ImapDialogue, criteria: string): Promise<number[]> {
  const found = /\* SEARCH([ \d]*)/.exec(await imap.say(`UID SEARCH ${criteria}`))![1]!;
  return found.trim() === '' ? [] : found.trim().split(' ').map(Number);
}

const every = (step: number, to: number) =>
  Array.from({ length: Math.floor(to / step) }, (_, at) => (at + 1) * step);

async function countTables(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from search_grams`.execute(
    world.server.db,
  );
  return rows[0]!.count;
}

test('parts of words are found in text, HTML and headers, and in messages that come later', async () => {
  const imap = await world.logIn(await world.freshBox());
  await fill(imap, 'INBOX', 1, COUNT);
  expect(await openInbox(imap)).toBe(COUNT);
  const before = await countTables();
  for (let round = 0; round < 2; round += 1) {
    expect(await search(imap, 'BODY needle')).toEqual(every(10, COUNT));
    expect(await search(imap, 'TEXT RNEEDLEW')).toEqual(every(10, COUNT));
    expect(await search(imap, 'BODY "note 3"')).toEqual([3, 31, 32, 33, 34, 35, 36, 37, 38, 39]);
    expect(await search(imap, 'TEXT haystack')).toEqual([33]);
    expect(await search(imap, 'BODY haystack')).toEqual([]);
    expect(await search(imap, 'TEXT "umber 77"')).toEqual([77]);
    // Too short for the tables.
    expect(await search(imap, 'BODY <i')).toEqual([70, 140]);
    expect(await search(imap, 'NOT BODY needle UID 1:12')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12]);
    expect(await search(imap, 'OR BODY "note 11" TEXT "X-Trace"')).toEqual([
      11, 33, 111, 112, 113, 114, 115, 116, 117, 118, 119,
    ]);
  }
  expect((await countTables()) - before).toBe(2);
  await fill(imap, 'INBOX', COUNT + 1, 160);
  await imap.say('NOOP');
  expect(await search(imap, 'BODY needle')).toEqual(every(10, 160));
  await imap.say('UID STORE 20 +FLAGS (\\Deleted)');
  await imap.say('EXPUNGE');
  expect(await search(imap, 'BODY needle')).toEqual(every(10, 160).filter((uid) => uid !== 20));
  imap.drop();
});

test('a moved message is found in its new folder only, and a deleted folder leaves no tables', async () => {
  const imap = await world.logIn(await world.freshBox());
  await imap.say('CREATE Work');
  await fill(imap, 'Work', 1, 70);
  await imap.say('SELECT Work');
  expect(await search(imap, 'BODY needle')).toEqual(every(10, 70));
  await imap.say('UID MOVE 30 INBOX');
  expect(await search(imap, 'BODY needle')).toEqual([10, 20, 40, 50, 60, 70]);
  await openInbox(imap);
  expect(await search(imap, 'BODY "needlework 40"')).toEqual([]);
  expect(await search(imap, 'BODY "needlework 30"')).toEqual([1]);
  const before = await countTables();
  await imap.say('DELETE Work');
  expect(before - (await countTables())).toBe(1);
  imap.drop();
});

test('letters of other scripts are found whatever their case and the encoding of the message', async () => {
  const imap = await world.logIn(await world.freshBox());
  const type = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64';
  const raw = (text: string) =>
    `From: a@example.org\r\nSubject: x\r\n${type}\r\n\r\n${Buffer.from(text).toString('base64')}\r\n`;
  await append(imap, raw('Żółta ŁÓDŹ in 東京'));
  for (let no = 0; no < 64; no += 1) await append(imap, raw(`nothing ${no}`));
  await openInbox(imap);
  const searchUtf8 = async (text: string) => {
    const bytes = Buffer.from(text);
    return search(imap, `CHARSET UTF-8 BODY {${bytes.length}+}\r\n${bytes.toString('latin1')}`);
  };
  for (const text of ['łódź', 'ŻÓŁTA', '東京', '京']) expect(await searchUtf8(text)).toEqual([1]);
  expect(await searchUtf8('東北')).toEqual([]);
  imap.drop();
});
