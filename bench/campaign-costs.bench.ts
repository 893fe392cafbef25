/** What a delivered recipient of a campaign costs: row writes, write-ahead log, bytes in the database, and CPU time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { decodeId } from '../src/platform/ids.ts';
import { createBook } from './contact-book.ts';
import { createCampaign, startCampaign } from './campaigns.bench.ts';
import { cpuMsOf } from './cpu-time.ts';
import { atMost, engineSettings, openEngineWorld, type EngineWorld } from './engine.bench.ts';
import { findPostgres, startWorker } from './posthorn.ts';
import { suite, type Row } from './suite.ts';

const PEOPLE = 20_000;
const WARM_UP = 2_000;

interface Costs {
  rows: number;
  walBytes: number;
  storedBytes: number;
  cpuMicroseconds: number;
}

export const campaignCostsSuite = suite(
  () => openEngineWorld(),
  [
    costRow('campaign recipient, row writes', 'rows', 4, ({ rows }) => rows),
    costRow('campaign recipient, write-ahead log', 'bytes', 1_200, ({ walBytes }) => walBytes),
    costRow('campaign recipient, tables and indexes', 'bytes', 800, ({ storedBytes }) => storedBytes),
    costRow(
      'campaign message, unsigned, CPU of all processes',
      'µs',
      180,
      ({ cpuMicroseconds }) => cpuMicroseconds,
    ),
  ],
);

let measured: Promise<Costs> | null = null;

function costRow(name: string, unit: string, most: number, read: (costs: Costs) => number): Row<EngineWorld> {
  return {
    name,
    unit,
    wanted: () => 1,
    measure: async (world) => atMost(most, read(await (measured ??= measureCosts(world)))),
  };
}

async function measureCosts(world: EngineWorld): Promise<Costs> {
  const worker = startWorker(world.posthorn, engineSettings(world, false));
  const postgres = await findPostgres(world.posthorn);
  await send(world, WARM_UP);
  const book = await createBook(world.posthorn, PEOPLE);
  const campaignId = await createCampaign(world, book);
  const before = await readUse(world);
  const cpuBefore = cpuMsOf([worker.pid, postgres]);
  await startCampaign(world, campaignId);
  await untilSent(world, campaignId);
  const cpuMs = cpuMsOf([worker.pid, postgres]) - cpuBefore;
  const after = await readUse(world);
  await worker.stop();
  return {
    rows: (after.rows - before.rows) / PEOPLE,
    walBytes: (after.wal - before.wal) / PEOPLE,
    storedBytes: (after.bytes - before.bytes) / PEOPLE,
    cpuMicroseconds: (cpuMs * 1000) / PEOPLE,
  };
}

async function send(world: EngineWorld, people: number): Promise<void> {
  const campaignId = await createCampaign(world, await createBook(world.posthorn, people));
  await startCampaign(world, campaignId);
  await untilSent(world, campaignId);
}

async function untilSent({ posthorn }: EngineWorld, campaignId: string): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ status: string }>`
      select status from campaigns where id = ${decodeId('cmp', campaignId)}
    `.execute(posthorn.database.db);
    if (rows[0]!.status === 'SENT') return;
    await sleep(50);
  }
}

/** PostgreSQL writes its statistics with some delay. */
async function readUse({ posthorn }: EngineWorld): Promise<{ rows: number; wal: number; bytes: number }> {
  await sleep(2_000);
  const { rows } = await sql<{ rows: number; wal: number; bytes: number }>`
    select sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 as rows,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal,
      (select sum(pg_total_relation_size(oid))::float8 from pg_class where relkind in ('r', 'm') and relnamespace =
        current_schema()::regnamespace) as bytes
    from pg_stat_user_tables
  `.execute(posthorn.database.db);
  return rows[0]!;
}
