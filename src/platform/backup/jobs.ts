/**
 * Waiting jobs in a backup, identified by task name instead of by ID. graphile-worker's IDs must not be restored,
 * because a running worker caches the IDs of tasks and completes a job by its ID alone. So each restored job is a new,
 * unlocked job, and the jobs of a backup work with any version of graphile-worker.
 */
import type pg from 'pg';
import type { BackupSection } from './format.ts';

/** The columns of the temporary table that jobs are loaded into. */
const JOB_COLUMNS = {
  task: 'text',
  queue: 'text',
  payload: 'json',
  priority: 'smallint',
  run_at: 'timestamptz',
  attempts: 'smallint',
  max_attempts: 'smallint',
  last_error: 'text',
  key: 'text',
  flags: 'jsonb',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
};

const CRONTAB_COLUMNS = { identifier: 'text', known_since: 'timestamptz', last_execution: 'timestamptz' };

export const JOBS: BackupSection = { kind: 'jobs', columns: Object.keys(JOB_COLUMNS) };
export const CRONTABS: BackupSection = { kind: 'crontabs', columns: Object.keys(CRONTAB_COLUMNS) };

export const JOBS_QUERY = `
  select t.identifier, q.queue_name, j.payload, j.priority, j.run_at, j.attempts, j.max_attempts, j.last_error,
    j.key, j.flags, j.created_at, j.updated_at
  from graphile_worker._private_jobs j
  join graphile_worker._private_tasks t on t.id = j.task_id
  left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
  order by j.id`;

export const CRONTABS_QUERY = `
  select identifier, known_since, last_execution from graphile_worker._private_known_crontabs`;

export async function readJobsMigration(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ id: number }>('select max(id) as id from graphile_worker.migrations');
  return rows[0]!.id;
}

/** Returns the tasks of jobs that are locked by a worker, including dead workers. */
export async function listBusyJobs(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ task: string }>(`
    select distinct t.identifier as task
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where j.locked_at is not null`);
  return rows.map(({ task }) => task);
}

export async function createJobTables(client: pg.ClientBase): Promise<void> {
  await client.query(`create temporary table restored_jobs (${columnList(JOB_COLUMNS)}) on commit drop`);
  await client.query(
    `create temporary table restored_crontabs (${columnList(CRONTAB_COLUMNS)}) on commit drop`,
  );
}

function columnList(columns: Record<string, string>): string {
  return Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');
}

/** Replaces all existing jobs. Existing crontab rows stay, because their times of the last run are more recent. */
export async function enableJobs(client: pg.ClientBase): Promise<void> {
  await client.query(`
    delete from graphile_worker._private_jobs;
    insert into graphile_worker._private_tasks (identifier)
      select distinct task from restored_jobs on conflict do nothing;
    insert into graphile_worker._private_job_queues (queue_name)
      select distinct queue from restored_jobs where queue is not null on conflict do nothing;
    insert into graphile_worker._private_jobs (task_id, job_queue_id, payload, priority, run_at, attempts,
        max_attempts, last_error, key, flags, created_at, updated_at)
      select t.id, q.id, r.payload, r.priority, r.run_at, r.attempts,
        r.max_attempts, r.last_error, r.key, r.flags, r.created_at, r.updated_at
      from restored_jobs r
      join graphile_worker._private_tasks t on t.identifier = r.task
      left join graphile_worker._private_job_queues q on q.queue_name = r.queue;
    insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
      select identifier, known_since, last_execution from restored_crontabs on conflict do nothing`);
}
