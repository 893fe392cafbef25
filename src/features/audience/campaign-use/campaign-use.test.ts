import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeId, type IdPrefix } from '../../../platform/ids.ts';
import { countWaiting } from '../../../testing/count-waiting.ts';
import { addDomain } from '../../../testing/factories.ts';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let book: string;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  await addDomain(server.db, team.teamId, 'news.test');
  book = (await team.call('POST', '/contactBooks', { name: 'News' })).body.id;
});
afterAll(() => server.close());

async function addSegment(): Promise<string> {
  const segment = { name: 'All', contactBookId: book, filter: { all: [] } };
  return (await team.call('POST', '/segments', segment)).body.id;
}

async function addBook(): Promise<string> {
  return (await team.call('POST', '/contactBooks', { name: 'Short-lived' })).body.id;
}

async function addTopic(): Promise<string> {
  return (await team.call('POST', '/topics', { name: 'News' })).body.id;
}

const LATER = '2030-01-01T09:00:00Z';

async function addCampaign(fields: object): Promise<{ id: string; status: string }> {
  const { body } = await team.call('POST', '/campaigns', {
    name: 'November',
    from: 'hello@news.test',
    subject: 'Hello',
    contactBookId: book,
    html: '<p>Hello</p>',
    ...fields,
  });
  return body;
}

test.each([
  ['a segment', '/segments', addSegment, (id: string) => ({ segmentId: id })],
  ['an excluded segment', '/segments', addSegment, (id: string) => ({ excludeSegmentIds: [id] })],
  ['a topic', '/topics', addTopic, (id: string) => ({ topicId: id })],
])('%s cannot be deleted while an unfinished campaign uses it', async (_what, path, add, asTarget) => {
  const id = await add();
  const campaign = await addCampaign({ scheduledAt: LATER, ...asTarget(id) });
  expect(campaign.status).toBe('SCHEDULED');
  expect((await team.call('DELETE', `${path}/${id}`)).status).toBe(409);
  expect((await team.call('POST', `/campaigns/${campaign.id}/pause`)).status).toBe(200);
  expect((await team.call('DELETE', `${path}/${id}`)).status).toBe(409);
  expect((await team.call('GET', `${path}/${id}`)).status).toBe(200);

  await team.call('DELETE', `/campaigns/${campaign.id}`);
  expect((await team.call('DELETE', `${path}/${id}`)).status).toBe(200);
});

const DELETABLE: [string, IdPrefix, () => Promise<string>, (id: string) => object][] = [
  ['contact_books', 'cbk', addBook, (id) => ({ contactBookId: id })],
  ['segments', 'seg', addSegment, (id) => ({ segmentId: id })],
  ['segments', 'seg', addSegment, (id) => ({ excludeSegmentIds: [id] })],
  ['topics', 'top', addTopic, (id) => ({ topicId: id })],
];

test.each(DELETABLE)(
  'a draft cannot be scheduled with one of the %s that is being deleted',
  async (table, prefix, add, asTarget) => {
    const id = await add();
    const campaign = await addCampaign(asTarget(id));
    const own = sql`${sql.table(table)} where team_id = ${team.teamId} and id = ${decodeId(prefix, id)}`;
    const { starting } = await server.db.transaction().execute(async (trx) => {
      await sql`select 1 from ${own} for update`.execute(trx);
      const waiting = team.call('POST', `/campaigns/${campaign.id}/schedule`, { scheduledAt: LATER });
      await expect.poll(() => countWaiting(server.db)).toBe(1);
      await sql`delete from ${own}`.execute(trx);
      return { starting: waiting };
    });
    expect((await starting).status).toBe(400);
    expect((await team.call('GET', `/campaigns/${campaign.id}`)).body.status).toBe('DRAFT');
  },
);

test('a book is not deleted when a campaign to it starts concurrently', async () => {
  const id = await addBook();
  const campaign = await addCampaign({ contactBookId: id });
  const { deleting } = await server.db.transaction().execute(async (trx) => {
    await sql`select 1 from contact_books where id = ${decodeId('cbk', id)} for key share`.execute(trx);
    await sql`update campaigns set status = 'RUNNING' where id = ${decodeId('cmp', campaign.id)}`.execute(
      trx,
    );
    const waiting = team.call('DELETE', `/contactBooks/${id}`);
    await expect.poll(() => countWaiting(server.db)).toBe(1);
    return { deleting: waiting };
  });
  expect((await deleting).status).toBe(409);
  expect((await team.call('GET', `/contactBooks/${id}`)).status).toBe(200);
});
