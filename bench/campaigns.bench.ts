/** Sends personalised campaigns, compared with the limits of the machine and of our delivery worker. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { decodeId } from '../src/platform/ids.ts';
import { createBook, type Book } from './contact-book.ts';
import {
  atMost,
  engineSettings,
  MOST_MEMORY_MB,
  openEngineWorld,
  peakMemoryMb,
  sendLimit,
  sendOurs,
  type EngineWorld,
} from './engine.bench.ts';
import { startWorker } from './posthorn.ts';
import type { SinkAnswer } from './sink-program.ts';
import { suite, type Row } from './suite.ts';

const BODY_BYTES = 9_000;
const WARM_UP = 500;
const SIGNED = 5_000;
const UNSIGNED = 20_000;
const LEDGER = 200_000;
const PEOPLE_BESIDE = 30_000;
const EMAILS_BESIDE = 300;
const BETWEEN_EMAILS_MS = 30;
/** The 99th percentile from POST to delivery of an email while a campaign runs. */
const MOST_WAIT_MS = 2_000;

export const campaignsSuite = suite(
  () => openEngineWorld(),
  [
    sendingRow(
      'campaign, signed, 10 kB personalised',
      SIGNED,
      true,
      () => 0.7,
      (world) => sendLimit(world, SIGNED, true),
    ),
    sendingRow(
      'campaign, unsigned, beside our own engine',
      UNSIGNED,
      false,
      () => 0.8,
      (world) => sendOurs(world, UNSIGNED),
    ),
    {
      name: 'campaign, making the ledger',
      unit: 'rows/s',
      wanted: (limit) => Math.min(0.6, 50_000 / limit),
      async measure(world) {
        const book = await createBook(world.posthorn, LEDGER);
        const limit = await insertBare(world, book);
        const worker = startWorker(world.posthorn, engineSettings(world, false));
        await untilSending(world);
        const campaignId = await createCampaign(world, book);
        const startedAt = performance.now();
        await startCampaign(world, campaignId);
        while (!(await isLedgerReady(world, campaignId))) await sleep(20);
        const ours = LEDGER / ((performance.now() - startedAt) / 1000);
        await world.posthorn.call('POST', `/campaigns/${campaignId}/pause`);
        await worker.stop();
        return { ours, limit, ratio: ours / limit, spread: [ours / limit, ours / limit] };
      },
    },
    {
      name: 'email beside a campaign, p99 from POST to delivery',
      unit: 'ms',
      wanted: () => 1,
      async measure(world) {
        const book = await createBook(world.posthorn, PEOPLE_BESIDE);
        const worker = startWorker(world.posthorn, engineSettings(world, false));
        await startCampaign(world, await createCampaign(world, book));
        await world.sink.ask<SinkAnswer>({ expect: WARM_UP, warmUp: 0 });
        for (let at = 0; at < EMAILS_BESIDE; at++) {
          const email = { from: 'a@bench.test', to: `p${at}@example.org`, subject: 'Beside', text: 'Hello.' };
          await world.posthorn.call('POST', '/emails', email);
          await sleep(BETWEEN_EMAILS_MS);
        }
        const measured = atMost(MOST_WAIT_MS, await waitBeside(world));
        await worker.stop();
        return measured;
      },
    },
    memoryRow('campaign, memory with 10,000 people', 10_000),
    { ...memoryRow('campaign, memory with 1,000,000 people', 1_000_000), isLong: true },
  ],
);

function memoryRow(name: string, people: number): Row<EngineWorld> {
  return {
    name,
    unit: 'MB',
    wanted: () => 1,
    async measure(world) {
      const book = await createBook(world.posthorn, people);
      const worker = startWorker(world.posthorn, engineSettings(world, false));
      const done = world.sink.ask<SinkAnswer>({ expect: people, warmUp: 0 });
      await startCampaign(world, await createCampaign(world, book));
      await done;
      const measured = atMost(MOST_MEMORY_MB, peakMemoryMb(worker.pid));
      await worker.stop();
      return measured;
    },
  };
}

/** Returns the 99th percentile in milliseconds, once all emails have arrived. */
async function waitBeside({ posthorn }: EngineWorld): Promise<number> {
  for (;;) {
    const { rows } = await sql<{ arrived: number; ms: number }>`
      select count(*) as arrived,
        percentile_disc(0.99) within group (order by extract(epoch from d.created_at - e.created_at) * 1000)::float8 as ms
      from emails e join events d on d.team_id = e.team_id and d.subject_id = e.id and d.type = 'email.delivered'
      where e.subject = 'Beside'
    `.execute(posthorn.database.db);
    if (rows[0]!.arrived === EMAILS_BESIDE) return rows[0]!.ms;
    await sleep(100);
  }
}

function sendingRow(
  name: string,
  people: number,
  signed: boolean,
  wanted: () => number,
  measureLimit: (world: EngineWorld) => Promise<number>,
): Row<EngineWorld> {
  return {
    name,
    unit: 'messages/s',
    wanted,
    async measure(world) {
      const book = await createBook(world.posthorn, people);
      const worker = startWorker(world.posthorn, engineSettings(world, signed));
      const limit = await measureLimit(world);
      const campaignId = await createCampaign(world, book);
      const done = world.sink.ask<SinkAnswer>({ expect: people, warmUp: WARM_UP });
      await startCampaign(world, campaignId);
      const { perSecond: ours } = await done;
      await worker.stop();
      return { ours, limit, ratio: ours / limit, spread: [ours / limit, ours / limit] };
    },
  };
}

/** Waits until the worker sends, because it needs a moment after its start. */
async function untilSending({ posthorn, sink }: EngineWorld): Promise<void> {
  const arrived = sink.ask<SinkAnswer>({ expect: 1, warmUp: 0 });
  const email = { from: 'a@bench.test', to: 'b@example.org', subject: 'First', text: 'Hello.' };
  await posthorn.call('POST', '/emails', email);
  await arrived;
}

export async function createCampaign(
  { posthorn }: EngineWorld,
  { id: contactBookId }: Book,
): Promise<string> {
  const line = '<p>Dear {{firstName,fallback=friend}}, here is what is new in the harbour this week.</p>\n';
  const campaign = await posthorn.call('POST', '/campaigns', {
    name: 'Bench',
    from: 'Bench <news@bench.test>',
    subject: 'News for {{firstName,fallback=you}}',
    contactBookId,
    html: line.repeat(Math.ceil(BODY_BYTES / 2 / line.length)),
  });
  return (campaign as { id: string }).id;
}

export async function startCampaign({ posthorn }: EngineWorld, campaignId: string): Promise<void> {
  await posthorn.call('POST', `/campaigns/${campaignId}/schedule`, { batchSize: 1_000 });
}

async function isLedgerReady({ posthorn }: EngineWorld, campaignId: string): Promise<boolean> {
  const { rows } = await sql<{ ready: boolean }>`
    select audience_ready as ready from campaigns where id = ${decodeId('cmp', campaignId)}
  `.execute(posthorn.database.db);
  return rows[0]!.ready;
}

/** Inserts an outcome for each person into a table with the columns of the ledger, in one statement. */
async function insertBare({ posthorn }: EngineWorld, book: Book): Promise<number> {
  const { db } = posthorn.database;
  await sql`create table bench_ledger (like campaign_recipients including all)`.execute(db);
  const startedAt = performance.now();
  await sql`
    insert into bench_ledger (team_id, campaign_id, address_key, contact_book_id, contact_id, state, email_id, tried_at)
    select team_id, ${book.uuid}, email_key, contact_book_id, id, 'delivered', id, now() from contacts
    where team_id = ${book.teamId} and contact_book_id = ${book.uuid}
  `.execute(db);
  return LEDGER / ((performance.now() - startedAt) / 1000);
}
