/** The statements of the job runner: leasing a job (platform/due/due.ts), and recording how it ended. */
import { sql } from 'kysely';
import { inTransaction, lockNumber, type Db } from '../database/database.ts';
import type { CamelRow } from '../database/rows.ts';
import { isFree, LEASE_END, type LeasedTable } from '../due/due.ts';

export const JOB_LEASES: LeasedTable<'id'> = {
  name: 'jobs',
  key: { id: 'bigint' },
  holder: 'leased_by',
  endsAt: 'leased_until',
  whenFreed: 'has-no-end',
};

export type LeasedJob = CamelRow<
  'jobs',
  'id' | 'name' | 'payload' | 'queue' | 'attempts' | 'max_attempts' | 'created_at'
>;

/**
 * Leases the next job of these names. Jobs of one queue run one at a time: the process locks the name of the queue
 * before it looks whether one of its jobs runs. `running` are the jobs that this process still runs, in case it stood
 * still and their leases have ended.
 */
export async function leaseJob(
  db: Db,
  holderId: string,
  names: readonly string[],
  running: readonly number[],
): Promise<LeasedJob | null> {
  return inTransaction(db, async (trx) => {
    const { rows: found } = await sql<CamelRow<'jobs', 'id' | 'queue'>>`
      select j.id, j.queue from jobs j
      where j.name = any(${names}::text[]) and j.due_at <= now() and j.attempts < j.max_attempts and ${isFree('j')}
        and j.id <> all(${running}::bigint[]) and ${QUEUE_IS_FREE}
      order by j.priority, j.due_at, j.id limit 1 for update skip locked
    `.execute(trx);
    const job = found[0];
    if (!job || !(await mayUseQueue(trx, job.queue))) return null;
    const { rows } = await sql<LeasedJob>`
      update jobs j set leased_by = ${holderId}, leased_at = now(), leased_until = ${LEASE_END}, attempts = attempts + 1
      where j.id = ${job.id} and ${QUEUE_IS_FREE}
      returning j.id, j.name, j.payload, j.queue, j.attempts, j.max_attempts as "maxAttempts",
        j.created_at as "createdAt"
    `.execute(trx);
    return rows[0] ?? null;
  });
}

const QUEUE_IS_FREE = sql<boolean>`(j.queue is null or not exists (
  select from jobs other
  where other.queue = j.queue and other.leased_by is not null and other.leased_until >= now() and other.id <> j.id
))`;

async function mayUseQueue(trx: Db, queue: string | null): Promise<boolean> {
  if (queue === null) return true;
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${lockNumber(`job queue ${queue}`)}::bigint) as locked
  `.execute(trx);
  return rows[0]!.locked;
}

/** A part of the name of the current WAL file, which every role may read. It changes when a standby is promoted. */
const TIMELINE = sql<string>`substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`;

export async function readTimeline(db: Db): Promise<string> {
  const { rows } = await sql<{ timeline: string }>`select ${TIMELINE} as timeline`.execute(db);
  return rows[0]!.timeline;
}

/**
 * Deletes a job that is done. Returns false if it must run again: another process has taken it over, or a standby that
 * may lack what the job has written was promoted since it began. `begunOn` is null if the timeline is not known.
 */
export async function finishJob(
  db: Db,
  holderId: string,
  { id }: LeasedJob,
  begunOn: string | null,
): Promise<boolean> {
  const isSame = begunOn === null ? sql`true` : sql`${TIMELINE} = ${begunOn}`;
  const { rows } = await sql`
    delete from jobs where id = ${id} and leased_by = ${holderId} and ${isSame} returning 1
  `.execute(db);
  return rows.length > 0;
}

/** Gives a job back that runs again at `dueAt`, or does not if it has no attempts left. */
export async function retryJob(
  db: Db,
  holderId: string,
  { id }: LeasedJob,
  { waitMs, error }: { waitMs: number; error: string },
): Promise<void> {
  await sql`
    update jobs set leased_by = null, leased_at = null, leased_until = null, last_error = ${error},
      due_at = now() + make_interval(secs => ${waitMs / 1000}::float8), updated_at = now()
    where id = ${id} and leased_by = ${holderId}
  `.execute(db);
}

/** A job whose process stood still in its last attempt is not claimed again, so nobody else would end its lease. */
export async function endLastAttempts(db: Db): Promise<void> {
  await sql`
    update jobs set leased_by = null, leased_at = null, leased_until = null
    where leased_by is not null and leased_until < now() and attempts >= max_attempts
  `.execute(db);
}

export async function storeRest(trx: Db, holderId: string, { id }: LeasedJob, rest: unknown): Promise<void> {
  const { rows } = await sql`
    update jobs set payload = ${JSON.stringify(rest)}::json where id = ${id} and leased_by = ${holderId} returning 1
  `.execute(trx);
  if (rows.length === 0) throw new Error('Another process has taken over this job.');
}
