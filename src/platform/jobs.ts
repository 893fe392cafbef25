/**
 * Work that follows a request: enqueued by SQL in the same transaction as what it follows, done by the worker
 * door of any process, tried again when it fails. Payloads are ids; handlers may run twice and must not mind.
 */
import { sql } from 'kysely';
import type pg from 'pg';
import { Logger, runMigrations } from 'graphile-worker';
import type { Db } from './database.ts';
import type { Log } from './log.ts';

/** Every job and what it is told. The worker door has a handler for each, or does not compile. */
export interface JobPayloads {
  'run-contact-import': { teamId: number; importId: string };
  'restart-lost-imports': Record<string, never>;
  /** Of a few people who have just signed up and wait for it. */
  'confirm-sign-ups': Confirmations;
  /** Of many at once, from a bulk or an import. */
  'send-confirmations': Confirmations;
  'verify-domain': { teamId: number; domainId: number };
  'restart-lost-verifications': Record<string, never>;
  'keep-event-partitions': Record<string, never>;
  'drop-stale-uploads': Record<string, never>;
  'drop-expired-answers': Record<string, never>;
  'drop-expired-sessions': Record<string, never>;
  'drop-mailbox-mail': { teamId: number; mailboxId: string };
  'drop-unused-blobs': Record<string, never>;
  'drop-old-mailbox-events': Record<string, never>;
  'drop-calls-of-webhook': { teamId: number; webhookId: string };
  'tell-of-paused-webhook': { teamId: number; webhookId: string };
  'drop-old-webhook-calls': Record<string, never>;
  'mail-password-reset': { email: string };
}

interface Confirmations {
  teamId: number;
  contactBookId: string;
  contactIds: string[];
  /** Of the import that brought these people: their confirmations stop with it. */
  importId?: string | null;
}

export type JobName = keyof JobPayloads;
export type JobHandlers = {
  [Name in JobName]: (payload: JobPayloads[Name], job: RunningJob<JobPayloads[Name]>) => Promise<void>;
};

export interface RunningJob<Payload> {
  /**
   * Stores what is left to do in the transaction that did the rest, so that a job which runs again goes on from there;
   * with null nothing is left. Throws when another process owns the job by now. Call it last: it locks the job.
   */
  keep(trx: Db, rest: Payload | null): Promise<void>;
}

/** Also for a job that is enqueued by a statement of its own. */
export const MAX_ATTEMPTS = 25;

/**
 * With a `jobKey`, a waiting job of that key is replaced instead of added. Jobs of one `queue` run one by one. A job of
 * lower `priority` runs first; the default is 0.
 */
export async function enqueue<Name extends JobName>(
  db: Db,
  name: Name,
  payload: JobPayloads[Name],
  options: { runAt?: Date; jobKey?: string; queue?: string; priority?: number } = {},
): Promise<void> {
  await sql`
    select graphile_worker.add_job(
      ${name}::text, ${JSON.stringify(payload)}::json,
      run_at => ${options.runAt ?? null}::timestamptz,
      job_key => ${options.jobKey ?? null}::text,
      queue_name => ${options.queue ?? null}::text,
      max_attempts => ${MAX_ATTEMPTS}::integer,
      priority => ${options.priority ?? 0}::integer
    )`.execute(db);
}

export async function prepareJobs(pool: pg.Pool, log: Log): Promise<void> {
  await runMigrations({ pgPool: pool, logger: toGraphileLogger(log) });
}

export function toGraphileLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (/^(error|warning)$/.test(level)) log.warn({ from: 'jobs' }, message);
    else log.debug({ from: 'jobs' }, message);
  });
}
