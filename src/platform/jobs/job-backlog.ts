/**
 * Reports which jobs wait, since when, and which have stalled. Jobs of one kind and queue form a line. A line has
 * stalled when its oldest job has waited for a minute and none of its jobs finished in that minute.
 */
import { sql } from 'kysely';
import type { EventEmitter } from 'node:events';
import type { Job } from 'graphile-worker';
import type pg from 'pg';
import type { Db } from '../database/database.ts';
import type { Log } from '../log.ts';

export const STALLED_AFTER_SECONDS = 60;
const RECORD_EVERY_MS = 5_000;

export interface JobLine {
  job: string;
  /** Empty for jobs without a queue. */
  queue: string;
  /** Jobs that are due, that will be retried, or that have been running for more than a minute. */
  waiting: number;
  /** Jobs that have no attempts left. */
  failed: number;
  /** Since when the oldest waiting job has waited. */
  since: Date | null;
  hasStalled: boolean;
}

/**
 * Each failure delays `run_at` by exp(attempts) seconds. Subtracting these delays gives the time at which the job
 * was first due.
 */
const WAITING_SINCE = sql<Date>`
  coalesce(j.locked_at, greatest(j.created_at, j.run_at - make_interval(secs => (
    select coalesce(sum(exp(least(attempt, 10))), 0) from generate_series(1, j.attempts) attempt
  ))))`;

/**
 * `unfinished` has the jobs that wait, have failed, or have run for long; `line` counts them by job and queue. A line
 * has stalled when its oldest job has waited for too long and none has made progress since.
 */
export async function readJobBacklog(db: Db): Promise<JobLine[]> {
  const { rows } = await sql<JobLine>`
    with stalled as (
      select now() - make_interval(secs => ${STALLED_AFTER_SECONDS}) as before
    ), unfinished as (
      select j.task_id, j.job_queue_id, j.locked_at is null and j.attempts >= j.max_attempts as has_failed,
        ${WAITING_SINCE} as since
      from graphile_worker._private_jobs j
      where j.locked_at is null or j.locked_at < (select before from stalled)
    ), line as (
      select task_id, job_queue_id,
        count(*) filter (where not has_failed) as waiting,
        count(*) filter (where has_failed) as failed,
        min(since) filter (where not has_failed) as since
      from unfinished where has_failed or since <= now()
      group by task_id, job_queue_id
    )
    select t.identifier as job, coalesce(q.queue_name, '') as queue, line.waiting, line.failed, line.since,
      coalesce(line.since < stalled.before, false) and coalesce(p.moved_at < stalled.before, true) as "hasStalled"
    from line cross join stalled
    join graphile_worker._private_tasks t on t.id = line.task_id
    left join graphile_worker._private_job_queues q on q.id = line.job_queue_id
    left join job_progress p on p.job = t.identifier and p.queue = coalesce(q.queue_name, '')
    order by 1, 2
  `.execute(db);
  return rows;
}

/**
 * Returns the teams for which a job of this kind has stalled. The job must have no queue and a `teamId` in its payload.
 * It has stalled when it has waited for a minute and either its line has stalled or the job has failed before, because
 * jobs of other teams may keep the line moving.
 */
export async function findTeamsWithStalledJob(
  db: Db,
  job: string,
  hasLineStalled: boolean,
): Promise<{ teamId: number; since: Date }[]> {
  const { rows } = await sql<{ teamId: number; since: Date }>`
    select (j.payload ->> 'teamId')::integer as "teamId", min(${WAITING_SINCE}) as since
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = ${job} and j.payload ->> 'teamId' is not null
      and (j.locked_at is not null or j.attempts < j.max_attempts)
      and (${hasLineStalled}::boolean or j.attempts > 0)
      and ${WAITING_SINCE} < now() - make_interval(secs => ${STALLED_AFTER_SECONDS})
    group by 1
  `.execute(db);
  return rows;
}

export interface ProgressRecorder {
  close(): Promise<void>;
}

/** Records every few seconds which lines have finished jobs. */
export function recordProgress(pool: pg.Pool, events: EventEmitter, log: Log): ProgressRecorder {
  const moved = new Map<string, Job>();
  events.on('job:success', ({ job }: { job: Job }) =>
    moved.set(`${job.task_identifier} ${job.job_queue_id}`, job),
  );

  async function record(): Promise<void> {
    const jobs = [...moved.values()];
    if (jobs.length === 0) return;
    moved.clear();
    try {
      await pool.query(
        `with expired as (
          delete from job_progress where moved_at < now() - interval '1 day'
        )
        insert into job_progress (job, queue, moved_at)
        select distinct m.job, coalesce(q.queue_name, ''), now()
        from unnest($1::text[], $2::integer[]) as m (job, queue_id)
        left join graphile_worker._private_job_queues q on q.id = m.queue_id
        order by 1, 2
        on conflict (job, queue) do update set moved_at = excluded.moved_at`,
        [jobs.map((job) => job.task_identifier), jobs.map((job) => job.job_queue_id)],
      );
    } catch (error) {
      log.warn({ err: error }, 'jobs: progress could not be recorded');
    }
  }

  let recording = Promise.resolve();
  const timer = setInterval(() => {
    recording = record();
  }, RECORD_EVERY_MS);
  return {
    async close() {
      clearInterval(timer);
      await recording;
    },
  };
}
