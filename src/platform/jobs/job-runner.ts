/**
 * Runs jobs: leases them from the queue (platform/due/due.ts) and calls their handlers until it is closed.
 *
 *   leased → done, and deleted
 *          → failed, and due again after a growing gap, until it has no attempts left
 *          → taken over by another process, because this one stood still
 *
 * After a failover that lost the last writes, a job whose end was lost is leased by a process that does not know it: the
 * lease ends, and the job runs again. A job that began before the failover fails at its end, because what it wrote may
 * be lost (decision 38).
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from '../database/database.ts';
import type { LeaseHolder } from '../due/lease-holder.ts';
import { nextTryAt, type RetrySchedule } from '../due/retry-schedule.ts';
import { createWakeableTimer } from '../concurrency/wakeable-timer.ts';
import { runUntilClosed } from '../concurrency/work-loop.ts';
import type { Log } from '../log.ts';
import {
  endLastAttempts,
  finishJob,
  JOB_LEASES,
  leaseJob,
  readTimeline,
  retryJob,
  storeRest,
  type LeasedJob,
} from './claim-job.ts';
import { recordProgress } from './job-backlog.ts';
import { enqueueScheduled, type ScheduledJob } from './job-schedule.ts';
import type { JobHandler } from './jobs.ts';

export interface JobRunner {
  /** Tells the runner that a job may be due. */
  wake(): void;
  /**
   * Takes no new jobs and waits a few seconds for the running ones. Jobs that are still running stay leased until
   * the process ends, and then run in another process or at the next start.
   */
  close(): Promise<void>;
}

export interface JobRunnerOptions {
  /** Jobs without a handler are left to other runners. */
  handlers: Record<string, JobHandler>;
  schedule: ScheduledJob[];
  concurrency: number;
  leases: LeaseHolder;
}

/** Limits the delay when a notification is lost, and of retries. */
const POLL_MS = 1_000;
const SCHEDULE_MS = 10_000;
const AFTER_ERROR = { firstMs: 500, longestMs: 5_000 };
/** SIGTERM must end the process within 10 seconds, and other components close after the runner. */
const GRACE_MS = 4_000;
/** From three seconds to six hours. Attempts are counted, so the time since the first does not matter. */
const RETRIES: RetrySchedule = {
  waitsMs: [3, 7, 20, 55, 150, 400, 1_100, 3_000, 8_100, 22_000].map((seconds) => seconds * 1000),
  giveUpAfterMs: Infinity,
};

export function startJobs(db: Db, log: Log, options: JobRunnerOptions): JobRunner {
  const { handlers, schedule, concurrency, leases } = options;
  const names = Object.keys(handlers);
  const running = new Map<number, Promise<void>>();
  const timer = createWakeableTimer();
  const { wake } = timer;
  const progress = recordProgress(db, log);
  const timeline = watchTimeline(db, log);
  let closing = false;

  const endHold = leases.hold({
    table: JOB_LEASES,
    listKnown: () => [...running.keys()].map((id) => ({ id })),
    async onRenewed() {
      await timeline.read();
      await endLastAttempts(db);
    },
    onFreed: wake,
  });

  const run = createJobRun(db, log, { handlers, leases, timeline, onDone: progress.note });

  function start(job: LeasedJob): void {
    const { id } = job;
    const done = run(job).finally(() => {
      running.delete(id);
      wake();
    });
    running.set(id, done);
  }

  /** Returns false when nothing more can be started now. */
  async function startNext(): Promise<boolean> {
    if (running.size >= concurrency) return false;
    if (leases.haveLapsed()) await leases.renew();
    const job = await leases.claim(async () => {
      const leased = await leaseJob(db, leases.id, names, [...running.keys()]);
      if (leased) start(leased);
      return leased;
    });
    return job !== null;
  }

  const scheduling = startSchedule(db, log, schedule);
  const working = runUntilClosed(async () => ((await startNext()) ? 0 : POLL_MS), {
    timer,
    isClosing: () => closing,
    afterError: AFTER_ERROR,
    onFailure(failure) {
      if (!closing) log.warn(failure, 'jobs: waiting jobs cannot be read');
    },
  });

  async function end(): Promise<void> {
    await working;
    await Promise.all(running.values());
    endHold();
    await progress.close();
  }

  return {
    wake,
    async close() {
      closing = true;
      scheduling.close();
      wake();
      if (!(await endsWithin(end(), GRACE_MS)))
        log.warn('jobs: some jobs are still running; they continue in another process or at the next start');
    },
  };
}

/** Calls the handler of a job and records how it ended. Never throws. */
function createJobRun(
  db: Db,
  log: Log,
  tools: Pick<JobRunnerOptions, 'handlers' | 'leases'> & { timeline: Timeline; onDone(job: LeasedJob): void },
): (job: LeasedJob) => Promise<void> {
  const { handlers, leases, timeline, onDone } = tools;
  return async (job) => {
    const begunOn = timeline.current();
    const saveRemaining = (trx: Db, rest: unknown) => storeRest(trx, leases.id, job, rest);
    try {
      const handler = handlers[job.name] as JobHandler<unknown>;
      if (job.payload !== null) await handler(job.payload, { saveRemaining });
      if (!(await finishJob(db, leases.id, job, begunOn))) throw new Error(LOST);
      onDone(job);
    } catch (error) {
      await noteFailure({ db, log, holderId: leases.id }, job, error);
    }
  };
}

function startSchedule(db: Db, log: Log, schedule: readonly ScheduledJob[]): { close(): void } {
  let isClosed = false;
  const enqueueDue = () =>
    void enqueueScheduled(db, schedule).catch((error: unknown) => {
      if (!isClosed) log.warn({ err: error }, 'jobs: scheduled jobs cannot be enqueued');
    });
  enqueueDue();
  const timer = setInterval(enqueueDue, SCHEDULE_MS);
  return {
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

const LOST = 'The database has lost the lease of this job, or was replaced by a standby.';

/** If this fails as well, the lease ends after a while, and the job runs again. */
async function noteFailure(
  { db, log, holderId }: { db: Db; log: Log; holderId: string },
  job: LeasedJob,
  error: unknown,
): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  const about = { job: job.name, jobId: job.id, attempts: job.attempts, err: error };
  if (reason === LOST)
    log.warn(
      { job: job.name, jobId: job.id },
      'jobs: the database has lost the lease of a job, or was replaced by a standby; the job runs again',
    );
  else if (job.attempts >= job.maxAttempts) log.error(about, 'jobs: a job has failed for the last time');
  else log.warn(about, 'jobs: a job has failed, and is tried again');
  const now = new Date();
  const next = nextTryAt(RETRIES, { tries: job.attempts, firstTriedAt: now, now, random: Math.random });
  try {
    await retryJob(db, holderId, job, {
      waitMs: reason === LOST ? 0 : next!.getTime() - now.getTime(),
      error: reason,
    });
  } catch (cause) {
    log.warn({ ...about, err: cause }, 'jobs: the end of a job could not be recorded');
  }
}

interface Timeline {
  /** Null while it is unknown. Some hosted databases do not reveal it. */
  current(): string | null;
  read(): Promise<void>;
}

function watchTimeline(db: Db, log: Log): Timeline {
  let timeline: string | null = null;
  return {
    current: () => timeline,
    async read() {
      try {
        timeline = await readTimeline(db);
      } catch (error) {
        log.debug({ err: error }, 'jobs: the timeline of the database is not known');
      }
    },
  };
}

/** Returns whether the work ended in time. If not, it continues in the background. */
export async function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  const ended = new AbortController();
  const late = wait(ms, false, { signal: ended.signal }).catch(() => false);
  const isOver = await Promise.race([work.then(() => true), late]);
  ended.abort();
  return isOver;
}
