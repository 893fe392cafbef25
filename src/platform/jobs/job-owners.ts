/**
 * Frees the jobs of processes that have died. graphile-worker writes the ID of a runner's worker pool, never the ID of
 * a single worker, into `locked_by` of a job and of its queue. Each process shows its pool as alive before the pool
 * takes its first job. Jobs and queues that are locked by a pool that no live process shows are unlocked.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../log.ts';
import type { Presence } from '../database/presence.ts';
import { watchRunningJobs, type RunningJobs } from './running-jobs.ts';

export interface JobOwners {
  /** Resolves when the pool is shown as alive. Retries until it succeeds or `close` is called. */
  show(poolId: string): Promise<void>;
  /**
   * Unlocks the jobs and queues that an ended pool of this process still holds. Retries until it succeeds or `close`
   * is called.
   */
  release(poolId: string): Promise<void>;
  /** Runs a job that one of the pools has locked. */
  run: RunningJobs['run'];
  close(): Promise<void>;
}

const TRY_AGAIN_MS = 250;
/** graphile-worker releases every lock that is older than four hours, even one that is in use. */
const RENEW_AFTER = '1 hour';
/**
 * One statement locks and unlocks a queue together with its job, so a queue that is locked without a job was left
 * behind.
 */
const LEFT_BEHIND_AFTER = '3 seconds';

export function watchJobOwners(pool: pg.Pool, presence: Presence, log: Log, takeOverMs: number): JobOwners {
  const ownPools = new Set<string>();
  const runningJobs = watchRunningJobs(pool, log);
  const closing = new AbortController();

  async function freeDeadOwners(): Promise<void> {
    const { rows } = await pool.query<{ id: string }>(
      'select distinct locked_by as id from graphile_worker._private_jobs where locked_by is not null',
    );
    const owners = rows.map(({ id }) => id).filter((id) => !ownPools.has(id));
    const dead = await presence.findDead(owners);
    if (dead.length === 0) return;
    await freeLocks(dead);
    log.warn({ owners: dead.length }, 'jobs: the jobs of a process that has ended are freed');
  }

  async function freeLocks(owners: string[]): Promise<void> {
    await pool.query('select graphile_worker.force_unlock_workers($1)', [owners]);
  }

  async function maintainLocks(): Promise<void> {
    try {
      await runningJobs.readTimeline();
      await renewLocks(pool, [...ownPools]);
      await runningJobs.freeForgotten([...ownPools]);
      await freeQueuesLeftBehind(pool);
      await freeDeadOwners();
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ err: error }, 'jobs: locks cannot be maintained');
    }
  }

  async function maintainUntilClosed(): Promise<void> {
    while (!closing.signal.aborted) {
      await maintainLocks();
      await pause(takeOverMs);
    }
  }

  async function retryUntilDone(work: () => Promise<void>): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        return await work();
      } catch {
        await pause(TRY_AGAIN_MS);
      }
    }
  }

  async function pause(ms: number): Promise<void> {
    await wait(ms, null, { ref: false, signal: closing.signal }).catch(() => {});
  }

  const maintaining = maintainUntilClosed();
  return {
    async show(poolId) {
      ownPools.add(poolId);
      await retryUntilDone(() => presence.show([poolId]));
      await runningJobs.readTimeline();
    },
    async release(poolId) {
      await retryUntilDone(() => freeLocks([poolId]));
      ownPools.delete(poolId);
    },
    run: runningJobs.run,
    async close() {
      closing.abort();
      await maintaining;
    },
  };
}

async function renewLocks(pool: pg.Pool, owners: string[]): Promise<void> {
  for (const table of ['_private_jobs', '_private_job_queues']) {
    await pool.query(
      `update graphile_worker.${table} set locked_at = now()
       where locked_by = any($1) and locked_at < now() - interval '${RENEW_AFTER}'`,
      [owners],
    );
  }
}

/**
 * A process that lost its connection and was declared dead may finish its job after another process has locked that job
 * and its queue. The job is then gone, and nothing else would unlock the queue.
 */
async function freeQueuesLeftBehind(pool: pg.Pool): Promise<void> {
  await pool.query(`
    update graphile_worker._private_job_queues q set locked_by = null, locked_at = null
    where q.locked_at < now() - interval '${LEFT_BEHIND_AFTER}' and not exists (
      select from graphile_worker._private_jobs j where j.job_queue_id = q.id and j.locked_by = q.locked_by
    )`);
}
