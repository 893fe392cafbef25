import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

/** The server runs no worker, so the rows of a deleted book stay until a test starts one. */
beforeAll(async () => {
  server = await startTestServer({ doors: ['http'] });
  team = await server.createTeam();
});
afterAll(() => server.close());

async function countRows(): Promise<{ contacts: number; topics: number }> {
  const { rows } = await sql<{ contacts: number; topics: number }>`
    select (select count(*) from contacts where team_id = ${team.teamId}) as contacts,
      (select count(*) from contact_topics where team_id = ${team.teamId}) as topics
  `.execute(server.db);
  return rows[0]!;
}

/** Adds a book whose first contact has left a topic. */
async function addBook(count: number): Promise<{ book: string; contact: string; topic: string }> {
  const { body: topic } = await team.call('POST', '/topics', {
    name: 'News',
    defaultSubscription: 'opt_out',
  });
  const { body } = await team.call('POST', '/contactBooks', { name: 'Large' });
  const people = Array.from({ length: count }, (_, at) => ({
    email: `p${at}@large.test`,
    firstName: 'Large',
  }));
  await team.call('POST', `/contactBooks/${body.id}/contacts/bulk`, people);
  const { body: found } = await team.call('GET', `/contactBooks/${body.id}/contacts?email=p0@large.test`);
  const contact = found.items[0].id;
  const left = { topics: [{ id: topic.id, subscribed: false }] };
  await team.call('PATCH', `/contactBooks/${body.id}/contacts/${contact}/topics`, left);
  return { book: body.id, contact, topic: topic.id };
}

test('a deleted book is gone for every reader before its contacts are removed, and a worker removes them later', async () => {
  const { book, contact, topic } = await addBook(120);
  const { body: other } = await team.call('POST', '/contactBooks', { name: 'Small' });
  await team.call('POST', `/contactBooks/${other.id}/contacts`, { email: 'p0@large.test' });

  const { status, body } = await team.call('DELETE', `/contactBooks/${book}`);
  expect([status, body]).toEqual([
    200,
    { id: book, success: true, message: 'Contact book deleted successfully' },
  ]);
  expect(await countRows()).toEqual({ contacts: 121, topics: 1 });

  const ofBook = `/contactBooks/${book}`;
  const ofContact = `${ofBook}/contacts/${contact}`;
  const topics = { topics: [{ id: topic, subscribed: true }] };
  const requests: [string, string, unknown?][] = [
    ['GET', ofBook],
    ['GET', `${ofBook}/contacts`],
    ['GET', `${ofBook}/contacts?search=large`],
    ['GET', `${ofBook}/export`],
    ['GET', ofContact],
    ['GET', `${ofContact}/topics`],
    ['GET', `${ofContact}/activity`],
    ['PATCH', `${ofContact}/topics`, topics],
    ['PATCH', ofContact, { firstName: 'Ada' }],
    ['DELETE', ofContact],
    ['POST', `${ofBook}/contacts`, { email: 'late@large.test' }],
    ['POST', `${ofBook}/contacts/bulk`, [{ email: 'late@large.test' }]],
    ['DELETE', `${ofBook}/contacts/bulk`, { contactIds: [contact] }],
    ['DELETE', ofBook],
  ];
  for (const [method, path, sent] of requests) {
    expect([method, path, (await team.call(method, path, sent)).status]).toEqual([method, path, 404]);
  }
  const all = await team.call('GET', '/contacts?limit=100');
  expect(all.body.items.map(({ email }: { email: string }) => email)).toEqual(['p0@large.test']);
  expect((await team.call('GET', '/contacts?search=large')).body.items).toHaveLength(1);
  const books = await team.call('GET', '/contactBooks');
  expect(books.body.map((each: { id: string }) => each.id)).toEqual([other.id]);
  expect(await countRows()).toEqual({ contacts: 121, topics: 1 });

  const worker = await startTestServer({ doors: ['worker'], databaseUrl: server.config.databaseUrl! });
  await expect.poll(countRows, { timeout: 30_000 }).toEqual({ contacts: 1, topics: 0 });
  await worker.close();
}, 120_000);

test('contacts that are added while the book is deleted are either rejected or removed with it', async () => {
  const { book, contact } = await addBook(20);
  const before = (await countRows()).contacts;
  const requests = Array.from({ length: 20 }, (_, at) =>
    at === 10
      ? team.call('DELETE', `/contactBooks/${book}`)
      : at % 2 === 0
        ? team.call('POST', `/contactBooks/${book}/contacts`, { email: `race${at}@large.test` })
        : team.call('DELETE', `/contactBooks/${book}/contacts/${contact}`),
  );
  const statuses = new Set((await Promise.all(requests)).map(({ status }) => status));
  expect([...statuses].every((status) => status === 200 || status === 404)).toBe(true);
  const worker = await startTestServer({ doors: ['worker'], databaseUrl: server.config.databaseUrl! });
  await expect.poll(async () => (await countRows()).contacts, { timeout: 30_000 }).toBe(before - 20);
  await worker.close();
}, 120_000);
