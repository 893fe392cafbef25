import { sql } from 'kysely';
import type { Db } from '../database/database.ts';

/**
 * Corrects the times of jobs after the database's clock was set back. Jobs that should have run immediately run
 * now, and so do failed jobs whose next attempt is further away than the longest backoff.
 */
export async function retryJobsNow(db: Db): Promise<void> {
  await sql`
    update graphile_worker._private_jobs set run_at = now()
    where run_at > now() and locked_at is null
      and (run_at <= created_at or (attempts > 0 and run_at > now() + interval '1 day'))
  `.execute(db);
}
