/**
 * Delivers a full queue with 1, 2, 4 and 8 worker processes on one database, and shows what the database spends for each
 * email: transactions, WAL bytes and CPU. `npm run bench:processes -- 4000` sets the number of emails of each round.
 */
import { sql } from 'kysely';
import { closeAll, closeOnSignals } from './cleanup.ts';
import { cpuMsOf } from './cpu-time.ts';
import { engineSettings, openEngineWorld, sendOurs, type EngineWorld } from './engine.bench.ts';
import { startWorker } from './posthorn.ts';

const PROCESSES = [1, 2, 4, 8];
const DEFAULT_EMAILS = 4_000;

interface Spent {
  transactions: number;
  walBytes: number;
  cpuMs: number;
}

async function readSpent({ posthorn }: EngineWorld): Promise<Spent> {
  const { rows } = await sql<{ transactions: number; walBytes: number; postmaster: string }>`
    select xact_commit as transactions, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes",
      pg_read_file('postmaster.pid') as postmaster
    from pg_stat_database where datname = current_database()
  `.execute(posthorn.database.db);
  const { transactions, walBytes, postmaster } = rows[0]!;
  return { transactions, walBytes, cpuMs: cpuMsOf([Number(postmaster.split('\n')[0])]) };
}

async function measure(world: EngineWorld, processes: number, emails: number) {
  const workers = Array.from({ length: processes }, () =>
    startWorker(world.posthorn, engineSettings(world, false)),
  );
  // The first round also waits for the start of the processes.
  await sendOurs(world, Math.ceil(emails / 4));
  const before = await readSpent(world);
  const perSecond = await sendOurs(world, emails);
  const after = await readSpent(world);
  for (const worker of workers) await worker.stop();
  return {
    processes,
    perSecond,
    transactions: (after.transactions - before.transactions) / emails,
    walBytes: (after.walBytes - before.walBytes) / emails,
    cpuMs: (after.cpuMs - before.cpuMs) / emails,
  };
}

closeOnSignals();
const emails = Number(process.argv[2] ?? DEFAULT_EMAILS);
try {
  const world = await openEngineWorld();
  console.log('| processes | emails/s | ratio | transactions | WAL bytes | CPU of the database, ms |');
  console.log('| --------- | -------- | ----- | ------------ | --------- | ----------------------- |');
  let first = 0;
  for (const processes of PROCESSES) {
    const { perSecond, transactions, walBytes, cpuMs } = await measure(world, processes, emails);
    first ||= perSecond;
    const cells = [
      processes,
      Math.round(perSecond),
      (perSecond / first).toFixed(2),
      transactions.toFixed(3),
      Math.round(walBytes),
      cpuMs.toFixed(2),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
} finally {
  await closeAll();
}
