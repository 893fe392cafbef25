/**
 * Reports which jobs wait, since when, and which have stalled. Jobs of one kind and queue form a line. A line has
 * stalled when its oldest job has waited for a minute and none of its jobs finished in that minute.
 */
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import type { Row } from '../database/rows.ts';
import type { Log } from '../log.ts';
import type { LeasedJob } from './claim-job.ts';

export const STALLED_AFTER_SECONDS = 60;
const RECORD_EVERY_MS = 5_000;

export interface JobLine {
  job: string;
  /** Empty for jobs without a queue. */
  queue: NonNullable<Row<'jobs'>['queue']>;
  /** Jobs that are due, that will be retried, or that have been running for more than a minute. */
  waiting: number;
  /** Jobs that have no attempts left. */
  failed: number;
  /** Since when the oldest waiting job has waited. */
  since: Date | null;
  hasStalled: boolean;
}

const WAITING_SINCE = sql<Date>`case when j.leased_by is null then j.first_due_at else j.leased_at end`;

/**
 * `unfinished` has the jobs that wait, have failed, or have run for long; `line` counts them by job and queue. A line
 * has stalled when its oldest job has waited for too long and none has made progress since.
 */
export async function readJobBacklog(db: Db): Promise<JobLine[]> {
  const { rows } = await sql<JobLine>`
    with stalled as (
      select now() - make_interval(secs => ${STALLED_AFTER_SECONDS}) as before
    ), unfinished as (
      select j.name, coalesce(j.queue, '') as queue, j.leased_by is null and j.attempts >= j.max_attempts as has_failed,
        ${WAITING_SINCE} as since
      from jobs j
      where j.leased_by is null or j.leased_at < (select before from stalled)
    ), line as (
      select name, queue,
        count(*) filter (where not has_failed) as waiting,
        count(*) filter (where has_failed) as failed,
        min(since) filter (where not has_failed) as since
      from unfinished where has_failed or since <= now()
      group by name, queue
    )
    select line.name as job, line.queue, line.waiting, line.failed, line.since,
      coalesce(line.since < stalled.before, false) and coalesce(p.moved_at < stalled.before, true) as "hasStalled"
    from line cross join stalled
    left join job_progress p on p.job = line.name and p.queue = line.queue
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
    from jobs j
    where j.name = ${job} and j.payload ->> 'teamId' is not null
      and (j.leased_by is not null or j.attempts < j.max_attempts)
      and (${hasLineStalled}::boolean or j.attempts > 0)
      and ${WAITING_SINCE} < now() - make_interval(secs => ${STALLED_AFTER_SECONDS})
    group by 1
  `.execute(db);
  return rows;
}

export interface ProgressRecorder {
  /** A job is done. */
  note(job: Pick<LeasedJob, 'name' | 'queue'>): void;
  close(): Promise<void>;
}

/** Records every few seconds which lines have finished jobs. */
export function recordProgress(db: Db, log: Log): ProgressRecorder {
  const moved = new Map<string, Pick<LeasedJob, 'name' | 'queue'>>();

  async function record(): Promise<void> {
    const jobs = [...moved.values()];
    if (jobs.length === 0) return;
    moved.clear();
    try {
      await sql`
        with expired as (
          delete from job_progress where moved_at < now() - interval '1 day'
        )
        insert into job_progress (job, queue, moved_at)
        select distinct m.job, coalesce(m.queue, ''), now()
        from unnest(${jobs.map(({ name }) => name)}::text[], ${jobs.map(({ queue }) => queue)}::text[]) as m (job, queue)
        order by 1, 2
        on conflict (job, queue) do update set moved_at = excluded.moved_at`.execute(db);
    } catch (error) {
      log.warn({ err: error }, 'jobs: progress could not be recorded');
    }
  }

  let recording = Promise.resolve();
  const timer = setInterval(() => {
    recording = record();
  }, RECORD_EVERY_MS);
  return {
    note: (job) => void moved.set(`${job.name} ${job.queue}`, job),
    async close() {
      clearInterval(timer);
      await recording;
    },
  };
}
