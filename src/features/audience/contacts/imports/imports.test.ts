import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../../../testing/test-server.ts';
import type { ContactImport } from './imports.schema.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
  team = await server.createTeam();
});
afterAll(() => server.close());

const CSV = { 'content-type': 'text/csv' };

async function createBook(owner: TestTeam = team): Promise<string> {
  const { body } = await owner.call('POST', '/contactBooks', { name: 'Imported' });
  return `/contactBooks/${body.id}`;
}

async function waitUntilFinished(
  book: string,
  importId: string,
  owner: TestTeam = team,
): Promise<ContactImport> {
  for (;;) {
    const { status, body } = await owner.call('GET', `${book}/imports/${importId}`);
    expect(status).toBe(200);
    if (body.status === 'DONE' || body.status === 'FAILED') return body;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Uploads the file into a book, by default a new one, and waits until the import has finished. */
async function importFile(file: string | Buffer, options: { book?: string; mapping?: unknown } = {}) {
  const book = options.book ?? (await createBook());
  const query = options.mapping ? `?mapping=${encodeURIComponent(JSON.stringify(options.mapping))}` : '';
  const { status, body } = await team.call('POST', `${book}/imports${query}`, file, CSV);
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'PENDING' } });
  return { book, result: await waitUntilFinished(book, body.id) };
}

async function contactsOf(book: string) {
  const { body } = await team.call('GET', `${book}/contacts?limit=100`);
  return Object.fromEntries(body.items.map((contact: { email: string }) => [contact.email, contact]));
}

describe('a valid file', () => {
  test('becomes contacts, with counts, progress and no rejected rows', async () => {
    const book = await createBook();
    await team.call('POST', `${book}/contacts`, { email: 'known@example.com', firstName: 'Old' });
    const file =
      'E-mail,First Name,last_name,Subscribed,City\nada@example.com,Ada,Lovelace,,London\nKNOWN@example.com,New,,no,\n';
    const { result } = await importFile(file, { book });
    expect(result).toMatchObject({
      id: expect.stringMatching(/^imp_/),
      contactBookId: book.slice('/contactBooks/'.length),
      status: 'DONE',
      totalBytes: file.length,
      doneBytes: file.length,
      progress: 1,
      rows: 2,
      created: 1,
      updated: 1,
      refused: 0,
      refusals: [],
      error: null,
      finishedAt: expect.any(String),
    });
    const contacts = await contactsOf(book);
    expect(contacts['ada@example.com']).toMatchObject({
      firstName: 'Ada',
      lastName: 'Lovelace',
      subscribed: true,
      properties: { City: 'London' },
    });
    expect(contacts['known@example.com']).toMatchObject({
      firstName: 'New',
      subscribed: false,
      properties: {},
    });
    const chunks = await sql`select 1 from contact_import_chunks where team_id = ${team.teamId}`.execute(
      server.db,
    );
    expect(chunks.rows).toEqual([]);
  });

  const rows = [
    ['Email', 'Given name', 'Surname', 'Note'],
    ['a@example.com', 'Zoë', 'Ä', 'x'],
    ['b@example.com', '', 'B', ''],
  ];
  test.each([
    ['commas and LF', ',', '\n', ''],
    ['semicolons and CRLF', ';', '\r\n', ''],
    ['tabs and CR', '\t', '\r', ''],
    ['a byte order mark and blank lines', ';', '\r\n\r\n', '\ufeff'],
  ])('is read with %s', async (_, delimiter, lineEnd, start) => {
    const text = start + rows.map((row) => row.join(delimiter)).join(lineEnd);
    const { book, result } = await importFile(text);
    expect(result).toMatchObject({ status: 'DONE', rows: 2, created: 2, refused: 0 });
    const contacts = await contactsOf(book);
    expect(contacts['a@example.com']).toMatchObject({
      firstName: 'Zoë',
      lastName: 'Ä',
      properties: { Note: 'x' },
    });
    expect(contacts['b@example.com']).toMatchObject({ firstName: null, lastName: 'B', properties: {} });
  });

  test('may have quotes, delimiters and line breaks inside quoted fields', async () => {
    const { book, result } = await importFile(
      'email,note\r\na@example.com,"one, ""two""\r\nthree"\r\n\r\nbad,x\r\n"b@example.com" , "y" \r\n',
    );
    expect(result).toMatchObject({ created: 2, refusals: [{ line: 5, email: 'bad' }] });
    const contacts = await contactsOf(book);
    expect(contacts['a@example.com'].properties).toEqual({ note: 'one, "two"\r\nthree' });
    expect(contacts['b@example.com'].properties).toEqual({ note: 'y' });
  });

  test('may have a column for those who have unsubscribed', async () => {
    const rows = ['a@example.com,yes,', 'b@example.com,no,', 'c@example.com,,', 'd@example.com,no,no'];
    const { book } = await importFile(`email,Unsubscribed,subscribed\n${rows.join('\n')}`);
    const contacts = await contactsOf(book);
    const subscribed = ['a', 'b', 'c', 'd'].map((name) => contacts[`${name}@example.com`].subscribed);
    expect(subscribed).toEqual([false, true, true, false]);
  });

  test('may have yes, no, 1, 0, true or false for subscribed, ignoring case', async () => {
    const words = ['yes', 'NO', '1', '0', 'True', 'false', ''];
    const { book, result } = await importFile(
      `email,subscribed\n${words.map((word, index) => `${index}@example.com,${word}`).join('\n')}`,
    );
    expect(result).toMatchObject({ created: 7, refused: 0 });
    const contacts = await contactsOf(book);
    expect(words.map((_, index) => contacts[`${index}@example.com`].subscribed)).toEqual([
      true,
      false,
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  test('may repeat an address: later values win, but do not resubscribe a contact', async () => {
    const { book, result } = await importFile(
      'email,firstName,subscribed,a,b\nx@example.com,One,no,1,1\nX@Example.com,Two,yes,2,\nx@example.com,,,,\n',
    );
    expect(result).toMatchObject({ rows: 3, created: 1, updated: 2, refused: 0 });
    expect((await contactsOf(book))['x@example.com']).toMatchObject({
      firstName: 'Two',
      subscribed: false,
      properties: { a: '2', b: '1' },
    });
  });

  test('may have a thousand columns', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `p${index}`);
    const { book, result } = await importFile(
      `${names.join(',')},email\n${names.map((_, index) => (index % 10 ? '' : index)).join(',')},a@example.com\n`,
    );
    expect(result).toMatchObject({ created: 1, refused: 0 });
    const { properties } = (await contactsOf(book))['a@example.com'];
    expect(Object.keys(properties)).toHaveLength(100);
    expect(properties.p990).toBe('990');
  });

  test('may have 20,000 rows', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) =>
      index % 1_000 === 7 ? `nobody${index},x` : `person${index}@example.com,Name ${index}`,
    );
    const { book, result } = await importFile(`email,firstName\n${lines.join('\n')}\n`);
    expect(result).toMatchObject({ status: 'DONE', rows: 20_000, created: 19_980, refused: 20 });
    expect(result.refusals.map(({ line }) => line)).toEqual(
      Array.from({ length: 20 }, (_, index) => index * 1_000 + 9),
    );
    const { body } = await team.call('GET', book);
    expect(body._count.contacts).toBe(19_980);
  });
});

describe('only the invalid row is rejected, with its line and the reason:', () => {
  test.each<[string, string | Buffer, string | null, RegExp]>([
    ['a bad address', 'not-an-address,x,', 'not-an-address', /^email must be a valid email address\.$/],
    ['no address', ',x,', null, /^email must not be empty\.$/],
    [
      'too long a name',
      `a@example.com,${'n'.repeat(201)},`,
      'a@example.com',
      /^firstName must have at most 200/,
    ],
    [
      'too few columns',
      'a@example.com,x',
      'a@example.com',
      /^The row has 2 columns, but the header has 3\.$/,
    ],
    ['too many columns', 'a@example.com,x,,,', 'a@example.com', /^The row has 5 columns/],
    ['a bad subscribed', 'a@example.com,x,maybe', 'a@example.com', /^subscribed must be true, false/],
    ['text that is not UTF-8', Buffer.from('a@example.com,Zo\xeb,', 'latin1'), null, /not valid UTF-8/],
    ['NUL characters', 'a@example.com,a\0b,', null, /NUL/],
    ['a quote in the middle of a field', 'a@example.com,Joe "Bob" X,', null, /quote in the middle/],
    ['text after a closing quote', 'a@example.com,"Joe" Bob,', null, /after a closing quote/],
    ['a quote that is never closed', 'a@example.com,"Joe,', null, /closing quote/],
    ['a record of more than 256 KiB', `a@example.com,${'x'.repeat(300_000)},`, null, /longer than 256 KiB/],
  ])('%s', async (_, row, email, reason) => {
    const { result } = await importFile(
      Buffer.concat([
        Buffer.from('email,firstName,subscribed\nfirst@example.com,"two\nlines",\n'),
        Buffer.from(row),
        Buffer.from('\nlast@example.com,,\n'),
      ]),
    );
    expect(result).toMatchObject({ status: 'DONE', rows: 3, created: 2, refused: 1 });
    expect(result.refusals).toEqual([{ line: 4, email, reason: expect.stringMatching(reason) }]);
  });

  test('properties too large, alone or together with those the contact already has', async () => {
    const book = await createBook();
    for (const name of ['a', 'b', 'c', 'd']) {
      const properties = { [name]: name.repeat(15_000) };
      await team.call('POST', `${book}/contacts`, { email: 'full@example.com', properties });
    }
    const fill = Array.from({ length: 30 }, (_, index) => `fill${index}@example.com,x,`).join('\n');
    const { result } = await importFile(
      `email,e,f\n${fill}\nrow@example.com,${'x'.repeat(17_000)},\nfull@example.com,${'e'.repeat(9_000)},\nfull@example.com,,ok\n${fill}\n`,
      { book },
    );
    expect(result).toMatchObject({ rows: 63, created: 30, updated: 31, refused: 2 });
    expect(result.refusals).toEqual([
      { line: 32, email: 'row@example.com', reason: 'properties must be at most 16384 bytes as JSON.' },
      { line: 33, email: 'full@example.com', reason: expect.stringContaining('64 KB in total') },
    ]);
    const contact = (await contactsOf(book))['full@example.com'];
    expect(Object.keys(contact.properties)).toEqual(['a', 'b', 'c', 'd', 'f']);
  });

  test('the import shows the first 1,000 rejected rows, and a list shows all', async () => {
    const { book, result } = await importFile(`email\n${'x\n'.repeat(1_205)}`);
    expect(result).toMatchObject({ rows: 1_205, refused: 1_205 });
    expect(result.refusals).toHaveLength(1_000);
    const lines: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await team.call(
        'GET',
        `${book}/imports/${result.id}/refusals?limit=100${cursor && `&cursor=${cursor}`}`,
      );
      lines.push(...body.items.map((refusal: { line: number }) => refusal.line));
      cursor = body.next_cursor;
    }
    expect(lines).toEqual(Array.from({ length: 1_205 }, (_, index) => index + 2));
    const { status } = await team.call('GET', `${book}/imports/${result.id}/refusals?cursor=nonsense`);
    expect(status).toBe(400);
  });
});

describe('the columns', () => {
  test('follow the mapping', async () => {
    const { book, result } = await importFile('Contact,Email,Name,Secret\na@example.com,work,Ada,x\n', {
      mapping: { Contact: 'email', Email: 'kind', Name: 'firstName', Secret: null },
    });
    expect(result).toMatchObject({ status: 'DONE', created: 1 });
    expect((await contactsOf(book))['a@example.com']).toMatchObject({
      firstName: 'Ada',
      properties: { kind: 'work' },
    });
  });

  test.each([
    ['no address', 'name,city\nAda,London\n', undefined, /^No column contains email addresses/],
    ['two of one kind', 'email,e-mail\na@example.com,b@example.com\n', undefined, /^The columns "email" and/],
    ['none that the mapping names', 'email\na@example.com\n', { Mail: 'x' }, /column "Mail"/],
    ['a broken header', 'em"ail,x\na@example.com,x\n', undefined, /^The header row cannot be read/],
    ['only blank lines', '\r\n\r\n', undefined, /^The header row cannot be read\. It is missing/],
    ['UTF-16', Buffer.from('\ufeffemail\na@example.com', 'utf16le'), undefined, /UTF-16/],
    ['too long a name', `email,${'x'.repeat(300)}\n`, undefined, /column 2 is too long/],
  ])('with %s make the whole import fail', async (_, file, mapping, error) => {
    const { result } = await importFile(file, { mapping });
    expect(result).toMatchObject({ status: 'FAILED', rows: 0, error: expect.stringMatching(error) });
    expect(result.finishedAt).not.toBeNull();
  });

  test.each(['{', '[]', '"email"', '{"a":1}', '{"a":"email","b":"email"}', '{"a":"\\u0000"}', '{"a":""}'])(
    'cannot have the invalid mapping %s',
    async (mapping) => {
      const path = `${await createBook()}/imports?mapping=${encodeURIComponent(mapping)}`;
      const { status, body } = await team.call('POST', path, 'email\n', CSV);
      expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'BAD_REQUEST' });
    },
  );
});

test('a team cannot see the imports of another team', async () => {
  const { book, result } = await importFile('email\nada@example.com\nx\n');
  const other = await server.createTeam();
  for (const rest of ['', `/${result.id}`, `/${result.id}/refusals`]) {
    expect((await other.call('GET', `${book}/imports${rest}`)).status).toBe(404);
  }
  expect((await other.call('POST', `${book}/imports`, 'email\nbob@example.com\n', CSV)).status).toBe(404);
  expect(Object.keys(await contactsOf(book))).toEqual(['ada@example.com']);
});

test('an import respects the double opt-in of the book', async () => {
  const { body } = await team.call('POST', '/contactBooks', { name: 'Careful', doubleOptInEnabled: true });
  const book = `/contactBooks/${body.id}`;
  await importFile('email,subscribed\na@example.com,yes\n', { book });
  expect((await contactsOf(book))['a@example.com']).toMatchObject({
    subscribed: false,
    unsubscribeReason: null,
  });
});
