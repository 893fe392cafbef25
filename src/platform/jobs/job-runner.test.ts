import { sql } from 'kysely';
import { setTimeout as wait } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { inTransaction, openDatabase, type Database } from '../database/database.ts';
import { startLeaseHolder, type LeaseHolder } from '../due/lease-holder.ts';
import { startJobs, type JobRunner } from './job-runner.ts';
import { enqueueScheduled } from './job-schedule.ts';
import { enqueueJob, type JobHandler } from './jobs.ts';
import { createLog, type Log } from '../log.ts';
import { createPresence, type Presence } from '../database/presence.ts';

const UPKEEP_MS = 100;

let own: TestDatabase;
let open: Database[];
let runners: JobRunner[];
const presences: Presence[] = [];
const holders: LeaseHolder[] = [];

beforeEach(async () => {
  own = await createTestDatabase();
  open = [];
  runners = [];
});
afterEach(async () => {
  await Promise.all(runners.map((runner) => runner.close()));
  for (const holder of holders.splice(0)) holder.close();
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

/** Acts as a process of its own, with its own connections and leases. */
async function startProcess(verifyDomain: VerifyDomain, log: Log = createLog('fatal')): Promise<Database> {
  const database = connect();
  const presence = createPresence(database.pool);
  presences.push(presence);
  const leases = await startLeaseHolder({
    db: database.db,
    log,
    presence,
    registry: new Registry(),
    upkeepMs: UPKEEP_MS,
  });
  holders.push(leases);
  const handlers = { 'verify-domain': verifyDomain };
  runners.push(startJobs(database.db, log, { handlers, schedule: [], concurrency: 3, leases }));
  return database;
}

function verifyLater({ db }: Database, domainId: number): Promise<void> {
  return enqueueJob(db, 'verify-domain', { teamId: 1, domainId }, { queue: 'one by one' });
}

/** Makes the first job look as if this process had leased it. */
async function leaseAs({ db }: Pick<Database, 'db'>, holder: string, until = 'infinity'): Promise<void> {
  await sql`
    update jobs set leased_by = ${holder}, leased_at = now(), leased_until = ${until}
    where id = (select min(id) from jobs)`.execute(db);
}

async function readHolder(db: Database['db']): Promise<string> {
  const { rows } = await sql<{ leased_by: string }>`
    select leased_by from jobs where leased_by is not null`.execute(db);
  return rows[0]!.leased_by;
}

/** Makes failed jobs due immediately. Returns the number of jobs. */
async function retryNow(db: Database['db']): Promise<number> {
  const count = await countJobs(db);
  await sql`update jobs set due_at = now() where leased_by is null`.execute(db);
  return count;
}

async function countJobs(db: Database['db']): Promise<number> {
  const { rows } = await sql`select from jobs`.execute(db);
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
    await wait(domainId === 1 ? 25 * UPKEEP_MS : 0);
    running -= 1;
  };
  const first = await startProcess(hold);
  await startProcess(hold);
  await verifyLater(first, 1);
  await verifyLater(first, 2);
  await expect.poll(() => runs.includes(2) && running === 0).toBe(true);
  expect([runs, mostAtOnce]).toEqual([[1, 2], 1]);
});

test('the jobs of a dead process are freed, and its queue goes on', async () => {
  const database = connect();
  await verifyLater(database, 1);
  await verifyLater(database, 2);
  await leaseAs(database, randomUUID());
  const runs: number[] = [];
  await startProcess(async ({ domainId }) => void runs.push(domainId));
  await expect.poll(() => runs).toEqual([1, 2]);
});

test('a job that a live process has leased and does not know runs again when its lease has ended', async () => {
  // This is the state after a standby takes over that has not received the end of the job.
  let holder = '';
  const runs: number[] = [];
  const database: Database = await startProcess(async ({ domainId }) => {
    if (domainId === 1) holder = await readHolder(database.db);
    runs.push(domainId);
  });
  await verifyLater(database, 1);
  await expect.poll(() => runs, { timeout: 20_000 }).toEqual([1]);
  await expect.poll(() => countJobs(database.db)).toBe(0);
  await inTransaction(database.db, async (trx) => {
    await enqueueJob(trx, 'verify-domain', { teamId: 1, domainId: 2 }, { queue: 'one by one' });
    await leaseAs({ db: trx }, holder, 'now');
  });
  await expect.poll(() => runs, { timeout: 20_000 }).toEqual([1, 2]);
});

test('a job whose lease was lost is not recorded as done, and runs again', async () => {
  const runs: number[] = [];
  const database: Database = await startProcess(async ({ domainId }) => {
    runs.push(domainId);
    if (runs.length > 1) return;
    await sql`
      update jobs set leased_by = null, leased_until = null, due_at = now() + interval '1 second'
    `.execute(database.db);
  });
  await enqueueJob(database.db, 'verify-domain', { teamId: 1, domainId: 1 });
  await expect.poll(() => runs).toEqual([1, 1]);
  await expect.poll(() => countJobs(database.db)).toBe(0);
});

test('jobs whose end cannot be recorded run again', async () => {
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
    create trigger refuse_twice before delete on jobs
    for each row execute function refuse_twice()`.execute(database.db);
  await verifyLater(database, 1);
  await verifyLater(database, 2);
  for (const domainId of [3, 4]) await enqueueJob(database.db, 'verify-domain', { teamId: 1, domainId });
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
  await expect.poll(() => retryNow(database.db)).toBe(0);
  expect(seen).toEqual([2, 3]);
});

test('a job that another process has taken over cannot store remaining work', async () => {
  const refusals: string[] = [];
  const database: Database = await startProcess(async (payload, job) => {
    await sql`update jobs set leased_by = ${randomUUID()}`.execute(database.db);
    await job.saveRemaining(database.db, payload).catch((error: Error) => refusals.push(error.message));
  });
  await verifyLater(database, 1);
  await expect.poll(() => refusals).toEqual(['Another process has taken over this job.']);
});

test('a job that does not end delays shutdown by only a few seconds, and stays leased', async () => {
  const database = connect();
  const releases: (() => void)[] = [];
  await startProcess(() => new Promise((resolve) => void releases.push(resolve)));
  await verifyLater(database, 1);
  await expect.poll(() => releases.length).toBe(1);
  const startedAt = performance.now();
  await runners.pop()!.close();
  expect(performance.now() - startedAt).toBeLessThan(6_000);
  const { rows } = await sql`
    select from jobs where leased_by is not null`.execute(database.db);
  expect(rows).toHaveLength(1);
  releases[0]!();
});

test('the last failure of a job is logged as an error', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
  const database = connect();
  await verifyLater(database, 1);
  await sql`update jobs set max_attempts = 1`.execute(database.db);
  await startProcess(() => Promise.reject(new Error('No way.')), log);
  await expect.poll(() => lines.join('')).toContain('failed for the last time');
  expect(JSON.parse(lines[0]!)).toMatchObject({ job: 'verify-domain', err: { message: 'No way.' } });
});

test('two processes run the jobs of one queue one at a time, and each job once', async () => {
  const runs: number[] = [];
  let running = 0;
  let mostAtOnce = 0;
  const note: VerifyDomain = async ({ domainId }) => {
    mostAtOnce = Math.max(mostAtOnce, ++running);
    runs.push(domainId);
    await wait(5);
    running -= 1;
  };
  const database = connect();
  for (let domainId = 1; domainId <= 30; domainId += 1) await verifyLater(database, domainId);
  await startProcess(note);
  await startProcess(note);
  await expect.poll(() => countJobs(database.db), { timeout: 60_000 }).toBe(0);
  expect([runs.toSorted((a, b) => a - b), mostAtOnce]).toEqual([
    Array.from({ length: 30 }, (_, at) => at + 1),
    1,
  ]);
});

test('a job replaces a waiting one with its key, and not one that runs', async () => {
  const seen: number[] = [];
  const releases: (() => void)[] = [];
  const database: Database = await startProcess(async ({ domainId }) => {
    seen.push(domainId);
    if (domainId === 2) await new Promise<void>((resolve) => void releases.push(resolve));
  });
  const later = (domainId: number, runAt?: Date) =>
    enqueueJob(database.db, 'verify-domain', { teamId: 1, domainId }, { jobKey: 'k', runAt });
  await later(1, new Date(Date.now() + 3_600_000));
  await later(2);
  await expect.poll(() => releases.length, { timeout: 20_000 }).toBe(1);
  await later(3);
  await expect.poll(() => seen, { timeout: 20_000 }).toEqual([2, 3]);
  releases[0]!();
  await expect.poll(() => countJobs(database.db)).toBe(0);
});

test('a job of the schedule is enqueued once for each of its times, by however many processes', async () => {
  const { db } = connect();
  const schedule = [{ job: 'verify-domain', everyMinutes: 60, atMinute: 11 }];
  await Promise.all([enqueueScheduled(db, schedule), enqueueScheduled(db, schedule)]);
  expect(await countJobs(db)).toBe(0);
  await sql`update job_schedule set last_due_at = last_due_at - interval '1 hour'`.execute(db);
  await Promise.all([enqueueScheduled(db, schedule), enqueueScheduled(db, schedule)]);
  expect(await countJobs(db)).toBe(1);
  const { rows } = await sql<{ minute: string }>`
    select to_char(last_due_at at time zone 'utc', 'MI') as minute from job_schedule`.execute(db);
  expect(rows).toEqual([{ minute: '11' }]);
});
