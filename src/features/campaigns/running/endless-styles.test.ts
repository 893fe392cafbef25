import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
} from '../../../testing/fixtures/campaign-world.ts';

beforeAll(openCampaignWorld);
afterAll(closeCampaignWorld);

test('a campaign whose styles cannot be inlined is sent with them unchanged, and other mail overtakes it', async () => {
  const endless = '<style>p { --a: var(--a); color: var(--a) }</style>';
  const people = makePeople(60, 'bulk.test');
  const id = await create(await addBook(people), { html: `${endless}<p>Hello {{firstName}}</p>` });
  await start(id);
  // The worker has more recipients than it can have in flight.
  const leased = sql`select from campaign_batches where leased_by is not null`;
  await expect.poll(async () => (await leased.execute(server.db)).rows.length).toBe(1);
  const email = { from: 'hello@news.test', to: 'urgent@example.org', subject: 'Your code', text: '4711' };
  expect((await team.call('POST', '/emails', email)).status).toBe(200);
  await untilStatus(id, 'SENT');
  expect(sink.messages[0]!.recipients).toEqual(['urgent@example.org']);
  expect(sink.messages).toHaveLength(people.length + 1);
  const { html } = await PostalMime.parse(sink.messages[1]!.data);
  expect(html).toMatch(/^<style>p \{ --a: var\(--a\).*<p>Hello U\d+<\/p>/);
}, 60_000);
