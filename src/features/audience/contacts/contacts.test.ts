import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let book: string;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  book = await createBook();
});
afterAll(() => server.close());

async function createBook(input: object = {}): Promise<string> {
  const { body } = await team.call('POST', '/contactBooks', { name: 'Book', ...input });
  return `/contactBooks/${body.id}`;
}

async function post(contact: object, to = book): Promise<string> {
  const { status, body } = await team.call('POST', `${to}/contacts`, contact);
  expect(status).toBe(200);
  return body.contactId;
}

async function get(contactId: string, from = book) {
  return (await team.call('GET', `${from}/contacts/${contactId}`)).body;
}

async function countOf(bookPath: string): Promise<number> {
  return (await team.call('GET', bookPath)).body._count.contacts;
}

describe('a contact', () => {
  test('is stored and returned as sent', async () => {
    const id = await post({
      email: 'Ada@Example.com',
      firstName: 'Ada',
      properties: { age: 36, vip: true, city: 'London' },
    });
    expect(id).toMatch(/^con_[0-9a-z]{26}$/);
    const contact = await get(id);
    expect(contact).toMatchObject({ id, email: 'Ada@Example.com', firstName: 'Ada', lastName: null });
    expect(contact).toMatchObject({ subscribed: true, unsubscribeReason: null });
    expect(contact.properties).toEqual({ age: 36, vip: true, city: 'London' });
    expect(`/contactBooks/${contact.contactBookId}`).toBe(book);
    expect(contact.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('posted again in another case is updated, and fields that were not sent stay', async () => {
    const id = await post({ email: 'grace@example.com', firstName: 'Grace', properties: { a: 1, b: 2 } });
    expect(
      await post({ email: 'GRACE@EXAMPLE.COM', lastName: 'Hopper', properties: { b: null, c: 3 } }),
    ).toBe(id);
    expect(await get(id)).toMatchObject({
      email: 'grace@example.com',
      firstName: 'Grace',
      lastName: 'Hopper',
    });
    expect((await get(id)).properties).toEqual({ a: 1, c: 3 });
    await post({ email: 'grace@example.com', firstName: '', lastName: null });
    expect(await get(id)).toMatchObject({ firstName: null, lastName: null });
  });

  test('is the same for both spellings of an IDN domain', async () => {
    expect(await post({ email: 'x@bücher.example' })).toBe(await post({ email: 'x@xn--bcher-kva.example' }));
  });

  test('does not store null properties', async () => {
    expect(
      (await get(await post({ email: 'nulls@example.com', properties: { a: null, b: 1 } }))).properties,
    ).toEqual({ b: 1 });
  });

  test.each([
    [{}],
    [{ email: '' }],
    [{ email: 'nobody' }],
    [{ email: 'a@b' }],
    [{ email: 'a@example.com/b' }],
    [{ email: 'a@example.com\r\nBcc: b@example.com' }],
    [{ email: `${'a'.repeat(65)}@example.com` }],
    [{ email: 5 }],
    [{ email: 'a@example.com', firstName: 5 }],
    [{ email: 'a@example.com', firstName: 'x'.repeat(201) }],
    [{ email: 'a@example.com', subscribed: 'yes' }],
    [{ email: 'a@example.com', properties: [] }],
    [{ email: 'a@example.com', properties: { a: {} } }],
    [{ email: 'a@example.com', properties: { a: [1] } }],
    [{ email: 'a@example.com', properties: { '': 1 } }],
    [{ email: 'a@example.com', properties: { a: 'x'.repeat(17_000) } }],
    [{ email: 'a@example.com', properties: { id: 2 ** 60 } }],
  ])('%j is refused', async (contact) => {
    const before = await countOf(book);
    expect((await team.call('POST', `${book}/contacts`, contact)).status).toBe(400);
    expect(await countOf(book)).toBe(before);
  });

  test.each([
    [{ id: 2 ** 60 }, /^properties\.id must be a string, a number \(integers up to 2\^53\)/],
    [{ '': 1 }, /^properties\. is not a valid key: it must not be empty\.$/],
    [
      { ['k'.repeat(257)]: 1 },
      /^properties\.k{257} is not a valid key: it must have at most 256 characters\.$/,
    ],
  ])('with the properties %j is refused', async (properties, words) => {
    const { body } = await team.call('POST', `${book}/contacts`, { email: 'a@example.com', properties });
    expect(body.error.message).toMatch(words);
  });

  test('with numbers too large for JSON is rejected', async () => {
    const { status } = await team.call(
      'POST',
      `${book}/contacts`,
      '{"email":"n@example.com","properties":{"n":1e999}}',
    );
    expect(status).toBe(400);
  });

  test('cannot grow past 64 KB of properties by merging', async () => {
    const large = 'x'.repeat(15_000);
    for (const key of ['a', 'b', 'c', 'd'])
      await post({ email: 'grows@example.com', properties: { [key]: large } });
    const over = await team.call('POST', `${book}/contacts`, {
      email: 'grows@example.com',
      properties: { e: large },
    });
    expect([over.status, over.body.error.code]).toEqual([400, 'BAD_REQUEST']);
  });

  test('PATCH changes only the named fields', async () => {
    const id = await post({
      email: 'patch@example.com',
      firstName: 'Pat',
      lastName: 'Ch',
      properties: { a: 1 },
    });
    const { status, body } = await team.call('PATCH', `${book}/contacts/${id}`, {
      lastName: null,
      properties: { a: null, b: 'x' },
      email: 'other@example.com',
    });
    expect([status, body]).toEqual([200, { contactId: id }]);
    expect(await get(id)).toMatchObject({
      email: 'patch@example.com',
      firstName: 'Pat',
      lastName: null,
      properties: { b: 'x' },
    });
    expect((await team.call('PATCH', `${book}/contacts/${id}`, {})).status).toBe(200);
    expect((await team.call('PATCH', `${book}/contacts/con_unknown`, {})).status).toBe(404);
    expect((await team.call('PATCH', `${book}/contacts/${id}`, { subscribed: 1 })).status).toBe(400);
  });

  test('PUT updates an existing contact including its address, and adds one for an unknown id', async () => {
    const id = await post({ email: 'put@example.com', firstName: 'Put' });
    const taken = await post({ email: 'taken@example.com' });
    const path = `${book}/contacts/${id}`;
    expect((await team.call('PUT', path, { email: 'moved@example.com', lastName: 'On' })).body).toEqual({
      contactId: id,
    });
    expect(await get(id)).toMatchObject({ email: 'moved@example.com', firstName: 'Put', lastName: 'On' });
    expect((await team.call('PUT', path, { email: 'TAKEN@example.com' })).status).toBe(409);
    expect((await team.call('PUT', path, {})).status).toBe(400);
    expect(
      (await team.call('PUT', `${book}/contacts/anything`, { email: 'taken@example.com' })).body.contactId,
    ).toBe(taken);
    expect(
      (await team.call('PUT', `${book}/contacts/${taken}x`, { email: 'fresh@example.com' })).status,
    ).toBe(200);
  });

  test('DELETE removes it once', async () => {
    const id = await post({ email: 'delete@example.com' });
    const before = await countOf(book);
    expect((await team.call('DELETE', `${book}/contacts/${id}`)).body).toEqual({ success: true });
    expect((await team.call('DELETE', `${book}/contacts/${id}`)).status).toBe(404);
    expect((await team.call('GET', `${book}/contacts/${id}`)).status).toBe(404);
    expect(await countOf(book)).toBe(before - 1);
  });
});

describe('subscription', () => {
  test('only PATCH resubscribes a contact, and it records the author; POST, PUT and bulk do not', async () => {
    const id = await post({ email: 'left@example.com' });
    await post({ email: 'left@example.com', subscribed: false });
    expect(await get(id)).toMatchObject({ subscribed: false, unsubscribeReason: 'UNSUBSCRIBED' });
    await post({ email: 'left@example.com', subscribed: true });
    await team.call('PUT', `${book}/contacts/${id}`, { email: 'left@example.com', subscribed: true });
    await team.call('POST', `${book}/contacts/bulk`, [{ email: 'left@example.com', subscribed: true }]);
    expect((await get(id)).subscribed).toBe(false);
    await team.call('PATCH', `${book}/contacts/${id}`, { subscribed: true });
    expect(await get(id)).toMatchObject({ subscribed: true, unsubscribeReason: null });
    const { rows } = await sql<{ by: string }>`
      select subscription_changed_by as by from contacts where email_key = 'left@example.com'`.execute(
      server.db,
    );
    const keys = (await team.call('GET', '/api-keys')).body.items;
    expect(keys.map((key: { id: string }) => key.id)).toContain(rows[0]!.by);
  });

  test('with double opt-in a new contact is pending, and posting it again does not confirm it', async () => {
    const careful = await createBook({ doubleOptInEnabled: true });
    const id = await post({ email: 'new@example.com', subscribed: true }, careful);
    await post({ email: 'new@example.com', subscribed: true }, careful);
    expect(await get(id, careful)).toMatchObject({ subscribed: false, unsubscribeReason: null });
    await team.call('POST', `${careful}/contacts/bulk`, [
      { email: 'new@example.com' },
      { email: 'bulk@example.com' },
    ]);
    const { body } = await team.call('GET', `${careful}/contacts?subscribed=false`);
    expect(body.items).toHaveLength(2);
  });

  test('a contact added before double opt-in was turned on stays subscribed', async () => {
    const growing = await createBook();
    const id = await post({ email: 'old@example.com' }, growing);
    await team.call('PATCH', growing, { doubleOptInEnabled: true });
    await post({ email: 'old@example.com', firstName: 'Old' }, growing);
    expect((await get(id, growing)).subscribed).toBe(true);
  });
});

describe('lists', () => {
  test('filter by address, subscription and part of a name; % and _ are plain characters', async () => {
    const list = await createBook();
    await post({ email: 'mary.shelley@example.com', firstName: 'Mary', lastName: 'Shelley' }, list);
    await post(
      { email: 'percy@example.com', firstName: 'Percy', lastName: 'Shelley', subscribed: false },
      list,
    );
    await post({ email: '100%_sure@example.com' }, list);
    const find = async (query: string) =>
      (await team.call('GET', `${list}/contacts?${query}`)).body.items.map(
        (item: { email: string }) => item.email,
      );
    expect(await find('search=SHELL')).toEqual(['percy@example.com', 'mary.shelley@example.com']);
    expect(await find('search=mary%20sh')).toEqual(['mary.shelley@example.com']);
    expect(await find('search=shelley&subscribed=true')).toEqual(['mary.shelley@example.com']);
    expect(await find(`search=${encodeURIComponent('%_')}`)).toEqual(['100%_sure@example.com']);
    expect(await find(`search=${encodeURIComponent('y_s')}`)).toEqual([]);
    expect(await find('email=PERCY@example.com')).toEqual(['percy@example.com']);
    expect(await find('email=no-address')).toEqual([]);
    expect(await find('subscribed=false')).toEqual(['percy@example.com']);
  });

  test('have the contacts of one book alone, newest first, page by page', async () => {
    const books = [await createBook(), await createBook(), await createBook()];
    for (let no = 0; no < 5; no += 1)
      for (const [at, path] of books.entries()) await post({ email: `n${no}@${at}.example` }, path);
    await team.call(
      'POST',
      `${books[1]}/contacts/bulk`,
      Array.from({ length: 115 }, (_, at) => ({ email: `n${at + 5}@1.example` })),
    );
    const read = async (path: string, limit: number | null) => {
      const pages: string[][] = [];
      for (let cursor = ''; ;) {
        const query = new URLSearchParams({
          ...(limit && { limit: String(limit) }),
          ...(cursor && { cursor }),
        });
        const { body } = await team.call('GET', `${path}/contacts?${query.toString()}`);
        pages.push(body.items.map((item: { email: string }) => item.email));
        if (body.next_cursor === null) return pages;
        cursor = body.next_cursor;
      }
    };
    for (const at of [0, 2]) {
      expect(await read(books[at]!, 2)).toEqual([
        [`n4@${at}.example`, `n3@${at}.example`],
        [`n2@${at}.example`, `n1@${at}.example`],
        [`n0@${at}.example`],
      ]);
    }
    const all = Array.from({ length: 120 }, (_, at) => `n${119 - at}@1.example`);
    for (const [limit, sizes] of [
      [null, [50, 50, 20]],
      [100, [100, 20]],
      [60, [60, 60]],
    ] as const) {
      const pages = await read(books[1]!, limit);
      expect(pages.map((page) => page.length)).toEqual(sizes);
      expect(pages.flat()).toEqual(all);
    }
  });

  test('are not accessible to another team', async () => {
    const other = await server.createTeam();
    const id = await post({ email: 'walled@example.com', firstName: 'Walled' });
    const attempts: [string, string, unknown?][] = [
      ['GET', book],
      ['PATCH', book, { name: 'Stolen' }],
      ['DELETE', book],
      ['GET', `${book}/contacts`],
      ['POST', `${book}/contacts`, { email: 'intruder@example.com' }],
      ['POST', `${book}/contacts/bulk`, [{ email: 'intruder@example.com' }]],
      ['DELETE', `${book}/contacts/bulk`, { contactIds: [id] }],
      ['GET', `${book}/contacts/${id}`],
      ['PATCH', `${book}/contacts/${id}`, { firstName: 'Stolen' }],
      ['PUT', `${book}/contacts/${id}`, { email: 'stolen@example.com' }],
      ['DELETE', `${book}/contacts/${id}`],
    ];
    for (const [method, path, body] of attempts) {
      expect([method, path, (await other.call(method, path, body)).status]).toEqual([method, path, 404]);
    }
    expect((await other.call('GET', '/contactBooks')).body).toEqual([]);
    expect(await get(id)).toMatchObject({ email: 'walled@example.com', firstName: 'Walled' });
    const elsewhere = await createBook();
    expect((await team.call('GET', `${elsewhere}/contacts/${id}`)).status).toBe(404);
  });
});
