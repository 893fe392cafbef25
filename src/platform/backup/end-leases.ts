/**
 * Ends the claims that processes held at the time of the backup. A process that still runs would otherwise renew the
 * leases that have its id, without working on them, so that nobody would.
 */
import type pg from 'pg';
import { quote } from './catalog.ts';

/** `leased_by` with `leased_until` is a lease on a row; a row with a `worker_id` exists only for that process. */
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
