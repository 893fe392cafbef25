import { sql } from 'kysely';
import type { Db } from '../database/database.ts';

/**
 * Corrects the times of jobs after the database's clock was set back. Jobs that should have run immediately run
 * now, and so do failed jobs whose next attempt is further away than the longest backoff.
 */
export async function retryJobsNow(db: Db): Promise<void> {
  await sql`
    update jobs set due_at = now(), first_due_at = least(first_due_at, now())
    where due_at > now() and leased_by is null
      and (due_at <= created_at or (attempts > 0 and due_at > now() + interval '1 day'))
  `.execute(db);
  await sql`update job_schedule set last_due_at = now() where last_due_at > now()`.execute(db);
}
