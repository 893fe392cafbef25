/**
 * Work that follows a request: enqueued by SQL in the same transaction as what it follows, done by the worker
 * door of any process, tried again when it fails. Payloads are ids; handlers may run twice and must not mind.
 */
import { sql } from 'kysely';
import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import {
  Logger,
  parseCronItems,
  run,
  runMigrations,
  type CronItem,
  type Job,
  type Runner,
  type TaskList,
  type Worker,
} from 'graphile-worker';
import type { Db } from './database.ts';
import type { Log } from './log.ts';
import { createPresence } from './presence.ts';

/** Every job and what it is told. The worker door has a handler for each, or does not compile. */
export interface JobPayloads {
  'run-contact-import': { teamId: number; importId: string };
  'send-confirmations': { teamId: number; contactBookId: string; contactIds: string[] };
  'verify-domain': { teamId: number; domainId: number };
  'keep-event-partitions': Record<string, never>;
  'drop-stale-uploads': Record<string, never>;
  'drop-expired-answers': Record<string, never>;
  'drop-expired-sessions': Record<string, never>;
  'drop-mailbox-mail': { teamId: number; mailboxId: string };
  'drop-unused-blobs': Record<string, never>;
  'drop-old-mailbox-events': Record<string, never>;
  'drop-calls-of-webhook': { teamId: number; webhookId: string };
  'tell-of-paused-webhook': { teamId: number; webhookId: string };
  'drop-old-webhook-calls': Record<string, never>;
  'mail-password-reset': { email: string };
}

export type JobName = keyof JobPayloads;
export type JobHandlers = { [Name in JobName]: (payload: JobPayloads[Name]) => Promise<void> };

/** Also for a job that is enqueued by a statement of its own. */
export const MAX_ATTEMPTS = 25;

/** With a `jobKey`, a waiting job of that key is replaced instead of added. Jobs of one `queue` run one by one. */
export async function enqueue<Name extends JobName>(
  db: Db,
  name: Name,
  payload: JobPayloads[Name],
  options: { runAt?: Date; jobKey?: string; queue?: string } = {},
): Promise<void> {
  await sql`
    select graphile_worker.add_job(
      ${name}::text, ${JSON.stringify(payload)}::json,
      run_at => ${options.runAt ?? null}::timestamptz,
      job_key => ${options.jobKey ?? null}::text,
      queue_name => ${options.queue ?? null}::text,
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
  const watch = watchWorkers(pool, events, log);
  lookAgainBehindQueues(events);
  const taskList: TaskList = Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [
      name,
      (payload: unknown) => (handler as (payload: unknown) => Promise<void>)(payload),
    ]),
  );
  const cronItems = schedule.map(({ job, cron }): CronItem => ({ task: job, match: cron, payload: {} }));
  const start = () =>
    run({
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
  let runner = await start();
  let closing = false;
  await watch.showPresence();

  /** A runner that loses the database at the wrong moment ends, for good; another one takes its place. */
  async function keepRunning(): Promise<void> {
    for (;;) {
      await runner.promise.catch(() => {});
      if (closing) return;
      log.warn('jobs: the runner has ended, and is started again');
      await wait(RESTART_MS);
      if (closing) return;
      try {
        runner = await start();
        await watch.showPresence();
      } catch (error) {
        log.warn({ err: error }, 'jobs: the runner cannot be started yet');
      }
      if (closing) await stop(runner);
    }
  }

  const keeping = keepRunning();
  return {
    async close() {
      closing = true;
      await stop(runner);
      await keeping;
      await watch.close();
    },
  };
}

/**
 * A worker looks for its next job before the last one is written down as done: of a queue it finds nothing then, and
 * would rest until the clock wakes it.
 */
function lookAgainBehindQueues(events: EventEmitter): void {
  const released = new WeakSet<Worker>();
  events.on('worker:release', ({ worker }: { worker: Worker }) => released.add(worker));
  events.on('job:complete', ({ worker, job }: { worker: Worker; job: Job }) => {
    if (job.job_queue_id === null) return;
    const look = () => !released.has(worker) && worker.nudge();
    for (const delayMs of LOOK_AGAIN_MS) setTimeout(look, delayMs).unref();
  });
}

/** One that has ended by itself says so, and that is as good. */
async function stop(runner: Runner): Promise<void> {
  await runner.stop().catch(() => {});
}

const RESTART_MS = 500;
const LOOK_AGAIN_MS = [10, 100];
const TAKE_OVER_MS = 10_000;

interface WorkerWatch {
  showPresence(): Promise<void>;
  close(): Promise<void>;
}

/** A job that a killed process had begun stays locked by its worker for hours; here it is freed. */
function watchWorkers(pool: pg.Pool, events: EventEmitter, log: Log): WorkerWatch {
  const presence = createPresence(pool);
  const workerIds: string[] = [];
  events.on('worker:create', ({ worker }: { worker: { workerId: string } }) =>
    workerIds.push(worker.workerId),
  );

  async function freeJobsOfTheDead(): Promise<void> {
    const { rows } = await pool.query<{ locked_by: string }>(
      'select distinct locked_by from graphile_worker._private_jobs where locked_by is not null',
    );
    const dead = await presence.findDead(rows.map((row) => row.locked_by));
    if (dead.length > 0) await pool.query('select graphile_worker.force_unlock_workers($1)', [dead]);
  }

  async function upkeep(): Promise<void> {
    try {
      await presence.show(workerIds);
      await freeJobsOfTheDead();
    } catch (error) {
      log.warn({ err: error }, 'jobs: cannot look for dead workers');
    }
  }

  let round = upkeep();
  const timer = setInterval(() => {
    round = upkeep();
  }, TAKE_OVER_MS);
  return {
    showPresence: () => presence.show(workerIds),
    async close() {
      clearInterval(timer);
      presence.close();
      await round;
    },
  };
}

function toGraphileLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (/^(error|warning)$/.test(level)) log.warn({ from: 'jobs' }, message);
    else log.debug({ from: 'jobs' }, message);
  });
}
