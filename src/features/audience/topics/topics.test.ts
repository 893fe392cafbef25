import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeId } from '../../../platform/ids.ts';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { topicCondition } from '../segments/topic-condition.ts';

let server: TestServer;
let team: TestTeam;
let book: string;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  book = (await team.call('POST', '/contactBooks', { name: 'Readers' })).body.id;
});
afterAll(() => server.close());

async function addTopic(input: object = {}) {
  const { status, body } = await team.call('POST', '/topics', { name: 'News', ...input });
  expect(status).toBe(200);
  return body;
}

async function addContact(email: string, bookId = book): Promise<string> {
  return (await team.call('POST', `/contactBooks/${bookId}/contacts`, { email })).body.contactId;
}

const topicsOf = (contact: string, bookId = book) => `/contactBooks/${bookId}/contacts/${contact}/topics`;

async function choose(contact: string, ...topics: { id: string; subscribed: boolean }[]) {
  return team.call('PATCH', topicsOf(contact), { topics });
}

/** Returns the book's contacts that match the topic condition of campaigns. */
async function audience(topicId: string): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    select p.email from contacts p
    where p.team_id = ${team.teamId} and p.contact_book_id = ${decodeId('cbk', book)}
      and ${topicCondition(team.teamId, decodeId('top', topicId)!, 'p')}
    order by p.email
  `.execute(server.db);
  return rows.map(({ email }) => email);
}

async function countChoices(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from contact_topics where team_id = ${team.teamId}
  `.execute(server.db);
  return rows[0]!.count;
}

test('topics can be created, listed, changed and deleted', async () => {
  const own = await server.createTeam();
  const { body: topic } = await own.call('POST', '/topics', { name: '  News ' });
  expect(topic).toEqual({
    id: expect.stringMatching(/^top_/),
    name: 'News',
    description: null,
    defaultSubscription: 'opt_out',
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const input = { name: 'Offers', description: 'Now and then', defaultSubscription: 'opt_in' };
  const { body: second } = await own.call('POST', '/topics', input);
  expect(second).toMatchObject(input);
  expect((await own.call('GET', '/topics?limit=1')).body).toEqual({
    items: [second],
    next_cursor: second.id,
  });
  expect((await own.call('GET', `/topics?cursor=${second.id}`)).body).toEqual({
    items: [topic],
    next_cursor: null,
  });
  expect((await own.call('GET', `/topics/${topic.id}`)).body).toEqual(topic);
  expect((await own.call('PATCH', `/topics/${topic.id}`, {})).body).toEqual(topic);
  const change = { description: null, defaultSubscription: 'opt_out' };
  expect((await own.call('PATCH', `/topics/${second.id}`, change)).body).toMatchObject({
    ...change,
    name: 'Offers',
  });
  expect((await own.call('DELETE', `/topics/${topic.id}`)).body).toEqual({ id: topic.id, success: true });
  for (const method of ['GET', 'DELETE'])
    expect((await own.call(method, `/topics/${topic.id}`)).status).toBe(404);
  expect((await own.call('PATCH', `/topics/${topic.id}`, { name: 'X' })).status).toBe(404);
});

test.each([
  [{}],
  [{ name: '' }],
  [{ name: 'x'.repeat(201) }],
  [{ name: 'x', description: 7 }],
  [{ name: 'x', description: 'x'.repeat(1001) }],
  [{ name: 'x', defaultSubscription: 'maybe' }],
])('%j is refused', async (input) => {
  expect((await team.call('POST', '/topics', input)).status).toBe(400);
});

describe('a contact', () => {
  test('follows the default until it chooses, and a choice survives a change of the default', async () => {
    const [ada, grace] = [await addContact('ada@example.com'), await addContact('grace@example.com')];
    const news = await addTopic();
    const offers = await addTopic({ name: 'Offers', defaultSubscription: 'opt_in' });
    expect(await audience(news.id)).toEqual(['ada@example.com', 'grace@example.com']);
    expect(await audience(offers.id)).toEqual([]);
    const before = (await team.call('GET', topicsOf(ada))).body.items;
    expect(before).toMatchObject([
      { id: offers.id, name: 'Offers', subscribed: false, changedAt: null },
      { id: news.id, defaultSubscription: 'opt_out', subscribed: true, changedAt: null },
    ]);

    const left = await choose(ada, { id: news.id, subscribed: false }, { id: offers.id, subscribed: true });
    expect([left.status, left.body]).toEqual([200, { contactId: ada }]);
    expect(await audience(news.id)).toEqual(['grace@example.com']);
    expect(await audience(offers.id)).toEqual(['ada@example.com']);
    const [first] = (await team.call('GET', `${topicsOf(ada)}?limit=1`)).body.items;
    expect(first).toMatchObject({ id: offers.id, subscribed: true, changedAt: expect.any(String) });
    expect((await team.call('GET', `/contactBooks/${book}/contacts/${ada}`)).body.subscribed).toBe(true);
    const { rows } = await sql<{
      changed_by: string;
    }>`select distinct changed_by from contact_topics`.execute(server.db);
    expect(rows).toEqual([{ changed_by: expect.stringMatching(/^key_/) }]);

    await team.call('PATCH', `/topics/${news.id}`, { defaultSubscription: 'opt_in' });
    expect(await audience(news.id)).toEqual([]);
    await choose(grace, { id: news.id, subscribed: true });
    expect(await audience(news.id)).toEqual(['grace@example.com']);
    await team.call('PATCH', `/topics/${news.id}`, { defaultSubscription: 'opt_out' });
    expect(await audience(news.id)).toEqual(['grace@example.com']);
    await choose(ada, { id: news.id, subscribed: true });
    expect(await audience(news.id)).toEqual(['ada@example.com', 'grace@example.com']);

    await team.call('DELETE', `/topics/${news.id}`);
    expect(await audience(news.id)).toEqual([]);
    expect(await countChoices()).toBe(1);
    await team.call('DELETE', `/topics/${offers.id}`);
    expect(await countChoices()).toBe(0);
  });

  test('can choose only existing topics, and one invalid choice rejects all', async () => {
    const contact = await addContact('alan@example.com');
    const { id } = await addTopic();
    for (const [topics, status] of [
      [[], 400],
      ['x', 400],
      [[{ id, subscribed: 'no' }], 400],
      [[{ id }], 400],
      [
        [
          { id, subscribed: true },
          { id, subscribed: false },
        ],
        400,
      ],
      [Array.from({ length: 101 }, (_, at) => ({ id: `top_${at}`, subscribed: true })), 400],
      [
        [
          { id, subscribed: false },
          { id: 'top_none', subscribed: true },
        ],
        404,
      ],
    ] as const)
      expect((await team.call('PATCH', topicsOf(contact), { topics })).status).toBe(status);
    expect(await countChoices()).toBe(0);
    const change = { topics: [{ id, subscribed: false }] };
    expect((await team.call('PATCH', topicsOf('con_none'), change)).status).toBe(404);
    expect((await team.call('PATCH', topicsOf(contact, 'cbk_none'), change)).status).toBe(404);
    expect((await team.call('GET', topicsOf('con_none'))).status).toBe(404);
    const elsewhere = (await team.call('POST', '/contactBooks', { name: 'Other' })).body.id;
    expect((await team.call('PATCH', topicsOf(contact, elsewhere), change)).status).toBe(404);

    const other = await server.createTeam();
    const theirs = (await other.call('POST', '/topics', { name: 'Theirs' })).body;
    expect((await choose(contact, { id: theirs.id, subscribed: true })).status).toBe(404);
    expect((await other.call('PATCH', topicsOf(contact), change)).status).toBe(404);
    expect((await other.call('GET', topicsOf(contact))).status).toBe(404);
    for (const method of ['GET', 'DELETE'])
      expect((await other.call(method, `/topics/${id}`)).status).toBe(404);
    expect((await other.call('PATCH', `/topics/${id}`, { name: 'X' })).status).toBe(404);
    const { key } = (await team.call('POST', '/api-keys', { name: 'S', permission: 'sending' })).body;
    expect((await createCall(server.url, key)('GET', '/topics')).status).toBe(403);
  });

  test('loses its choices when it is deleted, alone or in bulk', async () => {
    const { id } = await addTopic();
    const own = (await team.call('POST', '/contactBooks', { name: 'Own' })).body.id;
    const [one, two, three] = await Promise.all(
      ['1', '2', '3'].map((no) => addContact(`${no}@example.com`, own)),
    );
    for (const contact of [one!, two!, three!])
      await team.call('PATCH', topicsOf(contact, own), { topics: [{ id, subscribed: false }] });
    expect(await countChoices()).toBe(3);
    expect((await team.call('DELETE', `/contactBooks/${own}/contacts/${one}`)).status).toBe(200);
    expect(await countChoices()).toBe(2);
    const bulk = await team.call('DELETE', `/contactBooks/${own}/contacts/bulk`, { contactIds: [two, one] });
    expect(bulk.body).toEqual({ success: true, count: 1 });
    expect(await countChoices()).toBe(1);
    expect((await team.call('GET', `/contactBooks/${own}`)).body._count).toEqual({ contacts: 1 });
    await team.call('DELETE', `/contactBooks/${own}/contacts/${three}`);
    expect(await countChoices()).toBe(0);
  });

  test('leaves no choices behind when it is deleted while choosing', async () => {
    const topics = await Promise.all(Array.from({ length: 4 }, () => addTopic()));
    const left = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const contact = await addContact(`race${at}@example.com`);
        const choices = topics.map(({ id }) => choose(contact, { id, subscribed: at % 2 === 0 }));
        const gone = team.call('DELETE', `/contactBooks/${book}/contacts/${contact}`);
        for (const { status } of await Promise.all(choices)) expect([200, 404]).toContain(status);
        return (await gone).status;
      }),
    );
    expect(new Set(left)).toEqual(new Set([200]));
    expect(await countChoices()).toBe(0);
  });
});
