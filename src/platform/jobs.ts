/**
 * Work that follows a request: enqueued by SQL in the same transaction as what it follows, done by the worker
 * door of any process, tried again when it fails. Payloads are ids; handlers may run twice and must not mind.
 */
import { sql } from 'kysely';
import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { Logger, parseCronItems, run, runMigrations, type CronItem, type TaskList } from 'graphile-worker';
import { sha256 } from './crypto.ts';
import type { Db } from './database.ts';
import type { Log } from './log.ts';

/** Every job and what it is told. The worker door has a handler for each, or does not compile. */
export interface JobPayloads {
  'run-contact-import': { teamId: number; importId: string };
  'drop-stale-uploads': Record<string, never>;
  'drop-expired-answers': Record<string, never>;
}

export type JobName = keyof JobPayloads;
export type JobHandlers = { [Name in JobName]: (payload: JobPayloads[Name]) => Promise<void> };

const MAX_ATTEMPTS = 25;

/** With a `jobKey`, a waiting job of that key is replaced instead of added. */
export async function enqueue<Name extends JobName>(
  db: Db,
  name: Name,
  payload: JobPayloads[Name],
  options: { runAt?: Date; jobKey?: string } = {},
): Promise<void> {
  await sql`
    select graphile_worker.add_job(
      ${name}::text, ${JSON.stringify(payload)}::json,
      run_at => ${options.runAt ?? null}::timestamptz,
      job_key => ${options.jobKey ?? null}::text,
      max_attempts => ${MAX_ATTEMPTS}::integer
    )`.execute(db);
}

export async function prepareJobs(pool: pg.Pool, log: Log): Promise<void> {
  await runMigrations({ pgPool: pool, logger: toGraphileLogger(log) });
}

export interface JobRunner {
  /** Takes no new job and waits for the running ones. */
  close(): Promise<void>;
}

export async function startJobs(
  pool: pg.Pool,
  log: Log,
  handlers: JobHandlers,
  schedule: { job: JobName; cron: string }[],
  concurrency: number,
): Promise<JobRunner> {
  const events = new EventEmitter();
  const watch = await watchWorkers(pool, events, log);
  const taskList: TaskList = Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [
      name,
      (payload: unknown) => (handler as (payload: unknown) => Promise<void>)(payload),
    ]),
  );
  const cronItems = schedule.map(({ job, cron }): CronItem => ({ task: job, match: cron, payload: {} }));
  const runner = await run({
    pgPool: pool,
    taskList,
    parsedCronItems: parseCronItems(cronItems),
    concurrency,
    noHandleSignals: true,
    // By default a finished job is written down later and unwatched: when we stop then, it fails unheard.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: toGraphileLogger(log),
    events,
  });
  await watch.showPresence();
  return {
    async close() {
      await runner.stop();
      await watch.close();
    },
  };
}

const TAKE_OVER_MS = 10_000;

interface WorkerWatch {
  showPresence(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A job that a killed process had begun stays locked by its worker for hours. So each worker here is known by
 * an advisory lock that ends with its process, and jobs of workers without one are freed.
 */
async function watchWorkers(pool: pg.Pool, events: EventEmitter, log: Log): Promise<WorkerWatch> {
  const workerIds: string[] = [];
  let client: pg.PoolClient | null = null;
  events.on('worker:create', ({ worker }: { worker: { workerId: string } }) =>
    workerIds.push(worker.workerId),
  );

  /** Shared locks count: taking one again that is held already does no harm. */
  async function showPresence(): Promise<void> {
    if (!client) {
      const connected = await pool.connect();
      // Given back when it breaks: the pool waits for all its connections before it ends.
      connected.once('end', () => {
        if (client !== connected) return;
        client = null;
        connected.release(true);
      });
      client = connected;
    }
    await client.query('select pg_advisory_lock_shared(key) from unnest($1::bigint[]) as key', [
      workerIds.map(presenceKey),
    ]);
  }

  async function freeJobsOfTheDead(): Promise<void> {
    const { rows } = await pool.query<{ locked_by: string }>(
      'select distinct locked_by from graphile_worker._private_jobs where locked_by is not null',
    );
    for (const { locked_by: workerId } of rows) {
      const { rows: found } = await pool.query<{ dead: boolean }>(
        'select pg_try_advisory_xact_lock($1::bigint) as dead',
        [presenceKey(workerId)],
      );
      if (found[0]!.dead) await pool.query('select graphile_worker.force_unlock_workers($1)', [[workerId]]);
    }
  }

  let round = freeJobsOfTheDead();
  await round;
  const timer = setInterval(() => {
    round = showPresence()
      .then(freeJobsOfTheDead)
      .catch((error: unknown) => log.warn({ err: error }, 'jobs: cannot look for dead workers'));
  }, TAKE_OVER_MS);
  return {
    showPresence,
    async close() {
      clearInterval(timer);
      await round;
      const last = client;
      client = null;
      last?.release(true);
    },
  };
}

function presenceKey(workerId: string): string {
  return sha256(`job worker ${workerId}`).readBigInt64BE().toString();
}

function toGraphileLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (/^(error|warning)$/.test(level)) log.warn({ from: 'jobs' }, message);
    else log.debug({ from: 'jobs' }, message);
  });
}
