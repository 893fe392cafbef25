import { sql } from 'kysely';
import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { inTransaction, openDatabase, type Database } from '../database/database.ts';
import { startJobs, type JobRunner } from './job-runner.ts';
import { enqueueJob, type JobHandler } from './jobs.ts';
import { createLog, type Log } from '../log.ts';
import { createPresence, type Presence } from '../database/presence.ts';

const TAKE_OVER_MS = 100;

let own: TestDatabase;
let open: Database[];
let runners: JobRunner[];
const presences: Presence[] = [];

beforeEach(async () => {
  own = await createTestDatabase();
  open = [];
  runners = [];
});
afterEach(async () => {
  await Promise.all(runners.map((runner) => runner.close()));
  for (const presence of presences.splice(0)) presence.close();
  await Promise.all(open.map((database) => database.close()));
  await own.drop();
});

function connect(): Database {
  const database = openDatabase(own.url, { connections: 10, onError: () => {} });
  open.push(database);
  return database;
}

type VerifyDomain = JobHandler<{ teamId: number; domainId: number }>;

/** Acts as a process of its own, with its own connections and workers. */
async function startProcess(verifyDomain: VerifyDomain, log: Log = createLog('fatal')): Promise<Database> {
  const database = connect();
  const handlers = { 'verify-domain': verifyDomain };
  const presence = createPresence(database.pool);
  presences.push(presence);
  const options = { handlers, schedule: [], concurrency: 3, takeOverMs: TAKE_OVER_MS, presence };
  runners.push(await startJobs(database.pool, log, options));
  return database;
}

function verifyLater({ db }: Database, domainId: number): Promise<void> {
  return enqueueJob(db, 'verify-domain', { teamId: 1, domainId }, { queue: 'one by one' });
}

/** Makes the queue and its first job look as if this pool had locked them. */
async function lockAs({ db }: Pick<Database, 'db'>, owner: string): Promise<void> {
  await sql`
    update graphile_worker._private_jobs set locked_by = ${owner}, locked_at = now()
    where id = (select min(id) from graphile_worker._private_jobs)`.execute(db);
  await lockQueueAs(db, owner);
}

async function lockQueueAs(db: Database['db'], owner: string): Promise<void> {
  await sql`
    update graphile_worker._private_job_queues set locked_by = ${owner}, locked_at = now() - interval '1 minute'
  `.execute(db);
}

async function readOwner(db: Database['db']): Promise<string> {
  const { rows } = await sql<{ locked_by: string }>`
    select locked_by from graphile_worker._private_jobs where locked_by is not null`.execute(db);
  return rows[0]!.locked_by;
}

/** Makes failed jobs due immediately. Returns the number of jobs. */
async function retryNow(db: Database['db']): Promise<number> {
  const count = await countJobs(db);
  await sql`update graphile_worker._private_jobs set run_at = now() where locked_by is null`.execute(db);
  return count;
}

async function countJobs(db: Database['db']): Promise<number> {
  const { rows } = await sql`select from graphile_worker._private_jobs`.execute(db);
  return rows.length;
}

test('a job that runs much longer than the interval of checks for dead owners runs once', async () => {
  const runs: number[] = [];
  let running = 0;
  let mostAtOnce = 0;
  const hold: VerifyDomain = async ({ domainId }) => {
    runs.push(domainId);
    mostAtOnce = Math.max(mostAtOnce, ++running);
    // An owner that looks dead is checked again a second later before its jobs are unlocked.
    await wait(domainId === 1 ? 25 * TAKE_OVER_MS : 0);
    running -= 1;
  };
  const first = await startProcess(hold);
  await startProcess(hold);
  await verifyLater(first, 1);
  await verifyLater(first, 2);
  await expect.poll(() => runs.includes(2) && running === 0, { timeout: 20_000 }).toBe(true);
  expect([runs, mostAtOnce]).toEqual([[1, 2], 1]);
});

test('the jobs and queues of a dead process are unlocked', async () => {
  const database = connect();
  await verifyLater(database, 1);
  await verifyLater(database, 2);
  await lockAs(database, 'pool-of-the-dead');
  const runs: number[] = [];
  await startProcess(async ({ domainId }) => void runs.push(domainId));
  await expect.poll(() => runs, { timeout: 20_000 }).toEqual([1, 2]);
});

test('a queue that a live process has locked without a job is unlocked', async () => {
  let owner = '';
  const runs: number[] = [];
  const database: Database = await startProcess(async ({ domainId }) => {
    if (domainId === 1) owner = await readOwner(database.db);
    runs.push(domainId);
  });
  await verifyLater(database, 1);
  await expect.poll(() => runs, { timeout: 20_000 }).toEqual([1]);
  await expect.poll(() => countJobs(database.db)).toBe(0);
  await lockQueueAs(database.db, owner);
  await verifyLater(database, 2);
  await expect.poll(() => runs, { timeout: 20_000 }).toEqual([1, 2]);
});

test('a job that a live process has locked and does not run is unlocked, with its queue, and runs', async () => {
  // This is the state after a standby takes over that has not received the end of the job.
  let owner = '';
  const runs: number[] = [];
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const database: Database = await startProcess(async ({ domainId }) => {
    if (domainId === 1) owner = await readOwner(database.db);
    runs.push(domainId);
  }, log);
  await verifyLater(database, 1);
  await expect.poll(() => runs, { timeout: 20_000 }).toEqual([1]);
  await expect.poll(() => countJobs(database.db)).toBe(0);
  await inTransaction(database.db, async (trx) => {
    await enqueueJob(trx, 'verify-domain', { teamId: 1, domainId: 2 }, { queue: 'one by one' });
    await lockAs({ db: trx }, owner);
  });
  await expect.poll(() => runs, { timeout: 20_000 }).toEqual([1, 2]);
  expect(lines.join('')).toContain('jobs that this process no longer runs are freed');
});

test('a job whose lock was lost is not recorded as done, and runs again', async () => {
  const runs: number[] = [];
  const database: Database = await startProcess(async ({ domainId }) => {
    runs.push(domainId);
    if (runs.length > 1) return;
    await sql`
      update graphile_worker._private_jobs set locked_by = null, locked_at = null, run_at = now() + interval '1 second'
    `.execute(database.db);
  });
  await enqueueJob(database.db, 'verify-domain', { teamId: 1, domainId: 1 });
  await expect.poll(() => runs, { timeout: 20_000 }).toEqual([1, 1]);
  await expect.poll(() => countJobs(database.db)).toBe(0);
});

test('a runner that fails to record finished jobs is restarted, and its jobs and queues are unlocked', async () => {
  const runs: number[] = [];
  const database = connect();
  await sql`create sequence refusals`.execute(database.db);
  await sql`
    create function refuse_twice() returns trigger language plpgsql as $$
      begin
        if nextval('refusals') <= 2 then raise exception 'refused'; end if;
        return old;
      end
    $$`.execute(database.db);
  await sql`
    create trigger refuse_twice before delete on graphile_worker._private_jobs
    for each row execute function refuse_twice()`.execute(database.db);
  await verifyLater(database, 1);
  await verifyLater(database, 2);
  for (const domainId of [3, 4]) await enqueueJob(database.db, 'verify-domain', { teamId: 1, domainId });
  // graphile-worker's shutdown never finishes after two jobs whose completion fails, followed by a job that fails.
  await startProcess(async ({ domainId }) => {
    await wait(domainId * 100);
    runs.push(domainId);
    if (domainId === 4 && !runs.includes(2)) throw new Error('Not now.');
  });
  await expect.poll(() => retryNow(database.db), { timeout: 30_000 }).toBe(0);
  expect(new Set(runs)).toEqual(new Set([1, 2, 3, 4]));
});

test('a retried job continues with the work it has stored, and does not run if nothing was left', async () => {
  const seen: (number | undefined)[] = [];
  const database: Database = await startProcess(async ({ teamId, domainId }, job) => {
    seen.push(domainId);
    await job.saveRemaining(database.db, domainId === 3 ? null : { teamId, domainId: domainId + 1 });
    throw new Error('It ends here.');
  });
  await verifyLater(database, 2);
  await expect.poll(() => retryNow(database.db), { timeout: 20_000 }).toBe(0);
  expect(seen).toEqual([2, 3]);
});

test('a job that another process has taken over cannot store remaining work', async () => {
  const refusals: string[] = [];
  const database: Database = await startProcess(async (payload, job) => {
    await sql`update graphile_worker._private_jobs set locked_by = 'another'`.execute(database.db);
    await job.saveRemaining(database.db, payload).catch((error: Error) => refusals.push(error.message));
  });
  await verifyLater(database, 1);
  await expect
    .poll(() => refusals, { timeout: 20_000 })
    .toEqual(['Another process has taken over this job.']);
});

test('a job that does not end delays shutdown by only a few seconds, and stays locked', async () => {
  const database = connect();
  const releases: (() => void)[] = [];
  await startProcess(() => new Promise((resolve) => void releases.push(resolve)));
  await verifyLater(database, 1);
  await expect.poll(() => releases.length, { timeout: 20_000 }).toBe(1);
  const startedAt = performance.now();
  await runners.pop()!.close();
  expect(performance.now() - startedAt).toBeLessThan(6_000);
  const { rows } = await sql`
    select from graphile_worker._private_jobs where locked_by is not null`.execute(database.db);
  expect(rows).toHaveLength(1);
  releases[0]!();
});

test('the last failure of a job is logged as an error', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
  const database = connect();
  await verifyLater(database, 1);
  await sql`update graphile_worker._private_jobs set max_attempts = 1`.execute(database.db);
  await startProcess(() => Promise.reject(new Error('No way.')), log);
  await expect.poll(() => lines.join(''), { timeout: 20_000 }).toContain('failed for the last time');
  expect(JSON.parse(lines[0]!)).toMatchObject({ job: 'verify-domain', err: { message: 'No way.' } });
});
