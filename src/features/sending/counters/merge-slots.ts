/**
 * Merges the slots of past quarters of an hour, so that a year has at most one row for each quarter, domain and
 * subject. Writers use only slot 0 of these quarters.
 */
import { sql } from 'kysely';
import { retryDeadlocks, type Db } from '../../../platform/database/database.ts';
import { deleteInBatches } from '../../../platform/database/delete-in-batches.ts';
import { QUARTER_COUNTS } from './count-columns.ts';

const BATCH_SIZE = 5_000;

/** Returns the number of rows that were merged into others. */
export async function mergeSlots(db: Db): Promise<number> {
  return deleteInBatches(BATCH_SIZE, (limit) => retryDeadlocks(() => mergeSome(db, limit)));
}

async function mergeSome(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with merged as (
      delete from quarter_hour_counts where ctid = any(array(
        select ctid from quarter_hour_counts where slot <> 0 and quarter < now() - interval '2 hours'
        order by quarter limit ${limit} for update skip locked
      ))
      returning *
    ), kept as (
      insert into quarter_hour_counts as n
        (team_id, subject, domain_id, quarter, slot, ${sql.raw(QUARTER_COUNTS.columns)})
      select team_id, subject, domain_id, quarter, 0, ${sql.raw(QUARTER_COUNTS.sums)} from merged
      group by team_id, subject, domain_id, quarter order by team_id, subject, domain_id, quarter
      on conflict (team_id, subject, domain_id, quarter, slot) do update set ${sql.raw(QUARTER_COUNTS.added)}
    )
    select count(*)::integer as count from merged
  `.execute(db);
  return rows[0]!.count;
}
