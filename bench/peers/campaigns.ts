/**
 * Sends the same personalised campaign, unsigned and without tracking, with Posthorn and with listmonk. Both use the same
 * PostgreSQL server, each with a database of its own, and take turns.
 */
import { sql } from 'kysely';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createCampaign, startCampaign } from '../campaigns.bench.ts';
import { createBook } from '../contact-book.ts';
import { cpuMsOf } from '../cpu-time.ts';
import { engineSettings, openEngineWorld, peakMemoryMb, type EngineWorld } from '../engine.bench.ts';
import { median } from '../measure.ts';
import { findPostgres, startWorker } from '../posthorn.ts';
import type { SinkAnswer } from '../sink-program.ts';
import { buildListmonk, startListmonk, type Listmonk, type ListmonkSettings } from './listmonk.ts';

const PEOPLE = 20_000;
const WARM_UP = 500;
const KILLED_AFTER = 5_000;
const QUIET_MS = 30_000;
const LINE = ', here is what is new in the harbour this week.';
const LINES = 55;
const MICROSECONDS = 1_000;

/** A program that can send a campaign to a prepared audience. */
interface Sender {
  name: string;
  /** Creates the audience, which is not measured. Returns what starts the campaign. */
  prepare(people: number): Promise<() => Promise<void>>;
  pids(): number[];
  memoryMb(): number;
  databaseBytes(): Promise<number>;
  restart(): Promise<void>;
}

interface Result {
  perSecond: number;
  cpuUs: number;
  bytes: number;
  memoryMb: number;
}

interface AfterKill {
  lost: number;
  repeats: number;
}

export async function compareCampaigns(source: string, folder: string, rounds: number): Promise<void> {
  const program = buildListmonk(source, join(folder, 'listmonk'));
  const world = await openEngineWorld();
  const postgres = await findPostgres(world.posthorn);
  const ours = startOurs(world, postgres);
  console.log(
    '| sender | messages/s | CPU of a message, µs | bytes of a recipient | memory, MB | lost by a kill | repeats |',
  );
  console.log(`|${' --- |'.repeat(7)}`);
  const { posthorn, sinkPort } = world;
  const theirs: Sender[] = [];
  for (const settings of ['default', 'fast'] as const) {
    const place = {
      source,
      program,
      folder: join(folder, 'listmonk', settings),
      serverUrl: posthorn.databaseUrl,
      sinkPort,
    };
    theirs.push(wrapListmonk(await startListmonk(place, settings), settings, postgres));
  }
  const senders = [ours, ...theirs];
  const results = new Map<Sender, Result[]>(senders.map((sender) => [sender, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const sender of senders) {
      const result = await measure(sender, world);
      results.get(sender)!.push(result);
      console.error(`${sender.name}, round ${round}: ${JSON.stringify(result)}`);
    }
  }
  for (const sender of senders) {
    const { lost, repeats } = await kill(sender, world);
    const each = results.get(sender)!;
    const cells = [
      sender.name,
      ...(['perSecond', 'cpuUs', 'bytes', 'memoryMb'] as const).map((key) =>
        Math.round(median(each.map((result) => result[key]))),
      ),
      `${lost} of ${PEOPLE}`,
      repeats,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

function startOurs(world: EngineWorld, postgres: number): Sender {
  const { posthorn } = world;
  let worker = startWorker(posthorn, engineSettings(world, false));
  return {
    name: 'Posthorn',
    async prepare(people) {
      const campaignId = await createCampaign(world, await createBook(posthorn, people));
      return () => startCampaign(world, campaignId);
    },
    pids: () => [posthorn.pid, worker.pid, postgres],
    memoryMb: () => peakMemoryMb(worker.pid),
    databaseBytes: () => databaseBytes(posthorn.databaseUrl),
    async restart() {
      await worker.kill();
      worker = startWorker(posthorn, engineSettings(world, false));
    },
  };
}

function wrapListmonk(listmonk: Listmonk, settings: ListmonkSettings, postgres: number): Sender {
  const html = `<p>Dear {{ .Subscriber.FirstName }}${LINE}</p>\n`.repeat(LINES);
  const text = `Dear {{ .Subscriber.FirstName }}${LINE}\n\n`.repeat(LINES);
  return {
    name: `listmonk, ${settings} settings`,
    async prepare(people) {
      const listId = await listmonk.createList(people);
      const subject = 'News for {{ .Subscriber.FirstName }}';
      return () => listmonk.startCampaign(listId, { subject, html, text });
    },
    pids: () => [listmonk.pid(), postgres],
    memoryMb: () => peakMemoryMb(listmonk.pid()),
    databaseBytes: () => databaseBytes(listmonk.databaseUrl),
    restart: () => listmonk.restart(),
  };
}

async function databaseBytes(url: string): Promise<number> {
  const database = openDatabase(url, { connections: 1, onError: () => {} });
  try {
    const { rows } = await sql<{ bytes: number }>`
      select pg_database_size(current_database())::float8 as bytes
    `.execute(database.db);
    return rows[0]!.bytes;
  } finally {
    await database.close();
  }
}

async function measure(sender: Sender, { sink }: EngineWorld): Promise<Result> {
  const start = await sender.prepare(PEOPLE);
  const bytesBefore = await sender.databaseBytes();
  const cpuBefore = cpuMsOf(sender.pids());
  const done = sink.ask<SinkAnswer>({ expect: PEOPLE, warmUp: WARM_UP });
  await start();
  const { perSecond } = await done;
  // What is recorded after the last message counts as well.
  await sleep(1_000);
  return {
    perSecond,
    cpuUs: ((cpuMsOf(sender.pids()) - cpuBefore) * MICROSECONDS) / PEOPLE,
    bytes: ((await sender.databaseBytes()) - bytesBefore) / PEOPLE,
    memoryMb: sender.memoryMb(),
  };
}

/** Kills the sender in the middle of a campaign, and starts it again at once. */
async function kill(sender: Sender, { sink }: EngineWorld): Promise<AfterKill> {
  const start = await sender.prepare(PEOPLE);
  const killed = sink.ask<SinkAnswer>({ expect: KILLED_AFTER, warmUp: 0, remember: true });
  await start();
  await killed;
  await sender.restart();
  let { people, messages } = await killed;
  for (let quietSince = performance.now(); performance.now() - quietSince < QUIET_MS; await sleep(500)) {
    const now = await sink.ask<SinkAnswer>({ expect: 0, warmUp: 0 });
    if (now.messages !== messages) quietSince = performance.now();
    ({ people, messages } = now);
  }
  return { lost: PEOPLE - people, repeats: messages - people };
}
