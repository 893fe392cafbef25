/**
 * Ends the claims that processes held at the time of the backup. A running process renews all leases under its ID,
 * so it would keep these leases without working on them, and no other process could claim the rows.
 */
import type pg from 'pg';
import { quote } from './catalog.ts';

/** A row with `leased_by` and `leased_until` is leased. A row with a `worker_id` exists only for that process. */
export async function endLeases(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(`
    select c.relname as table, array_agg(a.attname::text) as columns
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = (select oid from pg_namespace where nspname = current_schema()) and c.relkind in ('r', 'p')
      and a.attname in ('leased_by', 'leased_until', 'worker_id') and not a.attisdropped
    group by c.relname`);
  for (const { table, columns } of rows) {
    if (columns.includes('worker_id')) await client.query(`delete from ${quote(table)}`);
    if (!columns.includes('leased_by')) continue;
    const freed = columns.filter((column) => column !== 'worker_id').map((column) => `${column} = null`);
    await client.query(`update ${quote(table)} set ${freed.join(', ')} where leased_by is not null`);
  }
}
