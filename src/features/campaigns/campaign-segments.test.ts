import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeId } from '../../platform/ids.ts';
import {
  addBook,
  closeCampaignWorld,
  create,
  makePeople,
  openCampaignWorld,
  server,
  sink,
  start,
  team,
  untilStatus,
} from '../../testing/fixtures/campaign-world.ts';

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const HTML = '<p><a href="https://shop.example/a">A</a> <a href="https://shop.example/b">B</a></p>';

let book: string;
let campaign: string;

beforeAll(openCampaignWorld);
afterAll(closeCampaignWorld);

function linksOf(html: string) {
  return [...html.matchAll(/href="https:\/\/post.example(\/t\/c\/[^"]*)"/g)];
}

async function visit(person: string, pathOf: (html: string) => string): Promise<void> {
  const message = sink.messages.find(({ recipients }) => recipients[0] === `${person}@example.org`)!;
  const { html = '' } = await PostalMime.parse(message.data);
  await fetch(`${server.url}${pathOf(html)}`, { redirect: 'manual', headers: { 'user-agent': BROWSER } });
}

async function createSegment(condition: object): Promise<string> {
  const { status, body } = await team.call('POST', '/segments', {
    name: 'S',
    contactBookId: book,
    filter: { all: [{ field: 'campaign', value: campaign, ...condition }] },
  });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.id;
}

async function listNames(segmentId: string): Promise<string> {
  const { body } = await team.call('GET', `/segments/${segmentId}/contacts`);
  const names = body.items.map(({ email }: { email: string }) => email.split('@')[0]).toSorted();
  const { body: counted } = await team.call('GET', `/segments/${segmentId}/count`);
  expect(counted.count).toBe(names.length);
  return names.join(' ');
}

async function countPeople(op: string): Promise<number> {
  return (await listNames(await createSegment({ op }))).split(' ').length;
}

const A = 'https://shop.example/a';

const CONDITIONS: [object, string][] = [
  [{ op: 'sent' }, 'blocked deferred u0 u1 u2 u3'],
  [{ op: 'notSent' }, 'u4'],
  [{ op: 'opened' }, 'u1 u2 u3'],
  [{ op: 'notOpened' }, 'u0'],
  [{ op: 'clicked' }, 'u2 u3'],
  [{ op: 'clicked', url: A }, 'u2'],
  [{ op: 'clicked', url: `${A}/other` }, ''],
  [{ op: 'notClicked' }, 'u0 u1'],
  [{ op: 'notClicked', url: A }, 'u0 u1 u3'],
];

test('contacts are found by what they did with a campaign', async () => {
  // u0 does nothing, u1 opens, u2 clicks the first link, u3 clicks the second. u4 is added after the campaign. Two
  // never get it, and so did not leave it unopened; neither is suppressed.
  sink.behave({
    rcptReplies: { 'blocked@example.org': '550 5.7.1 Blocked', 'deferred@example.org': '451 4.3.0 Later' },
  });
  await sql`update domains set open_tracking = true, click_tracking = true`.execute(server.db);
  const lost = ['blocked', 'deferred'].map((name) => ({ email: `${name}@example.org` }));
  book = await addBook([...makePeople(4), ...lost]);
  campaign = await create(book, { html: HTML });
  await start(campaign);
  await untilStatus(campaign, 'SENT');
  expect((await team.call('GET', '/suppressions')).body.items).toEqual([]);
  await team.call('POST', `/contactBooks/${book}/contacts`, { email: 'u4@example.org' });
  await visit('u1', (html) => html.match(/src="https:\/\/post.example(\/t\/o\/[^"]*)"/)![1]!);
  await visit('u2', (html) => linksOf(html)[0]![1]!);
  await visit('u3', (html) => linksOf(html)[1]![1]!);
  await expect.poll(async () => (await team.call('GET', `/campaigns/${campaign}`)).body.clicked).toBe(2);
  for (const [condition, people] of CONDITIONS)
    expect([condition, await listNames(await createSegment(condition))]).toEqual([condition, people]);
});

test('a person who was sent the campaign is found by address in another book', async () => {
  const other = await addBook([{ email: 'U1@example.org' }, { email: 'new@example.org' }]);
  const filter = { any: [{ field: 'campaign', op: 'opened', value: campaign }] };
  const { body } = await team.call('POST', '/segments/count', { contactBookId: other, filter });
  expect(body).toEqual({ count: 1 });
});

test('those who did not open are as many as the report says', async () => {
  const { counts } = (await team.call('GET', `/campaigns/${campaign}/report`)).body;
  expect(await countPeople('sent')).toBe(counts.sent);
  expect(await countPeople('notOpened')).toBe(counts.delivered - counts.opened);
  expect(await countPeople('notClicked')).toBe(counts.delivered - counts.clicked);
});

test('a second campaign reaches only those who did not open the first', async () => {
  const segmentId = await createSegment({ op: 'notOpened' });
  sink.reset();
  const second = await create(book, { segmentId, subject: 'Once more' });
  await start(second);
  await untilStatus(second, 'SENT');
  expect(sink.messages.map(({ recipients }) => recipients[0])).toEqual(['u0@example.org']);
});

test('a campaign of another team or an unknown one cannot be named', async () => {
  const stranger = await server.createTeam();
  const strangersBook = (await stranger.call('POST', '/contactBooks', { name: 'B' })).body.id;
  for (const id of [campaign, 'cmp_none', campaign.replace('cmp', 'top')]) {
    const filter = { all: [{ field: 'campaign', op: 'sent', value: id }] };
    const fields = { contactBookId: strangersBook, filter };
    expect((await stranger.call('POST', '/segments', { name: 'S', ...fields })).status).toBe(404);
    expect((await stranger.call('POST', '/segments/count', fields)).status).toBe(404);
    const own = { contactBookId: strangersBook, filter: { all: [] } };
    const segment = (await stranger.call('POST', '/segments', { name: 'S', ...own })).body;
    expect((await stranger.call('PATCH', `/segments/${segment.id}`, { filter })).status).toBe(404);
    expect((await stranger.call('GET', `/segments/${segment.id}`)).body).toEqual(segment);
  }
});

test('a segment still knows who was sent a campaign that was deleted', async () => {
  const half = await create(book, { subject: 'Half' });
  await start(half, { batchSize: 2 });
  await untilStatus(half, 'SENT');
  // The campaign looks as if it had been paused after two recipients.
  await sql`update campaigns set status = 'PAUSED' where id = ${decodeId('cmp', half)}`.execute(server.db);
  await sql`
    with waiting as (
      delete from campaign_recipients where campaign_id = ${decodeId('cmp', half)} and address_key >= 'u2' returning *
    )
    insert into campaign_batches (
      team_id, campaign_id, no, contact_book_id, contact_ids, address_keys, first_key, last_key
    )
    select team_id, campaign_id, 9, contact_book_id, array_agg(contact_id order by address_key),
      array_agg(address_key order by address_key), min(address_key), max(address_key)
    from waiting group by team_id, campaign_id, contact_book_id
  `.execute(server.db);
  const filter = { all: [{ field: 'campaign', op: 'sent', value: half }] };
  const { body: segment } = await team.call('POST', '/segments', { name: 'S', contactBookId: book, filter });
  expect(await listNames(segment.id)).toBe('blocked deferred u0 u1');
  expect((await team.call('DELETE', `/campaigns/${half}`)).status).toBe(200);
  await expect
    .poll(async () => {
      const { rows } = await sql<{ count: number }>`
          select count(*) from campaign_batches where campaign_id = ${decodeId('cmp', half)}
        `.execute(server.db);
      return rows[0]!.count;
    })
    .toBe(0);
  expect(await listNames(segment.id)).toBe('blocked deferred u0 u1');
  expect((await team.call('PATCH', `/segments/${segment.id}`, { name: 'T', filter })).status).toBe(200);
});
