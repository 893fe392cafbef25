import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../../testing/factories.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let book: string;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  await addDomain(server.db, team.teamId, 'news.test');
  book = (await team.call('POST', '/contactBooks', { name: 'News' })).body.id;
});
afterAll(() => server.close());

async function addSegment(): Promise<string> {
  const segment = { name: 'All', contactBookId: book, filter: { all: [] } };
  return (await team.call('POST', '/segments', segment)).body.id;
}

async function addTopic(): Promise<string> {
  return (await team.call('POST', '/topics', { name: 'News' })).body.id;
}

test.each([
  ['a segment', '/segments', addSegment, (id: string) => ({ segmentId: id })],
  ['a segment that is left out', '/segments', addSegment, (id: string) => ({ excludeSegmentIds: [id] })],
  ['a topic', '/topics', addTopic, (id: string) => ({ topicId: id })],
])('%s stays while a campaign that is not through yet uses it', async (_what, path, add, asTarget) => {
  const id = await add();
  const { body: campaign } = await team.call('POST', '/campaigns', {
    name: 'November',
    from: 'hello@news.test',
    subject: 'Hello',
    contactBookId: book,
    html: '<p>Hello</p>',
    scheduledAt: '2030-01-01T09:00:00Z',
    ...asTarget(id),
  });
  expect(campaign.status).toBe('SCHEDULED');
  expect((await team.call('DELETE', `${path}/${id}`)).status).toBe(409);
  expect((await team.call('POST', `/campaigns/${campaign.id}/pause`)).status).toBe(200);
  expect((await team.call('DELETE', `${path}/${id}`)).status).toBe(409);
  expect((await team.call('GET', `${path}/${id}`)).status).toBe(200);

  await team.call('DELETE', `/campaigns/${campaign.id}`);
  expect((await team.call('DELETE', `${path}/${id}`)).status).toBe(200);
});
