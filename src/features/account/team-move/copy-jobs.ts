/** Copies the jobs of the team under new IDs, because the other database has given these IDs to other jobs. */
import type pg from 'pg';
import type { CamelRow } from '../../../platform/database/rows.ts';
import type { IdMap } from './map-ids.ts';

/** These jobs are not copied. Periodic jobs start them for imports and verifications that have none. */
const RESTARTED = ['run-contact-import', 'verify-domain'];

interface WaitingJob extends CamelRow<
  'jobs',
  'name' | 'queue' | 'key' | 'priority' | 'due_at' | 'max_attempts'
> {
  payload: object;
}

export async function copyJobs(from: pg.ClientBase, to: pg.ClientBase, { team }: IdMap): Promise<void> {
  const { rows } = await from.query<WaitingJob>(
    `select name, queue, key, payload, priority, due_at as "dueAt", max_attempts as "maxAttempts" from jobs
     where payload->>'teamId' = $1 and name <> all($2) order by id`,
    [String(team.from), RESTARTED],
  );
  // The names of queues and keys contain the number of the team.
  const rename = (name: string | null) =>
    name && name.replace(new RegExp(`(?<= )${team.from}(?= |$)`), String(team.to));
  for (const job of rows) {
    await to.query(
      `select add_job($1::text, $2::json, queue_name => $3::text, run_at => $4::timestamptz,
         most_attempts => $5::integer, job_key => $6::text, job_priority => $7::integer)`,
      [
        job.name,
        JSON.stringify({ ...job.payload, teamId: team.to }),
        rename(job.queue),
        job.dueAt,
        job.maxAttempts,
        rename(job.key),
        job.priority,
      ],
    );
  }
}

export async function dropJobs(client: pg.ClientBase, teamId: number): Promise<void> {
  await client.query(
    `delete from jobs where payload->>'teamId' = $1 and (leased_by is null or leased_until < clock_timestamp())`,
    [String(teamId)],
  );
}
