/**
 * Background jobs. A job is enqueued in the transaction of the change that needs it, runs in the worker of any process
 * (job-runner.ts), and is retried when it fails. Payloads hold IDs. Handlers must be idempotent, because a job may run
 * twice.
 */
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';

export interface RunningJob<Payload> {
  /**
   * Stores the remaining work in the transaction that did the rest, so that a retry continues from there. Null
   * means that nothing is left. Throws when another process has taken over the job. Call it last, because it locks
   * the job.
   */
  saveRemaining(trx: Db, rest: Payload | null): Promise<void>;
}

export type JobHandler<Payload = never> = (payload: Payload, job: RunningJob<Payload>) => Promise<void>;

/** Statements that enqueue jobs themselves use this value too. */
export const MAX_ATTEMPTS = 25;

/** The channel of hints that jobs are due. */
export const JOBS_DUE = 'jobs_due';

export interface JobOptions {
  runAt?: Date;
  /** A waiting job with the same key is replaced. */
  jobKey?: string;
  /** Jobs of one queue run one at a time. */
  queue?: string;
  /** A job with a lower priority runs first; the default is 0. */
  priority?: number;
}

/** Features use the typed `enqueue` of features/jobs/jobs.ts. */
export async function enqueueJob(
  db: Db,
  name: string,
  payload: object,
  options: JobOptions = {},
): Promise<void> {
  await sql`
    select add_job(
      ${name}::text, ${JSON.stringify(payload)}::json,
      run_at => ${options.runAt ?? null}::timestamptz,
      job_key => ${options.jobKey ?? null}::text,
      queue_name => ${options.queue ?? null}::text,
      most_attempts => ${MAX_ATTEMPTS}::integer,
      job_priority => ${options.priority ?? 0}::integer
    )`.execute(db);
}
