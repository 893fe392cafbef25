/**
 * The jobs that wait, by name instead of by number. graphile-worker's numbers must not be carried over: a running
 * worker remembers the numbers of the tasks, and finishes a job by its number alone. So each restored job is a
 * new one, held by nobody; and the jobs of a backup fit whatever version of graphile-worker is there.
 */
import type pg from 'pg';
import type { Section } from './format.ts';

/** With the types of the table that they wait in while they are loaded. */
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

export const JOBS: Section = { kind: 'jobs', columns: Object.keys(JOB_COLUMNS) };
export const CRONTABS: Section = { kind: 'crontabs', columns: Object.keys(CRONTAB_COLUMNS) };

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

/** What is in the hands of a worker at this moment, dead ones included. */
export async function listBusyJobs(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ task: string }>(`
    select distinct t.identifier as task
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where j.locked_at is not null`);
  return rows.map(({ task }) => task);
}

export async function openWaitingRooms(client: pg.ClientBase): Promise<void> {
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

/** The jobs that were there are gone. When a task by the clock ran last is known better by who is there already. */
export async function letJobsIn(client: pg.ClientBase): Promise<void> {
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
