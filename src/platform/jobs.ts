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
  type WorkerPool,
} from 'graphile-worker';
import type { Db } from './database.ts';
import { recordProgress } from './job-backlog.ts';
import { watchJobOwners, type JobOwners } from './job-owners.ts';
import type { Log } from './log.ts';

/** Every job and what it is told. The worker door has a handler for each, or does not compile. */
export interface JobPayloads {
  'run-contact-import': { teamId: number; importId: string };
  'restart-lost-imports': Record<string, never>;
  /** Of a few people who have just signed up and wait for it. */
  'confirm-sign-ups': Confirmations;
  /** Of many at once, from a bulk or an import. */
  'send-confirmations': Confirmations;
  'verify-domain': { teamId: number; domainId: number };
  'restart-lost-verifications': Record<string, never>;
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

interface Confirmations {
  teamId: number;
  contactBookId: string;
  contactIds: string[];
  /** Of the import that brought these people: their confirmations stop with it. */
  importId?: string | null;
}

export type JobName = keyof JobPayloads;
export type JobHandlers = {
  [Name in JobName]: (payload: JobPayloads[Name], job: RunningJob<JobPayloads[Name]>) => Promise<void>;
};

export interface RunningJob<Payload> {
  /**
   * Stores what is left to do in the transaction that did the rest, so that a job which runs again goes on from there;
   * with null nothing is left. Throws when another process owns the job by now. Call it last: it locks the job.
   */
  keep(trx: Db, rest: Payload | null): Promise<void>;
}

/** Also for a job that is enqueued by a statement of its own. */
export const MAX_ATTEMPTS = 25;

/**
 * With a `jobKey`, a waiting job of that key is replaced instead of added. Jobs of one `queue` run one by one. A job of
 * lower `priority` runs first; the default is 0.
 */
export async function enqueue<Name extends JobName>(
  db: Db,
  name: Name,
  payload: JobPayloads[Name],
  options: { runAt?: Date; jobKey?: string; queue?: string; priority?: number } = {},
): Promise<void> {
  await sql`
    select graphile_worker.add_job(
      ${name}::text, ${JSON.stringify(payload)}::json,
      run_at => ${options.runAt ?? null}::timestamptz,
      job_key => ${options.jobKey ?? null}::text,
      queue_name => ${options.queue ?? null}::text,
      max_attempts => ${MAX_ATTEMPTS}::integer,
      priority => ${options.priority ?? 0}::integer
    )`.execute(db);
}

export async function prepareJobs(pool: pg.Pool, log: Log): Promise<void> {
  await runMigrations({ pgPool: pool, logger: toGraphileLogger(log) });
}

export interface JobRunner {
  /**
   * Takes no new job and waits a few seconds for the running ones. What still runs then keeps its owner until the
   * process ends, and goes on in another process or at the next start.
   */
  close(): Promise<void>;
}

export interface JobRunnerOptions {
  /** Jobs that have none are left to another runner. */
  handlers: Partial<JobHandlers>;
  schedule: { job: JobName; cron: string }[];
  concurrency: number;
  /** How often the jobs of dead processes are looked for. */
  takeOverMs?: number;
}

export async function startJobs(pool: pg.Pool, log: Log, options: JobRunnerOptions): Promise<JobRunner> {
  const events = new EventEmitter();
  const owners = watchJobOwners(pool, log, options.takeOverMs ?? TAKE_OVER_MS);
  const progress = recordProgress(pool, events, log);
  lookAgainBehindQueues(events);
  events.on('job:failed', ({ job, error }: { job: Job; error: unknown }) =>
    log.error(
      { job: job.task_identifier, jobId: job.id, err: error },
      'jobs: a job has failed for the last time',
    ),
  );
  let poolId = '';
  events.on('pool:create', ({ workerPool }: { workerPool: WorkerPool }) => (poolId = workerPool.id));
  const cronItems = options.schedule.map(({ job, cron }): CronItem => ({
    task: job,
    match: cron,
    payload: {},
  }));
  const start = () =>
    run({
      pgPool: pool,
      taskList: toTaskList(options.handlers),
      parsedCronItems: parseCronItems(cronItems),
      concurrency: options.concurrency,
      noHandleSignals: true,
      preset: {
        plugins: [showBeforeWork(owners)],
        // By default a finished job is written down later and unwatched: when we stop then, it fails unheard.
        worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 },
      },
      logger: toGraphileLogger(log),
      events,
    });
  let runner = await start();
  let closing = false;

  /** A runner that loses the database at the wrong moment ends, for good; another one takes its place. */
  async function keepRunning(): Promise<void> {
    for (;;) {
      await runner.promise.catch(() => {});
      if (closing) return;
      log.warn('jobs: the runner has ended, and is started again');
      // It waited for its jobs. One that it could not write down as done or failed is still locked.
      await owners.release(poolId);
      await wait(RESTART_MS);
      if (closing) return;
      try {
        runner = await start();
      } catch (error) {
        log.warn({ err: error }, 'jobs: the runner cannot be started yet');
      }
      if (closing) await stop(runner);
    }
  }

  async function end(): Promise<void> {
    await stop(runner);
    await keeping;
    await progress.close();
    await owners.close();
  }

  const keeping = keepRunning();
  return {
    async close() {
      closing = true;
      const ended = await endsWithin(end(), GRACE_MS);
      if (!ended) log.warn('jobs: some jobs still run; they go on in another process or at the next start');
    },
  };
}

/** No worker looks for a job before its pool is shown as alive. */
function showBeforeWork(owners: JobOwners): GraphileConfig.Plugin {
  return {
    name: 'PosthornPresencePlugin',
    version: '0.0.0',
    worker: { hooks: { startWorker: (_, { worker }) => owners.show(worker.workerPool.id) } },
  };
}

function toTaskList(handlers: Partial<JobHandlers>): TaskList {
  return Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [
      name,
      async (payload: unknown, { job }) => {
        if (payload === null) return;
        await (handler as (payload: unknown, job: RunningJob<unknown>) => Promise<void>)(payload, {
          keep: (trx, rest) => storeRest(trx, job, rest),
        });
      },
    ]),
  );
}

async function storeRest(trx: Db, { id, locked_by: owner }: Job, rest: unknown): Promise<void> {
  const { rows } = await sql`
    update graphile_worker._private_jobs set payload = ${JSON.stringify(rest)}::json
    where id = ${id}::bigint and locked_by = ${owner} returning 1
  `.execute(trx);
  if (rows.length === 0) throw new Error('Another process has taken this job over.');
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

/** Whether it did; if not, it is left to end by itself. */
export async function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  const ended = new AbortController();
  const late = wait(ms, false, { signal: ended.signal }).catch(() => false);
  const isOver = await Promise.race([work.then(() => true), late]);
  ended.abort();
  return isOver;
}

const RESTART_MS = 500;
const LOOK_AGAIN_MS = [10, 100];
const TAKE_OVER_MS = 5_000;
/** SIGTERM must end the process within 10 seconds, and others have to close after us. */
const GRACE_MS = 4_000;

function toGraphileLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (/^(error|warning)$/.test(level)) log.warn({ from: 'jobs' }, message);
    else log.debug({ from: 'jobs' }, message);
  });
}
