/** What a received message of 10 kB costs: bytes in the database, write-ahead log, and CPU time of all processes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { cpuMsOf } from './cpu-time.ts';
import { atMost } from './engine.bench.ts';
import { forkProgram } from './forked.ts';
import { addDomain, findPostgres, startPosthorn, type Posthorn } from './posthorn.ts';
import { receivedMessage } from './received-messages.ts';
import { openSmtpLoad } from './smtp-load.ts';
import { measureSpamScore } from './spam-score-cost.ts';
import { suite, type Row } from './suite.ts';

const MESSAGES = 3_000;
const WARM_UP = 500;
const CONNECTIONS = 8;
const ADDRESS = 'crew@bench.test';
/** How much of receiving the built-in spam score may cost. */
const SCORE_SHARE = 0.15;

interface Costs {
  storedBytes: number;
  walBytes: number;
  cpuMicroseconds: number;
}

export const receivedCostsSuite = suite(openWorld, [
  costRow('received message, tables and indexes', 'bytes', 16_384, ({ storedBytes }) => storedBytes),
  costRow('received message, write-ahead log', 'bytes', 40_000, ({ walBytes }) => walBytes),
  costRow('received message, CPU of all processes', 'µs', 1_500, ({ cpuMicroseconds }) => cpuMicroseconds),
  {
    name: 'received message, CPU of the spam score',
    unit: 'µs',
    wanted: () => 1,
    async measure(posthorn) {
      const { cpuMicroseconds } = await (measured ??= measureCosts(posthorn));
      const postgres = await findPostgres(posthorn);
      return atMost(SCORE_SHARE * cpuMicroseconds, await measureSpamScore(posthorn, postgres));
    },
  },
]);

function costRow(name: string, unit: string, most: number, read: (costs: Costs) => number): Row<Posthorn> {
  return {
    name,
    unit,
    wanted: () => 1,
    measure: async (posthorn) => atMost(most, read(await (measured ??= measureCosts(posthorn)))),
  };
}

let measured: Promise<Costs> | null = null;

async function openWorld(): Promise<Posthorn> {
  const dns = forkProgram(new URL('./dns-program.ts', import.meta.url));
  const { address } = await dns.ask<{ address: string }>({});
  const posthorn = await startPosthorn({ DNS_SERVERS: address }, 'http,smtp,worker');
  await addDomain(posthorn);
  await posthorn.call('POST', '/mailboxes', { address: ADDRESS });
  return posthorn;
}

async function measureCosts(posthorn: Posthorn): Promise<Costs> {
  let no = 0;
  const nextMessage = () => receivedMessage((no += 1), ADDRESS);
  const load = await openSmtpLoad({ port: posthorn.smtpPort, to: ADDRESS, nextMessage }, CONNECTIONS);
  const receive = async (until: number) => {
    while (no < until) await load.run(200);
  };
  await receive(WARM_UP);
  const [before, first] = [await readUse(posthorn), no];
  const roots = [posthorn.pid, await findPostgres(posthorn)];
  const cpuBefore = cpuMsOf(roots);
  await receive(WARM_UP + MESSAGES);
  const after = await readUse(posthorn);
  const cpuMs = cpuMsOf(roots) - cpuBefore;
  load.close();
  const count = no - first;
  if (process.env.BENCH_TABLES) showTables(before.tables, after.tables, count);
  return {
    storedBytes: (sumOf(after.tables) - sumOf(before.tables)) / count,
    walBytes: (after.wal - before.wal) / count,
    cpuMicroseconds: (cpuMs * 1000) / count,
  };
}

type Tables = Map<string, number>;

function sumOf(tables: Tables): number {
  return [...tables.values()].reduce((sum, bytes) => sum + bytes, 0);
}

function showTables(before: Tables, after: Tables, count: number): void {
  for (const [name, bytes] of after) {
    const each = (bytes - (before.get(name) ?? 0)) / count;
    if (each > 20) console.log(`  ${name.padEnd(40)}${each.toFixed(0).padStart(8)}`);
  }
}

/** Waits until what follows receiving in the background is done. */
async function readUse({ database: { db } }: Posthorn): Promise<{ tables: Tables; wal: number }> {
  await sleep(5_000);
  const { rows } = await sql<{ name: string; bytes: number; wal: number }>`
    select c.relname as name, (case c.relkind when 'r' then pg_table_size(c.oid) else pg_relation_size(c.oid) end)::float8
      as bytes, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal
    from pg_class c where c.relkind in ('r', 'i') and c.relnamespace = current_schema()::regnamespace
    order by bytes desc
  `.execute(db);
  return { tables: new Map(rows.map(({ name, bytes }) => [name, bytes])), wal: rows[0]!.wal };
}
