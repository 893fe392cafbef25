/** Deletes many rows in batches with a pause after each, so that other work is not slowed down. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import type { Db } from './database.ts';
import type { Tables } from './tables.ts';

const PAUSE_MS = 50;

/**
 * `deleteSome` deletes at most `limit` rows, and returns how many it has found or deleted. Fewer than `limit` does not
 * mean that it was the last batch: a delete passes over rows that others change meanwhile, and the next batch finds them.
 * The result is the total number of rows.
 */
export async function deleteInBatches(
  limit: number,
  deleteSome: (limit: number) => Promise<number>,
): Promise<number> {
  for (let total = 0; ;) {
    const count = await deleteSome(limit);
    total += count;
    if (count === 0) return total;
    if (count === limit) await sleep(PAUSE_MS);
  }
}

/**
 * Deletes at most `limit` rows of a table for which the condition is true, and returns how many it has found. Some of
 * them may still be there: a row that someone else changes meanwhile has another `ctid` afterwards.
 */
export async function deleteSomeRows(
  db: Db,
  table: keyof Tables,
  condition: RawBuilder<boolean>,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ found: number }>`
    with found as materialized (select ctid from ${sql.table(table)} where ${condition} limit ${limit}),
    deleted as (delete from ${sql.table(table)} where ctid = any(array(select ctid from found)))
    select count(*)::integer as found from found
  `.execute(db);
  return rows[0]!.found;
}
