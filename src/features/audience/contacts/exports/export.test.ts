import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
  team = await server.createTeam();
});
afterAll(() => server.close());

const FIXED = 'email,firstName,lastName,subscribed,unsubscribeReason,createdAt';

async function createBook(contacts: object[] = []): Promise<string> {
  const { body } = await team.call('POST', '/contactBooks', { name: 'Exported' });
  const book = `/contactBooks/${body.id}`;
  if (contacts.length > 0) {
    expect((await team.call('POST', `${book}/contacts/bulk`, contacts)).status).toBe(200);
  }
  return book;
}

async function importInto(book: string, file: string) {
  const { body } = await team.call('POST', `${book}/imports`, file, { 'content-type': 'text/csv' });
  for (;;) {
    const { body: current } = await team.call('GET', `${book}/imports/${body.id}`);
    if (current.finishedAt) return current;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The fields that an import restores, which are all except IDs and times. */
async function contactsOf(book: string) {
  const { body } = await team.call('GET', `${book}/contacts?limit=100`);
  return body.items
    .map(({ email, firstName, lastName, properties, subscribed }: Record<string, unknown>) => ({
      email,
      firstName,
      lastName,
      properties,
      subscribed,
    }))
    .toSorted((a: { email: string }, b: { email: string }) => (a.email < b.email ? -1 : 1));
}

test('the file has the fixed columns, then every property in use, and quotes cells where needed', async () => {
  const book = await createBook([
    { email: 'a@example.com', firstName: 'Ada', properties: { city: 'London', age: 36, vip: true } },
    { email: 'b@example.com', lastName: 'O"Neil, B', subscribed: false, properties: { note: 'x\ny' } },
  ]);
  const { status, headers, body } = await team.call('GET', `${book}/export`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="contacts-cbk_\w+\.csv"$/);
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
  expect(body).toMatch(
    new RegExp(
      `^${FIXED},age,city,note,vip\r\n` +
        `a@example.com,Ada,,true,,${time},36,London,,true\r\n` +
        `b@example.com,,"O""Neil, B",false,UNSUBSCRIBED,${time},,,"x\ny",\r\n$`,
    ),
  );
});

test('an empty book gives only the header', async () => {
  expect((await team.call('GET', `${await createBook()}/export`)).body).toBe(`${FIXED}\r\n`);
});

/** Converts properties to text, because an import stores only text. */
function withTexts(contacts: { properties: object }[]): object[] {
  return contacts.map(({ properties, ...rest }) => ({
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, String(value)])),
  }));
}

test('a spreadsheet runs no cell as a formula, and an import restores the cells', async () => {
  const names = [
    '=1+1',
    '+cmd|x',
    '-2+3',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    "'=1",
    "''=1",
    "'quoted",
    '+49 (30) 12-34',
    'Ada',
  ];
  const written = [
    "'=1+1",
    "'+cmd|x",
    "'-2+3",
    "'@SUM(A1)",
    "'\t=1",
    "'\r=1",
    "''=1",
    "'''=1",
    ...names.slice(8),
  ];
  const book = await createBook(
    names.map((name, at) => ({
      email: `n${at}@example.com`,
      firstName: name,
      properties: { n: at - 5, '=x': name },
    })),
  );
  const { body: file } = await team.call('GET', `${book}/export`);
  const lines: string[] = file.split('\r\n');
  for (const [at, cell] of written.entries())
    expect(file).toContain(`\r\nn${at}@example.com,${/[\t\r]/.test(cell) ? `"${cell}"` : cell},`);
  expect(lines[0]).toContain(',property:=x,');
  const copy = await createBook();
  expect(await importInto(copy, file)).toMatchObject({ status: 'DONE', created: names.length, refused: 0 });
  expect(await contactsOf(copy)).toEqual(withTexts(await contactsOf(book)));
});

test('an export imported again gives the same contacts', async () => {
  const book = await createBook([
    { email: 'Plain@Example.com', firstName: 'Ada', lastName: 'Lovelace', properties: { city: 'London' } },
    { email: 'gone@example.com', subscribed: false },
    { email: 'zoë@müller.example', firstName: ' spaces ', lastName: '"', properties: { note: '\r\n;,\t"' } },
    {
      email: 'names@example.com',
      firstName: '=1+1',
      properties: {
        email: 'a',
        'First Name': 'b',
        surname: 'c',
        createdAt: 'd',
        unsubscribeReason: 'e',
        'property:x': 'f',
        ' edge ': 'g',
        ' ': 'h',
        'a;b;c;d;e;f;g;h;i;j;k;l;m;n;o;p;q;r;s': 'i',
        'quote"d, name': 'j',
        constructor: 'k',
      },
    },
  ]);
  const { body: file } = await team.call('GET', `${book}/export`);
  expect(file).toContain(',property:createdAt,property:email,note,property:property:x,');

  const copy = await createBook();
  expect(await importInto(copy, file)).toMatchObject({ status: 'DONE', created: 4, refused: 0 });
  expect(await contactsOf(copy)).toEqual(await contactsOf(book));
  const before = await contactsOf(book);
  expect(await importInto(book, file)).toMatchObject({ status: 'DONE', updated: 4, refused: 0 });
  expect(await contactsOf(book)).toEqual(before);
});

test('a book with many pages of contacts is exported completely', async () => {
  const emails = Array.from({ length: 3_456 }, (_, index) => `p${index}@example.com`);
  const book = await createBook(emails.slice(0, 1_000).map((email) => ({ email })));
  await team.call(
    'POST',
    `${book}/contacts/bulk`,
    emails.slice(1_000).map((email) => ({ email })),
  );
  const { body } = await team.call('GET', `${book}/export`);
  const exported = body
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line: string) => line.split(',')[0]);
  expect(exported).toHaveLength(emails.length);
  expect(exported.toSorted()).toEqual(emails.toSorted());
});

test('a book with thousands of properties is exported, one with too many is rejected', async () => {
  const contacts = Array.from({ length: 11 }, (_, row) => ({
    email: `p${row}@example.com`,
    properties: Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${row}_${index}`, '1'])),
  }));
  const some = await team.call('GET', `${await createBook(contacts.slice(0, 5))}/export`);
  expect(some.body.split('\r\n', 1)[0].split(',')).toHaveLength(6 + 5_000);
  const { status, body } = await team.call('GET', `${await createBook(contacts)}/export`);
  expect(status).toBe(400);
  expect(body.error.message).toMatch(/more than 10000 different properties/);
});

test("an unknown book or another team's book is 404; sending keys get 403", async () => {
  const book = await createBook([{ email: 'a@example.com' }]);
  expect((await team.call('GET', '/contactBooks/nonsense/export')).status).toBe(404);
  const stranger = await server.createTeam();
  const answer = await stranger.call('GET', `${book}/export`);
  expect(answer.status).toBe(404);
  expect(answer.body.error.code).toBe('NOT_FOUND');
  const { body } = await team.call('POST', '/api-keys', { name: 'Sender', permission: 'sending' });
  const headers = { authorization: `Bearer ${body.key}` };
  expect((await server.call('GET', `${book}/export`, undefined, headers)).status).toBe(403);
});
