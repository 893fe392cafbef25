/**
 * Detects jobs of this process whose state the database has lost. A standby that takes over without having received
 * everything (asynchronous replication) may lack:
 * - the end of a job. Its row exists again, locked by a runner that no longer runs it. Such jobs are unlocked.
 * - the writes of a running job. So a job that began before the promotion fails at its end, and runs again.
 * - the lock, or the whole job. Another job may have its ID then, and graphile-worker deletes finished jobs by ID.
 *   So a job is finished only if its row is still locked by the runner.
 */
import type { Job } from 'graphile-worker';
import type pg from 'pg';
import type { Log } from '../log.ts';

export interface RunningJobs {
  /** Runs the job. Throws when the job must run again because the database has lost part of it. */
  run(job: OwnJob, work: () => Promise<void>): Promise<void>;
  /** Reads the timeline of the database, which changes when a standby is promoted. Never throws. */
  readTimeline(): Promise<void>;
  /** Unlocks jobs of these pools that the process has not run for a few seconds. */
  freeForgotten(poolIds: string[]): Promise<void>;
}

type OwnJob = Pick<Job, 'id' | 'locked_by' | 'task_identifier'>;

/** Right after a job was fetched, and while its end is being written, the lock exists without a running job. */
const FORGOTTEN_AFTER_MS = 3_000;
const TIMELINE = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)';

export function watchRunningJobs(pool: pg.Pool, log: Log): RunningJobs {
  const running = new Set<number>();
  /** The times at which each lock without a running job was first seen. */
  let suspects = new Map<string, number>();
  /** Null while unknown. Some hosted databases do not reveal it. */
  let timeline: string | null = null;

  async function isKept(job: OwnJob, begunOn: string | null): Promise<boolean> {
    const { rows } = await pool.query<{ timeline: string | null }>(
      `select ${begunOn === null ? 'null::text' : TIMELINE} as timeline from graphile_worker._private_jobs
       where id = $1 and locked_by = $2`,
      [job.id, job.locked_by],
    );
    return rows[0] !== undefined && rows[0].timeline === begunOn;
  }

  return {
    async run(job, work) {
      // The declared type is a string, but the pool parses the ID to a number.
      const id = Number(job.id);
      running.add(id);
      const begunOn = timeline;
      try {
        await work();
        if (await isKept(job, begunOn)) return;
        log.warn(
          { job: job.task_identifier, jobId: id },
          'jobs: the database has lost the lock of a job, or was replaced by a standby; the job runs again',
        );
        throw new Error('The database has lost part of this job.');
      } finally {
        running.delete(id);
      }
    },
    async readTimeline() {
      try {
        const { rows } = await pool.query<{ timeline: string }>(`select ${TIMELINE} as timeline`);
        timeline = rows[0]!.timeline;
      } catch (error) {
        log.debug({ err: error }, 'jobs: the timeline of the database is not known');
      }
    },
    async freeForgotten(poolIds) {
      const { rows } = await pool.query<{ id: number; lockedAt: string }>(
        `select id, locked_at::text as "lockedAt" from graphile_worker._private_jobs
         where locked_by = any($1)`,
        [poolIds],
      );
      const now = performance.now();
      const before = suspects;
      suspects = new Map();
      const forgotten: number[] = [];
      for (const { id, lockedAt } of rows) {
        if (running.has(id)) continue;
        const lock = `${id} ${lockedAt}`;
        const since = before.get(lock) ?? now;
        suspects.set(lock, since);
        if (now - since >= FORGOTTEN_AFTER_MS) forgotten.push(id);
      }
      if (forgotten.length === 0) return;
      await pool.query(
        `update graphile_worker._private_jobs
         set locked_by = null, locked_at = null, run_at = greatest(run_at, now())
         where id = any($1::bigint[]) and locked_by = any($2)`,
        [forgotten, poolIds],
      );
      log.warn({ jobs: forgotten.length }, 'jobs: jobs that this process no longer runs are freed');
    },
  };
}
