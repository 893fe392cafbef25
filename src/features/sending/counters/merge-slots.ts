/**
 * Merges the slots of past quarters of an hour, so that a year has at most one row for each quarter, domain and
 * subject, and for each quarter, contact book and source. Writers use only slot 0 of these quarters, or none of them.
 */
import { sql } from 'kysely';
import { retryDeadlocks, type Db } from '../../../platform/database/database.ts';
import { deleteInBatches } from '../../../platform/database/delete-in-batches.ts';
import { QUARTER_COUNTS } from './count-columns.ts';

const BATCH_SIZE = 5_000;

/** Returns the number of rows that were merged into others. */
export async function mergeSlots(db: Db): Promise<number> {
  const grown = await deleteInBatches(BATCH_SIZE, (limit) => retryDeadlocks(() => mergeGrowth(db, limit)));
  return grown + (await deleteInBatches(BATCH_SIZE, (limit) => retryDeadlocks(() => mergeSome(db, limit))));
}

async function mergeGrowth(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with merged as (
      delete from contact_book_growth where ctid = any(array(
        select ctid from contact_book_growth where slot <> 0 and quarter < now() - interval '2 hours'
        order by quarter limit ${limit} for update skip locked
      ))
      returning *
    ), kept as (
      insert into contact_book_growth as g
        (team_id, contact_book_id, quarter, source, source_id, slot, joined, confirmed, returned, lost, subscribed, pending)
      select m.team_id, m.contact_book_id, m.quarter, m.source, m.source_id, 0, sum(joined), sum(confirmed),
        sum(returned), sum(lost), sum(subscribed), sum(pending)
      from merged m join contact_books b on b.team_id = m.team_id and b.id = m.contact_book_id
      group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
      on conflict (team_id, contact_book_id, quarter, source, source_id, slot) do update set
        joined = g.joined + excluded.joined, confirmed = g.confirmed + excluded.confirmed,
        returned = g.returned + excluded.returned, lost = g.lost + excluded.lost,
        subscribed = g.subscribed + excluded.subscribed, pending = g.pending + excluded.pending
    )
    select count(*)::integer as count from merged
  `.execute(db);
  return rows[0]!.count;
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
