/** Runs jobs: takes them from the queue and calls their handlers until it is closed. */
import { sql } from 'kysely';
import { EventEmitter, once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import {
  parseCronItems,
  run,
  type CronItem,
  type Job,
  type Runner,
  type TaskList,
  type Worker,
  type WorkerPool,
} from 'graphile-worker';
import type { Db } from '../database/database.ts';
import { recordProgress } from './job-backlog.ts';
import { watchJobOwners, type JobOwners } from './job-owners.ts';
import { toGraphileLogger, type JobHandler } from './jobs.ts';
import type { Log } from '../log.ts';
import type { Presence } from '../database/presence.ts';

export interface JobRunner {
  /**
   * Takes no new jobs and waits a few seconds for the running ones. Jobs that are still running stay locked until
   * the process ends, and then run in another process or at the next start.
   */
  close(): Promise<void>;
}

export interface JobRunnerOptions {
  /** Jobs without a handler are left to other runners. */
  handlers: Record<string, JobHandler>;
  schedule: { job: string; cron: string }[];
  concurrency: number;
  /** Shows the runner as alive. The caller closes it after the runner. */
  presence: Presence;
  /** The interval between checks for jobs of dead processes. */
  takeOverMs?: number;
}

export async function startJobs(pool: pg.Pool, log: Log, options: JobRunnerOptions): Promise<JobRunner> {
  const events = new EventEmitter();
  const owners = watchJobOwners(pool, options.presence, log, options.takeOverMs ?? TAKE_OVER_MS);
  const progress = recordProgress(pool, events, log);
  pollAfterQueuedJobs(events);
  events.on('job:failed', ({ job, error }: { job: Job; error: unknown }) =>
    log.error(
      { job: job.task_identifier, jobId: job.id, err: error },
      'jobs: a job has failed for the last time',
    ),
  );
  const waitForEnd = watchEnds(events);
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
      taskList: toTaskList(options.handlers, owners),
      parsedCronItems: parseCronItems(cronItems),
      concurrency: options.concurrency,
      noHandleSignals: true,
      preset: {
        plugins: [showBeforeWork(owners)],
        // Batched completion can fail silently at shutdown, so it is disabled.
        worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 },
      },
      logger: toGraphileLogger(log),
      events,
    });
  let runner = await start();
  let closing = false;

  /** A runner that loses the database at the wrong moment never recovers, so a new one is started. */
  async function keepRunning(): Promise<void> {
    for (;;) {
      await waitForEnd(runner);
      if (closing) return;
      log.warn('jobs: the runner has ended, and is started again');
      // The runner waited for its jobs. A job whose result could not be written is still locked.
      await owners.release(poolId);
      await wait(RESTART_MS);
      if (closing) return;
      try {
        runner = await start();
      } catch (error) {
        log.warn({ err: error }, 'jobs: the runner cannot be started yet');
      }
      if (closing) void stop(runner);
    }
  }

  async function end(): Promise<void> {
    void stop(runner);
    await keeping;
    await progress.close();
    await owners.close();
  }

  const keeping = keepRunning();
  return {
    async close() {
      closing = true;
      const ended = await endsWithin(end(), GRACE_MS);
      if (!ended)
        log.warn('jobs: some jobs are still running; they continue in another process or at the next start');
    },
  };
}

/** A worker takes no job before its pool is shown as alive. */
function showBeforeWork(owners: JobOwners): GraphileConfig.Plugin {
  return {
    name: 'PosthornPresencePlugin',
    version: '0.0.0',
    worker: { hooks: { startWorker: (_, { worker }) => owners.show(worker.workerPool.id) } },
  };
}

function toTaskList(handlers: Record<string, JobHandler>, owners: JobOwners): TaskList {
  return Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [
      name,
      async (payload: unknown, { job }) => {
        if (payload === null) return;
        const saveRemaining = (trx: Db, rest: unknown) => storeRest(trx, job, rest);
        await owners.run(job, () => (handler as JobHandler<unknown>)(payload, { saveRemaining }));
      },
    ]),
  );
}

async function storeRest(trx: Db, { id, locked_by: owner }: Job, rest: unknown): Promise<void> {
  const { rows } = await sql`
    update graphile_worker._private_jobs set payload = ${JSON.stringify(rest)}::json
    where id = ${id}::bigint and locked_by = ${owner} returning 1
  `.execute(trx);
  if (rows.length === 0) throw new Error('Another process has taken over this job.');
}

/**
 * A worker looks for its next job before its last one is recorded as done. The queue of that job is still locked then,
 * so the worker would find nothing and wait for its next poll. This makes it look again.
 */
function pollAfterQueuedJobs(events: EventEmitter): void {
  const released = new WeakSet<Worker>();
  events.on('worker:release', ({ worker }: { worker: Worker }) => released.add(worker));
  events.on('job:complete', ({ worker, job }: { worker: Worker; job: Job }) => {
    if (job.job_queue_id === null) return;
    const nudge = () => !released.has(worker) && worker.nudge();
    for (const delayMs of NUDGE_DELAYS_MS) setTimeout(nudge, delayMs).unref();
  });
}

/**
 * When graphile-worker 0.17 fails to record the end of two jobs at the same time, its shutdown never finishes. So a
 * runner that is shutting down counts as ended once none of its jobs is running and its last writes have had a
 * second.
 */
function watchEnds(events: EventEmitter): (runner: Runner) => Promise<void> {
  let running = 0;
  events.on('job:start', () => (running += 1));
  for (const end of ['job:complete', 'worker:fatalError']) events.on(end, () => (running -= 1));

  async function waitUntilIdle(signal: AbortSignal): Promise<void> {
    await once(events, 'pool:gracefulShutdown', { signal });
    while (running > 0) await wait(IDLE_CHECK_MS, null, { signal });
    await wait(LAST_WRITES_MS, null, { signal });
  }

  return async (runner) => {
    const ended = new AbortController();
    await Promise.race([runner.promise.catch(() => {}), waitUntilIdle(ended.signal)]).finally(() =>
      ended.abort(),
    );
  };
}

/** Ignores the error of a runner that has already ended. */
async function stop(runner: Runner): Promise<void> {
  await runner.stop().catch(() => {});
}

/** Returns whether the work ended in time. If not, it continues in the background. */
export async function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  const ended = new AbortController();
  const late = wait(ms, false, { signal: ended.signal }).catch(() => false);
  const isOver = await Promise.race([work.then(() => true), late]);
  ended.abort();
  return isOver;
}

const RESTART_MS = 500;
const NUDGE_DELAYS_MS = [10, 100];
const IDLE_CHECK_MS = 100;
const LAST_WRITES_MS = 1_000;
const TAKE_OVER_MS = 5_000;
/** SIGTERM must end the process within 10 seconds, and other components close after the runner. */
const GRACE_MS = 4_000;
