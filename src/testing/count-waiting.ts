import { sql } from 'kysely';
import type { Db } from '../platform/database.ts';

/**
 * How many wait for a lock in this database: for tests that hold one. Ask outside of the transaction that holds it, in
 * which PostgreSQL would answer the same each time.
 */
export async function countWaiting(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]!.count;
}
