/** Copies the jobs of the team under new IDs, because the IDs of graphile-worker are valid only in one database. */
import type pg from 'pg';
import type { IdMap } from './map-ids.ts';

/** These jobs are not copied. Periodic jobs start them for imports and verifications that have none. */
const RESTARTED = ['run-contact-import', 'verify-domain'];

interface WaitingJob {
  task: string;
  queue: string | null;
  key: string | null;
  payload: object;
  priority: number;
  runAt: Date;
  maxAttempts: number;
}

export async function copyJobs(from: pg.ClientBase, to: pg.ClientBase, { team }: IdMap): Promise<void> {
  const { rows } = await from.query<WaitingJob>(
    `select t.identifier as task, q.queue_name as queue, j.key, j.payload, j.priority, j.run_at as "runAt",
       j.max_attempts as "maxAttempts"
     from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id
     left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
     where j.payload->>'teamId' = $1 and t.identifier <> all($2)
     order by j.id`,
    [String(team.from), RESTARTED],
  );
  // The names of queues and keys contain the number of the team.
  const rename = (name: string | null) =>
    name && name.replace(new RegExp(`(?<= )${team.from}(?= |$)`), String(team.to));
  for (const job of rows) {
    await to.query(
      `select graphile_worker.add_job($1::text, $2::json, queue_name => $3::text, run_at => $4::timestamptz,
         max_attempts => $5::integer, job_key => $6::text, priority => $7::integer)`,
      [
        job.task,
        JSON.stringify({ ...job.payload, teamId: team.to }),
        rename(job.queue),
        job.runAt,
        job.maxAttempts,
        rename(job.key),
        job.priority,
      ],
    );
  }
}

export async function dropJobs(client: pg.ClientBase, teamId: number): Promise<void> {
  await client.query(
    `delete from graphile_worker._private_jobs where payload->>'teamId' = $1 and locked_at is null`,
    [String(teamId)],
  );
}
