/**
 * Measures the time from request to delivery of emails that a person is waiting for, while a campaign runs, the
 * confirmations of a long list are sent, and a webhook receives every event.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createCampaign, startCampaign } from './campaigns.bench.ts';
import { onClose } from './cleanup.ts';
import { createBook } from './contact-book.ts';
import { atMost, engineSettings, openEngineWorld, type EngineWorld } from './engine.bench.ts';
import { startWorker } from './posthorn.ts';
import type { SinkAnswer } from './sink-program.ts';
import { suite } from './suite.ts';

const PEOPLE_OF_CAMPAIGN = 30_000;
const CONFIRMATIONS = 20_000;
const PER_BULK = 10_000;
const WARM_UP = 500;
const URGENT = 300;
const BETWEEN_MS = 30;
export const MOST_WAIT_MS = 2_000;
const LET_WEBHOOKS_IN = { WEBHOOK_ALLOW_PRIVATE: 'true' };

/** The times of all urgent emails in milliseconds, measured once for both rows. */
let waits: number[] | null = null;

export const urgentSuite = suite(
  () => openEngineWorld(LET_WEBHOOKS_IN),
  [
    waitRow('urgent mail beside bulk of every kind, p50 from POST to delivery', 0.5),
    waitRow('urgent mail beside bulk of every kind, p99 from POST to delivery', 0.99),
  ],
);

function waitRow(name: string, share: number) {
  return {
    name,
    unit: 'ms',
    wanted: () => 1,
    async measure(world: EngineWorld) {
      waits ??= await measureWaits(world);
      return atMost(MOST_WAIT_MS, waits[Math.ceil(waits.length * share) - 1]!);
    },
  };
}

async function measureWaits(world: EngineWorld): Promise<number[]> {
  const { posthorn, sink } = world;
  await posthorn.call('POST', '/webhooks', { url: await startReceiver(), events: ['*'] });
  const campaignBook = await createBook(posthorn, PEOPLE_OF_CAMPAIGN);
  const imported = await createDoubleOptInBook(world);
  const signUps = await createDoubleOptInBook(world);
  const worker = startWorker(posthorn, { ...engineSettings(world, true), ...LET_WEBHOOKS_IN });
  await startCampaign(world, await createCampaign(world, campaignBook));
  for (let at = 0; at < CONFIRMATIONS; at += PER_BULK)
    await posthorn.call('POST', `/contactBooks/${imported}/contacts/bulk`, listFrom(at));
  await sink.ask<SinkAnswer>({ expect: WARM_UP, warmUp: 0 });
  const measured = await sendUrgent(world, async (to, at) => {
    if (at % 2 === 0) await sendTo(world, to);
    else await posthorn.call('POST', `/contactBooks/${signUps}/contacts`, { email: to });
  });
  await worker.stop();
  return measured;
}

/** Returns the times from request to delivery in milliseconds, from the shortest to the longest. */
export async function sendUrgent(
  world: EngineWorld,
  send: (to: string, at: number) => Promise<void> = (to) => sendTo(world, to),
): Promise<number[]> {
  const askedAt = new Map<string, number>();
  for (let at = 0; at < URGENT; at++) {
    const to = `p${at}@urgent.example`;
    askedAt.set(to, Date.now());
    await send(to, at);
    await sleep(BETWEEN_MS);
  }
  return untilDelivered(world, askedAt);
}

async function sendTo({ posthorn }: EngineWorld, to: string): Promise<void> {
  await posthorn.call('POST', '/emails', { from: 'a@bench.test', to, subject: 'S', text: 'T' });
}

async function createDoubleOptInBook({ posthorn }: EngineWorld): Promise<string> {
  const book = { name: 'Double opt-in', doubleOptInEnabled: true };
  return ((await posthorn.call('POST', '/contactBooks', book)) as { id: string }).id;
}

function listFrom(first: number): object[] {
  return Array.from({ length: PER_BULK }, (_, at) => ({ email: `list${first + at}@example.org` }));
}

async function startReceiver(): Promise<string> {
  const receiver = createServer((request, answer) => {
    request.resume().on('end', () => answer.end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  onClose(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
}

async function untilDelivered({ posthorn }: EngineWorld, askedAt: Map<string, number>): Promise<number[]> {
  for (;;) {
    const { rows } = await sql<{ recipient: string; at: Date }>`
      select recipient, created_at as at from events
      where type = 'email.delivered' and recipient like '%@urgent.example'
    `.execute(posthorn.database.db);
    if (rows.length === URGENT)
      return rows
        .map(({ recipient, at }) => at.getTime() - askedAt.get(recipient)!)
        .toSorted((a, b) => a - b);
    await sleep(200);
  }
}
