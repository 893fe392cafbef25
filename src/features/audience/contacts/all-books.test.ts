import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await shareTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  team = await server.createTeam();
});

async function addBook(name: string, people: object[]): Promise<string> {
  const { body } = await team.call('POST', '/contactBooks', { name });
  if (people.length > 0) await team.call('POST', `/contactBooks/${body.id}/contacts/bulk`, people);
  return body.id;
}

interface Found {
  id: string;
  email: string;
}

async function find(query: string): Promise<string[]> {
  const { status, body } = await team.call('GET', `/contacts?${query}`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.items.map(({ email }: Found) => email);
}

async function idOf(book: string, email: string): Promise<string> {
  return (await team.call('GET', `/contactBooks/${book}/contacts?email=${email}`)).body.items[0].id;
}

describe('the contacts of all books', () => {
  test('are listed newest first and searched by address and name', async () => {
    const first = await addBook('First', [{ email: 'ada@example.org', firstName: 'Ada' }]);
    await addBook('Second', [{ email: 'grace@navy.example', lastName: 'Hopper', subscribed: false }]);
    await team.call('POST', `/contactBooks/${first}/contacts`, { email: 'ADA@navy.example' });
    expect(await find('')).toEqual(['ADA@navy.example', 'grace@navy.example', 'ada@example.org']);
    expect(await find('search=NAVY')).toEqual(['ADA@navy.example', 'grace@navy.example']);
    expect(await find('search=hopp')).toEqual(['grace@navy.example']);
    expect(await find('search=%25')).toEqual([]);
    expect(await find('subscribed=false')).toEqual(['grace@navy.example']);
    const { body: head } = await team.call('GET', '/contacts?limit=2');
    expect(await find(`limit=2&cursor=${head.next_cursor}`)).toEqual(['ada@example.org']);
    const stranger = await server.createTeam();
    expect((await stranger.call('GET', '/contacts?search=ada')).body).toEqual({
      items: [],
      next_cursor: null,
    });
  });

  test('are found by a whole address in any spelling', async () => {
    await addBook('First', [{ email: 'ada@example.org' }, { email: 'ada@example.org.uk' }]);
    await addBook('Second', [{ email: 'Ada@EXAMPLE.org' }]);
    expect((await find('email=ada@Example.org')).toSorted()).toEqual(['Ada@EXAMPLE.org', 'ada@example.org']);
    const { body: head } = await team.call('GET', '/contacts?email=ada@example.org&limit=1');
    expect(await find(`email=ada@example.org&cursor=${head.next_cursor}`)).toHaveLength(1);
    expect(await find('email=nobody')).toEqual([]);
  });

  test('a page that scans many contacts without a match returns a cursor to continue', async () => {
    const book = await addBook('Large', [{ email: 'needle@example.org' }]);
    await sql`
      insert into contacts (team_id, contact_book_id, id, email, email_key, properties, subscription,
        subscription_changed_by)
      select c.team_id, c.contact_book_id, ('ffffffff-ffff-7fff-8fff-' || lpad(to_hex(n), 12, '0'))::uuid,
        'hay' || n, 'hay' || n, '{}', 'subscribed', 'test'
      from contacts c, generate_series(1, 50010) as n where c.team_id = ${team.teamId}
    `.execute(server.db);
    const { body } = await team.call('GET', '/contacts?search=needle');
    expect(body).toEqual({ items: [], next_cursor: expect.any(String) });
    expect(await find(`search=needle&cursor=${body.next_cursor}`)).toEqual(['needle@example.org']);
    await team.call('DELETE', `/contactBooks/${book}`);
  });

  test('a wrong query is rejected', async () => {
    for (const query of ['cursor=x', 'limit=0', 'search=%00', `search=${'x'.repeat(201)}`, 'subscribed=yes'])
      expect([query, (await team.call('GET', `/contacts?${query}`)).status]).toEqual([query, 400]);
  });
});

test('a contact shows its subscription, its books and whether its address is suppressed', async () => {
  const first = await addBook('First', [{ email: 'ada@example.org' }]);
  const second = await addBook('Second', [{ email: 'ADA@example.org', subscribed: false }]);
  const [id, other] = [await idOf(first, 'ada@example.org'), await idOf(second, 'ada@example.org')];
  await team.call('POST', '/suppressions', { email: 'Ada@example.org' });
  const { body } = await team.call('GET', `/contactBooks/${first}/contacts/${id}`);
  expect(body).toMatchObject({
    id,
    subscribed: true,
    subscription: { state: 'subscribed', changedBy: expect.stringMatching(/^key_/) },
    confirmationSentAt: null,
    lastOpenedAt: null,
    lastClickedAt: null,
    suppression: { reason: 'MANUAL', createdAt: expect.any(String) },
    books: [
      { contactBookId: first, contactId: id, name: 'First', emoji: '📙', subscribed: true },
      { contactBookId: second, contactId: other, name: 'Second', emoji: '📙', subscribed: false },
    ],
  });
  const { body: pending } = await team.call('GET', `/contactBooks/${second}/contacts/${other}`);
  expect(pending.subscription.state).toBe('unsubscribed');
  expect((await team.call('GET', `/contactBooks/${second}/contacts/${id}`)).status).toBe(404);
});

async function statesOf(book: string): Promise<Record<string, boolean>> {
  const { body } = await team.call('GET', `/contactBooks/${book}/contacts`);
  return Object.fromEntries(
    body.items.map(({ email, subscribed }: Found & { subscribed: boolean }) => [email, subscribed]),
  );
}

describe('changing many contacts', () => {
  test('unsubscribes them and changes their topics, in this book only', async () => {
    const book = await addBook('First', [{ email: 'a@x.org' }, { email: 'b@x.org' }, { email: 'c@x.org' }]);
    const elsewhere = await addBook('Second', [{ email: 'a@x.org' }]);
    const topic = (await team.call('POST', '/topics', { name: 'News', defaultSubscription: 'opt_in' })).body
      .id;
    const ids = [await idOf(book, 'a@x.org'), await idOf(book, 'b@x.org'), await idOf(elsewhere, 'a@x.org')];
    const path = `/contactBooks/${book}/contacts/bulk`;
    const topics = [{ id: topic, subscribed: true }];
    const { body } = await team.call('PATCH', path, { contactIds: [...ids, ids[0], 'con_none'], topics });
    expect(body).toEqual({ success: true, count: 2 });
    const listed = await team.call('GET', `/contactBooks/${book}/contacts/${ids[0]}/topics`);
    expect(listed.body.items[0].subscribed).toBe(true);
    expect((await team.call('PATCH', path, { contactIds: ids, subscribed: false })).body.count).toBe(2);
    expect(await statesOf(book)).toEqual({ 'a@x.org': false, 'b@x.org': false, 'c@x.org': true });
    expect(await statesOf(elsewhere)).toEqual({ 'a@x.org': true });
  });

  test('changes nothing when a topic is unknown, and resubscribes nobody', async () => {
    const book = await addBook('First', [{ email: 'a@x.org' }]);
    const contactIds = [await idOf(book, 'a@x.org')];
    const path = `/contactBooks/${book}/contacts/bulk`;
    const stranger = await server.createTeam();
    const strange = (await stranger.call('POST', '/topics', { name: 'T' })).body.id;
    for (const id of ['top_none', strange]) {
      const change = { contactIds, subscribed: false, topics: [{ id, subscribed: true }] };
      expect((await team.call('PATCH', path, change)).status).toBe(404);
    }
    expect(await statesOf(book)).toEqual({ 'a@x.org': true });
    for (const body of [
      { contactIds },
      { contactIds, subscribed: true },
      { contactIds: [], subscribed: false },
      { contactIds: 'con_1', subscribed: false },
      { contactIds, topics: [] },
      { contactIds, topics: Array.from({ length: 11 }, (_, at) => ({ id: `top_${at}`, subscribed: true })) },
    ])
      expect((await team.call('PATCH', path, body)).status).toBe(400);
    expect((await stranger.call('PATCH', path, { contactIds, subscribed: false })).status).toBe(404);
    const other = await stranger.call('POST', '/contactBooks', { name: 'B' });
    const elsewhere = `/contactBooks/${other.body.id}/contacts/bulk`;
    const none = await stranger.call('PATCH', elsewhere, { contactIds, subscribed: false });
    expect(none.body).toEqual({ success: true, count: 0 });
    expect(await statesOf(book)).toEqual({ 'a@x.org': true });
  });
});
