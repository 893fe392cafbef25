import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  addBook,
  closeCampaignWorld,
  create,
  get,
  makePeople,
  openCampaignWorld,
  recipients,
  server,
  sink,
  start,
  team,
  untilStatus,
} from '../../../testing/fixtures/campaign-world.ts';
import { readMetrics } from '../../../testing/read-metrics.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

let second: TestServer;

beforeAll(async () => {
  await openCampaignWorld();
  const { dataDir, databaseUrl, relayUrl, mailHost, baseUrl } = server.config;
  second = await startTestServer({
    doors: ['worker'],
    databaseUrl: databaseUrl!,
    env: {
      DATA_DIR: dataDir,
      MAIL_TRANSPORT: 'relay',
      RELAY_URL: relayUrl!,
      MAIL_HOST: mailHost,
      BASE_URL: baseUrl,
    },
  });
});
afterAll(async () => {
  await second.close();
  await closeCampaignWorld();
});
beforeEach(() => sink.reset());

const LATER = { replies: { DOT: '450 4.2.1 Try later' } };

async function countQueue(): Promise<{ total: number; parked: number; retries: number }> {
  const { rows } = await sql<{ total: number; parked: number; retries: number }>`
    select count(*) as total, count(*) filter (where parked) as parked, count(*) filter (where attempts > 0) as retries
    from deliveries where campaign_id is not null
  `.execute(server.db);
  return rows[0]!;
}

/** Attempts that are in flight become rows of the queue when they end. */
async function countLeased(): Promise<number> {
  const { rows } = await sql`select from campaign_batches where leased_by is not null`.execute(server.db);
  return rows.length;
}

async function retryNow(campaignId: string): Promise<void> {
  const { status } = await team.call('POST', '/queue/retry', { campaignId });
  expect(status).toBe(200);
}

/** Starts a campaign whose recipients are all deferred, and pauses it halfway. */
async function startDeferred(count: number, domain: string): Promise<string> {
  sink.behave(LATER);
  const id = await create(await addBook(makePeople(count, domain)), { batchSize: 50, ratePerMinute: 6_000 });
  await start(id);
  await expect.poll(() => sink.refused.length, { interval: 5, timeout: 30_000 }).toBeGreaterThan(60);
  expect((await team.call('POST', `/campaigns/${id}/pause`)).status).toBe(200);
  return id;
}

test('everything in the queue of a paused campaign is parked, is not sent when it is due, and is sent once after the resume', async () => {
  const id = await startDeferred(400, 'parked.test');
  await expect
    .poll(
      async () => {
        const { total, parked, retries } = await countQueue();
        return retries > 60 && parked === total && (await countLeased()) === 0;
      },
      { timeout: 30_000 },
    )
    .toBe(true);
  const { parked } = await countQueue();
  const metric = 'posthorn_queue_deliveries{kind="bulk",state="paused"}';
  await expect.poll(async () => (await readMetrics(`${server.url}/metrics`)).get(metric)).toBe(parked);

  sink.behave({ replies: {} });
  await retryNow(id);
  const { body } = await team.call('GET', `/queue?campaignId=${id}&limit=1`);
  expect(body.items[0].state).toBe('paused');
  expect(sink.messages).toHaveLength(0);

  expect((await team.call('POST', `/campaigns/${id}/resume`)).status).toBe(200);
  await expect.poll(() => sink.messages.length, { timeout: 60_000 }).toBe(400);
  await untilStatus(id, 'SENT');
  expect(new Set(recipients()).size).toBe(400);
  await expect.poll(countQueue).toEqual({ total: 0, parked: 0, retries: 0 });
}, 120_000);

test('pausing and resuming quickly, with two workers and a server that defers, loses nobody and sends to nobody twice', async () => {
  const id = await startDeferred(500, 'races.test');
  for (let times = 0; times < 12; times++) {
    sink.behave(times % 2 === 0 ? { replies: {} } : LATER);
    await retryNow(id);
    await team.call('POST', `/campaigns/${id}/resume`);
    const before = sink.messages.length + sink.refused.length;
    // Every third time, the pause comes before anything could be unparked.
    if (times % 3 > 0)
      await expect
        .poll(() => sink.messages.length + sink.refused.length, { interval: 5 })
        .toBeGreaterThan(before);
    if ((await team.call('POST', `/campaigns/${id}/pause`)).status === 409) break;
  }
  sink.behave({ replies: {} });
  if ((await get(id)).status === 'PAUSED') await team.call('POST', `/campaigns/${id}/resume`);
  await untilStatus(id, 'SENT');
  await expect
    .poll(
      async () => {
        await retryNow(id);
        return countQueue();
      },
      { timeout: 60_000, interval: 200 },
    )
    .toEqual({ total: 0, parked: 0, retries: 0 });
  expect(sink.messages).toHaveLength(500);
  expect(new Set(recipients()).size).toBe(500);
}, 120_000);

test('a paused campaign with parked retries can be deleted', async () => {
  const id = await startDeferred(200, 'deleted.test');
  await expect.poll(async () => (await countQueue()).parked, { timeout: 30_000 }).toBeGreaterThan(60);
  expect((await team.call('DELETE', `/campaigns/${id}`)).status).toBe(200);
  await expect.poll(countQueue, { timeout: 30_000 }).toEqual({ total: 0, parked: 0, retries: 0 });
  expect(sink.messages).toHaveLength(0);
}, 120_000);

test('a campaign with many copies puts no more than about 1,000 deliveries into the queue', async () => {
  sink.behave(LATER);
  const cc = Array.from({ length: 10 }, (_, at) => `copy${at}@copies.test`);
  const id = await create(await addBook(makePeople(300, 'many.test')), { batchSize: 100_000, cc });
  await start(id);
  await expect.poll(async () => (await countQueue()).total, { interval: 2 }).toBeGreaterThan(0);
  const { rows } = await sql<{ count: number }>`
    select count(*) from deliveries where campaign_id is not null and attempts = 0
  `.execute(server.db);
  expect(rows[0]!.count).toBeLessThanOrEqual(1_000);
  await team.call('POST', `/campaigns/${id}/pause`);
  await team.call('DELETE', `/campaigns/${id}`);
}, 60_000);
