/** Reads the schema from a real database on which all migrations ran. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { migrate } from '../../src/platform/database/migrations.ts';

export interface Column {
  name: string;
  /** The SQL type without modifiers. */
  type: string;
  /** PostgreSQL's internal name of the type: int4, timestamptz, _text. */
  typeName: string;
  nullable: boolean;
  defaultValue: string | null;
  identity: 'always' | 'by default' | null;
  /** The expression of a column that PostgreSQL computes. */
  generated: string | null;
  collation: string | null;
  storage: 'external' | null;
  comment: string | null;
}

export interface Constraint {
  name: string;
  kind: 'primary key' | 'foreign key' | 'unique' | 'check';
  definition: string;
  columns: string[];
  /** The table that a foreign key points to. */
  target: string | null;
}

export interface Table {
  name: string;
  comment: string | null;
  options: string[];
  partitionKey: string | null;
  columns: Column[];
  constraints: Constraint[];
  /** The definitions of indexes that belong to no constraint. */
  indexes: string[];
  triggers: string[];
}

const TABLES = `
  select c.relname as name, obj_description(c.oid, 'pg_class') as comment, coalesce(c.reloptions, '{}') as options,
    pg_get_partkeydef(c.oid) as "partitionKey",
    (
      select json_agg(json_build_object(
        'name', a.attname,
        'type', regexp_replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz'),
        'typeName', t.typname,
        'nullable', not a.attnotnull,
        'defaultValue', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end,
        'identity', case a.attidentity when 'a' then 'always' when 'd' then 'by default' end,
        'generated', case when a.attgenerated <> '' then pg_get_expr(d.adbin, d.adrelid) end,
        'collation', (select collname from pg_collation where oid = a.attcollation and oid <> t.typcollation),
        'storage', case when a.attstorage = 'e' and t.typstorage <> 'e' then 'external' end,
        'comment', col_description(c.oid, a.attnum)
      ) order by a.attnum)
      from pg_attribute a
      join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ) as columns,
    (
      select coalesce(json_agg(json_build_object(
        'name', k.conname,
        'kind', case k.contype when 'p' then 'primary key' when 'f' then 'foreign key' when 'u' then 'unique'
          else 'check' end,
        'definition', pg_get_constraintdef(k.oid),
        'columns', (
          select json_agg(a.attname order by place.no)
          from unnest(k.conkey) with ordinality place (attnum, no)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = place.attnum
        ),
        'target', (select relname from pg_class where oid = k.confrelid)
      ) order by position(k.contype::text in 'pufc'), k.conname), '[]')
      from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c')
    ) as constraints,
    array(
      select pg_get_indexdef(i.indexrelid) from pg_index i
      where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
      order by i.indexrelid::regclass::text
    ) as indexes,
    array(
      select pg_get_triggerdef(t.oid) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal order by t.tgname
    ) as triggers
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> 'schema_migrations'
  order by c.relname`;

export async function readCatalog(): Promise<Table[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-generate-'));
  const postgres = await openEmbeddedPostgres(dataDir, { durable: false });
  const pool = new pg.Pool({ connectionString: postgres.url });
  // The server may end an idle connection before the pool has closed it.
  pool.on('error', () => {});
  try {
    await migrate(pool);
    return (await pool.query<Table>(TABLES)).rows;
  } finally {
    await pool.end();
    await postgres.leave();
    rmSync(dataDir, { recursive: true });
  }
}
