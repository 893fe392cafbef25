/**
 * Jobs in backups of older versions, which had them in the tables of graphile-worker and wrote them as a section of
 * their own. Newer backups have the table `jobs` like any other.
 */
import type pg from 'pg';
import type { Row } from '../database/rows.ts';
import { hasTable } from './catalog.ts';

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

/** Returns the names of jobs that a process runs. */
export async function listBusyJobs(client: pg.ClientBase): Promise<string[]> {
  if (!(await hasTable(client, 'jobs'))) return [];
  const { rows } = await client.query<Row<'jobs', 'name'>>(
    'select distinct name from jobs where leased_until > clock_timestamp()',
  );
  return rows.map(({ name }) => name);
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

/** Adds the jobs of an older backup, once the migrations have made the table. Its crontabs have no meaning any more. */
export async function enableJobs(client: pg.ClientBase): Promise<void> {
  if (!(await hasTable(client, 'jobs'))) return;
  await client.query(`
    insert into jobs (name, queue, payload, priority, due_at, first_due_at, attempts, max_attempts, last_error, key,
        created_at, updated_at)
      select task, queue, payload, priority, run_at, run_at, attempts, max_attempts, last_error, key,
        created_at, updated_at
      from restored_jobs`);
}
