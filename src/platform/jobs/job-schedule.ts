/** Enqueues jobs that run at fixed times. Any number of processes may do so: each time enqueues a job once. */
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import type { Row } from '../database/rows.ts';
import { enqueueJob } from './jobs.ts';

export interface ScheduledJob {
  job: string;
  everyMinutes: number;
  /** Minutes after midnight UTC, or after the full hour, at which the interval begins. */
  atMinute: number;
}

/**
 * The statement has two steps: `due` has the last time at which each job was due, and `new_time` records it. A job is not
 * enqueued when its schedule is new, or while one waits.
 */
export async function enqueueScheduled(db: Db, schedule: readonly ScheduledJob[]): Promise<void> {
  if (schedule.length === 0) return;
  const { rows } = await sql<Row<'job_schedule', 'job'>>`
    with due as (
      select s.job, to_timestamp(
        60 * (s.at + s.every * floor((extract(epoch from now()) / 60 - s.at) / s.every))
      ) as due_at
      from unnest(
        ${schedule.map(({ job }) => job)}::text[], ${schedule.map(({ everyMinutes }) => everyMinutes)}::integer[],
        ${schedule.map(({ atMinute }) => atMinute)}::integer[]
      ) as s (job, every, at)
    ), new_time as (
      insert into job_schedule as known (job, last_due_at) select job, due_at from due order by job
      on conflict (job) do update set last_due_at = excluded.last_due_at where known.last_due_at < excluded.last_due_at
      returning job, xmax <> 0 as was_known
    )
    select job from new_time
    where was_known and not exists (
      select from jobs j where j.name = new_time.job and j.leased_by is null and j.attempts < j.max_attempts
    )
  `.execute(db);
  for (const { job } of rows) await enqueueJob(db, job, {});
}
