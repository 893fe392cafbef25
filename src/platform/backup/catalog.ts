/** Reads our schema from PostgreSQL's catalog, so that a new table needs no change here. */
import pg from 'pg';
import type { Header } from './format.ts';

export interface Table {
  name: string;
  /** A partitioned table has no rows itself; its partitions are listed as tables. */
  isPartitioned: boolean;
  partitionOf: string | null;
  bound: string | null;
  /** Excludes generated columns, and transaction IDs, which have no meaning on another server. */
  columns: string[];
}

const OUR_SCHEMA = '(select oid from pg_namespace where nspname = current_schema())';

/** Fixes the text format of values on both sides and disables timeouts. */
export const STEADY_SETTINGS = `
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local timezone = 'UTC';
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres';
  set local extra_float_digits = 3;
  set local row_security = off`;

export async function hasTable(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [
    name,
  ]);
  return rows[0]!.exists;
}

export async function listTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select c.relname as name, c.relkind = 'p' as "isPartitioned", parent.relname as "partitionOf",
      pg_get_expr(c.relpartbound, c.oid) as bound,
      array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
          and a.atttypid <> 'xid8'::regtype
        order by a.attnum
      ) as columns
    from pg_class c
    left join pg_inherits i on i.inhrelid = c.oid and c.relispartition
    left join pg_class parent on parent.oid = i.inhparent
    where c.relnamespace = ${OUR_SCHEMA} and c.relkind in ('r', 'p')
      and not exists (
        select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
      )
    order by c.relname`);
  return rows;
}

/**
 * Sequences are not transactional. Read after the snapshot was taken, they are never behind it. The view pg_sequences
 * has no value for a sequence that was set but not used since, so each sequence is queried itself.
 */
export async function listSequences(client: pg.ClientBase): Promise<Header['sequences']> {
  const { rows: found } = await client.query<{ name: string; step: string }>(`
    select sequencename as name, increment_by::text as step from pg_sequences
    where schemaname = current_schema() order by sequencename`);
  const sequences: Header['sequences'] = [];
  for (const { name, step } of found) {
    const { rows } = await client.query<{ next: string }>(
      `select (last_value + case when is_called then ${step} else 0 end)::text as next from ${quote(name)}`,
    );
    sequences.push({ name, next: rows[0]!.next });
  }
  return sequences;
}

/** Statements that disable and re-enable a foreign key or trigger while rows are loaded. */
interface Toggle {
  off: string;
  on: string;
}

/** Adding a foreign key again checks all rows at once, which is faster and allows circular references. */
export async function listForeignKeys(client: pg.ClientBase): Promise<Toggle[]> {
  const { rows } = await client.query<Toggle>(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as off,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as on
    from pg_constraint
    where connamespace = ${OUR_SCHEMA} and contype = 'f' and conparentid = 0
    order by conrelid::regclass::text, conname`);
  return rows;
}

/** Insert triggers already ran before the backup was made, so they must not run during the load. */
export async function listTriggers(client: pg.ClientBase): Promise<Toggle[]> {
  const { rows } = await client.query<Toggle>(`
    select format('alter table %s disable trigger %I', t.tgrelid::regclass, t.tgname) as off,
      format('alter table %s enable trigger %I', t.tgrelid::regclass, t.tgname) as on
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = ${OUR_SCHEMA} and not t.tgisinternal and t.tgenabled = 'O'
    order by 1`);
  return rows;
}

/**
 * Returns one DROP statement for each object in the schema. Objects of extensions stay, and objects that belong to
 * another one (a table's sequence, a partition) are dropped with it. The schema itself may not be ours to drop.
 */
export async function listDrops(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ drop: string }>(`
    select format('drop %s if exists %s cascade', replace(o.type, 'composite ', ''), o.identity) as drop
    from pg_depend d, pg_identify_object(d.classid, d.objid, 0) o
    where d.refclassid = 'pg_namespace'::regclass and d.refobjid = ${OUR_SCHEMA}
      and not exists (
        select from pg_depend other
        where other.classid = d.classid and other.objid = d.objid and other.objsubid = 0
          and other.deptype in ('a', 'i', 'e', 'P', 'S')
      )`);
  return rows.map(({ drop }) => drop);
}

export function quote(name: string): string {
  return pg.escapeIdentifier(name);
}

export function quoteAll(names: string[]): string {
  return names.map(quote).join(', ');
}
