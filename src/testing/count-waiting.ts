import { sql } from 'kysely';
import type { Db } from '../platform/database/database.ts';

/**
 * Returns how many connections of this database wait for a lock with a statement that contains the text. Give a text
 * when the number has to be exact: background jobs of the server may wait for the same lock. Call it outside of the
 * transaction that holds the lock, because PostgreSQL's statistics do not change within a transaction.
 */
export async function countWaiting(db: Db, statement = ''): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
      and position(${statement} in query) > 0`.execute(db);
  return rows[0]!.count;
}
