import { sql } from 'kysely';
import type { Db } from './database.ts';

/**
 * After the clock was set back: jobs that were to run at once run now, and those that failed do not wait for a time
 * that is further away than any wait between two attempts.
 */
export async function bringJobsForward(db: Db): Promise<void> {
  await sql`
    update graphile_worker._private_jobs set run_at = now()
    where run_at > now() and locked_at is null
      and (run_at <= created_at or (attempts > 0 and run_at > now() + interval '1 day'))
  `.execute(db);
}
