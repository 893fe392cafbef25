/** Brings the schema to the state of the backup, without rows. */
import type pg from 'pg';
import { compareMigrations, migrateInside, readApplied, type Migration } from '../database/migrations.ts';
import { listDrops, listTables, quote, quoteAll } from './catalog.ts';
import type { Header } from './format.ts';

/**
 * A partition bound as PostgreSQL writes it. No other SQL is taken from a backup file, so the pattern must not
 * match anything else. A doubled quote inside a string matches as the end of one string and the start of the next.
 */
const BOUND =
  /^(DEFAULT|FOR VALUES (FROM|TO|IN|WITH|MINVALUE|MAXVALUE|NULL|modulus|remainder|-?\d|'[^'\\]*'|[(), ])+)$/;

/**
 * If the database has the migrations of the backup, or only some of them, the tables stay and are emptied later, so
 * that prepared statements of a running server and granted rights remain valid. If the database has other or more
 * migrations, everything is dropped and created again. Returns the dropped tables that must exist again at the end.
 */
export async function prepareTables(
  client: pg.ClientBase,
  header: Header,
  known: Migration[],
): Promise<string[]> {
  const versions = new Set(header.migrations.map(({ version }) => version));
  const wanted = known.filter(({ version }) => versions.has(version));
  const applied = await readApplied(client);
  const { newer, changed } = compareMigrations(applied, wanted);
  const before = await listTables(client);
  const dropped = newer.length + changed.length > 0;
  if (dropped) for (const drop of await listDrops(client)) await client.query(drop);
  await migrateInside(client, wanted);
  await addPartitions(client, header);
  // This version does not know the tables of a newer version, so it does not require them.
  if (!dropped || compareMigrations(applied, known).newer.length > 0) return [];
  return before.filter(({ partitionOf }) => partitionOf === null).map(({ name }) => name);
}

async function addPartitions(client: pg.ClientBase, { partitions }: Header): Promise<void> {
  const names = new Set((await listTables(client)).map(({ name }) => name));
  for (const { name, of, bound } of partitions) {
    if (names.has(name)) continue;
    if (!BOUND.test(bound)) throw new Error(`The backup has a partition with an unexpected bound: ${bound}`);
    await client.query(`create table ${quote(name)} partition of ${quote(of)} ${bound}`);
  }
}

/** Empties the tables that the backup fills, and all partitions, including those that the backup does not have. */
export async function emptyTables(client: pg.ClientBase, names: string[]): Promise<void> {
  const tables = await listTables(client);
  const emptied = tables.filter(
    ({ name, isPartitioned, partitionOf }) => isPartitioned || partitionOf !== null || names.includes(name),
  );
  if (emptied.length > 0) await client.query(`truncate ${quoteAll(emptied.map(({ name }) => name))}`);
}
