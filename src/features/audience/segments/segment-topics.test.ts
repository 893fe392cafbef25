import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let book: string;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  book = (await team.call('POST', '/contactBooks', { name: 'Readers' })).body.id;
  const people = ['ada', 'grace', 'alan'].map((name) => ({ email: `${name}@example.com` }));
  await team.call('POST', `/contactBooks/${book}/contacts/bulk`, people);
});
afterAll(() => server.close());

function inTopic(op: string, value: string): object {
  return { all: [{ field: 'topic', op, value }] };
}

async function findMatches(filter: object): Promise<string> {
  const { body } = await team.call('POST', '/segments', { name: 'S', contactBookId: book, filter });
  const { body: page } = await team.call('GET', `/segments/${body.id}/contacts`);
  const names = page.items.map(({ email }: { email: string }) => email.split('@')[0]);
  expect((await team.call('GET', `/segments/${body.id}/count`)).body.count).toBe(names.length);
  await team.call('DELETE', `/segments/${body.id}`);
  return names.toSorted().join(' ');
}

test('a topic finds those who get it by choice or by default', async () => {
  const news = (await team.call('POST', '/topics', { name: 'News' })).body.id;
  const offers = (await team.call('POST', '/topics', { name: 'Offers', defaultSubscription: 'opt_in' })).body
    .id;
  const { body: ada } = await team.call('GET', `/contactBooks/${book}/contacts?email=ada@example.com`);
  const changes = { topics: [news, offers].map((id) => ({ id, subscribed: id === offers })) };
  const path = `/contactBooks/${book}/contacts/${ada.items[0].id}/topics`;
  expect((await team.call('PATCH', path, changes)).status).toBe(200);
  expect(await findMatches(inTopic('in', news))).toBe('alan grace');
  expect(await findMatches(inTopic('notIn', news))).toBe('ada');
  expect(await findMatches(inTopic('in', offers))).toBe('ada');
  const either = { any: [inTopic('notIn', news), inTopic('notIn', offers)] };
  expect(await findMatches(either)).toBe('ada alan grace');
});

test('a topic that a segment names cannot be deleted', async () => {
  const topic = (await team.call('POST', '/topics', { name: 'News' })).body.id;
  const fields = { name: 'Readers', contactBookId: book, filter: { any: [inTopic('in', topic)] } };
  const { body: segment } = await team.call('POST', '/segments', fields);
  const refused = await team.call('DELETE', `/topics/${topic}`);
  expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
  expect(refused.body.error.message).toContain('“Readers”');
  expect((await team.call('PATCH', `/segments/${segment.id}`, { filter: { all: [] } })).status).toBe(200);
  expect((await team.call('DELETE', `/topics/${topic}`)).status).toBe(200);
});

test('a topic that the team does not have cannot be named', async () => {
  const own = { name: 'S', contactBookId: book, filter: { all: [] } };
  const { body: segment } = await team.call('POST', '/segments', own);
  const other = await server.createTeam();
  const strangers = (await other.call('POST', '/topics', { name: 'News' })).body.id;
  for (const value of [strangers, 'top_none', strangers.replace('top', 'cmp')]) {
    const filter = inTopic('notIn', value);
    expect((await team.call('POST', '/segments', { ...own, filter })).status).toBe(404);
    expect((await team.call('PATCH', `/segments/${segment.id}`, { filter })).status).toBe(404);
    expect((await team.call('POST', '/segments/count', { contactBookId: book, filter })).status).toBe(404);
  }
  expect((await team.call('GET', `/segments/${segment.id}`)).body).toEqual(segment);
});
