/**
 * Counts what the teams store: the bytes of all columns of variable length in all tables with rows of teams, as they are
 * stored (compressed texts count compressed), and 32 bytes for each row. Indexes do not count. The tables are read from
 * PostgreSQL's catalog, so that a new table is counted without a change.
 *
 * Counting an hour later is exact enough, and no write has to update a number that other writes of its team update too.
 * Of tables over 512 MiB only a sample of the pages is read, so that the count takes seconds on any database.
 */
import { sql, type RawBuilder } from 'kysely';
import { VARYING, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { markLevels } from './storage-levels.ts';

interface StoredTable {
  name: string;
  /** The columns of variable length. */
  columns: string[];
  /** The size without TOAST, of all partitions together. */
  bytes: number;
}

const ROW_BYTES = 32;
const MOST_READ_BYTES = 512 * 1024 * 1024;
/** Counting is not content. */
const NOT_COUNTED = 'team_storage';

/** The hourly count of all teams. It is left out while no team has a limit. */
export async function countAllStorage(db: Db, defaultMb: number): Promise<void> {
  const { rows } = await sql<{ limited: boolean }>`
    select ${defaultMb}::integer > 0 or exists (select from teams where storage_mb > 0) as limited`.execute(
    db,
  );
  if (rows[0]!.limited) await countStorage(db, null, defaultMb);
}

/** Counts one team, or all if `teamId` is null. */
export async function countStorage(db: Db, teamId: number | null, defaultMb: number): Promise<void> {
  const startedAt = performance.now();
  const total = new Map<number, number>();
  for (const table of await listStoredTables(db)) {
    const { rows } = await countTable(table, teamId).execute(db);
    for (const { team_id: id, bytes } of rows) total.set(id, (total.get(id) ?? 0) + bytes);
  }
  const ms = Math.round(performance.now() - startedAt);
  const { rows } = await sql<Row<'team_storage', 'team_id'>>`
    insert into team_storage (team_id, bytes, counted_at, count_ms)
    select t.id, coalesce(found.bytes, 0), clock_timestamp(), ${ms}
    from teams t left join unnest(${[...total.keys()]}::integer[], ${[...total.values()]}::bigint[])
      as found (team_id, bytes) on found.team_id = t.id
    where ${teamId}::integer is null or t.id = ${teamId}
    order by t.id
    on conflict (team_id) do update
    set bytes = excluded.bytes, added = 0, counted_at = excluded.counted_at, count_ms = excluded.count_ms
    returning team_id`.execute(db);
  await markLevels(
    db,
    rows.map((row) => row.team_id),
    defaultMb,
  );
}

async function listStoredTables(db: Db): Promise<StoredTable[]> {
  const { rows } = await sql<StoredTable>`
    select c.relname as name,
      array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attlen = -1
        order by a.attnum
      ) as columns,
      (
        select coalesce(sum(pg_relation_size(coalesce(part.relid, c.oid))), 0)::bigint
        from (select 1) as one left join pg_partition_tree(c.oid) as part on true
      ) as bytes
    from pg_class c
    where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> ${NOT_COUNTED}
      and exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped
      )
    order by c.relname`.execute(db);
  return rows;
}

function countTable(
  { name, columns, bytes }: StoredTable,
  teamId: number | null,
): RawBuilder<{ team_id: number; bytes: number }> {
  const share = Math.min(1, MOST_READ_BYTES / Math.max(1, bytes));
  const sample = share < 1 ? sql`tablesample system (${share * 100})` : sql``;
  const sizes = columns.map((column) => sql`coalesce(pg_column_size(${sql.ref(column)}), 0)`);
  // The content of a blob may be in the object store. What nothing refers to is deleted within an hour or two.
  const isBlobs = name === 'blobs';
  if (isBlobs) sizes.push(sql`coalesce(object_size, 0)`);
  const conditions = [
    sql`team_id is not null`,
    ...(isBlobs ? [sql`unused_since is null`] : []),
    ...(teamId === null ? [] : [sql`team_id = ${teamId}`]),
  ];
  return sql`${sql.raw(VARYING)} select team_id, (sum(${sql.join([sql.lit(ROW_BYTES), ...sizes], sql` + `)})
      / ${share}::float8)::bigint as bytes
    from ${sql.table(name)} ${sample} where ${sql.join(conditions, sql` and `)} group by team_id`;
}
