import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import { enqueue } from './jobs.ts';

/**
 * Adds a job that checks the brakes of the team (deliverability/brakes), unless one waits. Call it after the results are
 * committed: the job that waits then sees them.
 */
export async function checkBrakesLater(db: Db, teamId: number): Promise<void> {
  const jobKey = `check-brakes ${teamId}`;
  const { rows } =
    await sql`select from jobs where key = ${jobKey} and leased_by is null and attempts = 0`.execute(db);
  if (rows.length === 0) await enqueue(db, 'check-brakes', { teamId }, { jobKey, queue: jobKey });
}
