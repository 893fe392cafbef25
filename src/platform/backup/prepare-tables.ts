/** Brings the schema to where it was when the backup was made, with nothing in it. */
import type pg from 'pg';
import { compareMigrations, migrateInside, readApplied, type Migration } from '../migrations.ts';
import { listDrops, listTables, quote, quoteAll } from './catalog.ts';
import type { Header } from './format.ts';

/** As PostgreSQL writes it. It is the only SQL in the file, and no more than this gets out of it. A
 * doubled quote inside of a text reads as the end of one and the beginning of the next. */
const BOUND =
  /^(DEFAULT|FOR VALUES (FROM|TO|IN|WITH|MINVALUE|MAXVALUE|NULL|modulus|remainder|-?\d|'[^'\\]*'|[(), ])+)$/;

/**
 * Tables that are at the backup's migrations, or on the way there, are emptied and stay: statements that a running
 * server has prepared, and what an operator has granted on them, live on. Only where the database is further than
 * the backup, or went another way, is everything dropped and made anew. Returns what was dropped and must be there
 * again in the end.
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
  // The tables of a database that is newer than this program are nothing that it knows by name.
  if (!dropped || compareMigrations(applied, known).newer.length > 0) return [];
  return before.filter(({ partitionOf }) => partitionOf === null).map(({ name }) => name);
}

async function addPartitions(client: pg.ClientBase, { partitions }: Header): Promise<void> {
  const names = new Set((await listTables(client)).map(({ name }) => name));
  for (const { name, of, bound } of partitions) {
    if (names.has(name)) continue;
    if (!BOUND.test(bound)) throw new Error(`The backup holds a partition with a strange bound: ${bound}`);
    await client.query(`create table ${quote(name)} partition of ${quote(of)} ${bound}`);
  }
}

/** Only those that the backup fills, and partitions that it knows nothing of. */
export async function emptyTables(client: pg.ClientBase, names: string[]): Promise<void> {
  const tables = await listTables(client);
  const emptied = tables.filter(
    ({ name, isPartitioned, partitionOf }) => isPartitioned || partitionOf !== null || names.includes(name),
  );
  if (emptied.length > 0) await client.query(`truncate ${quoteAll(emptied.map(({ name }) => name))}`);
}
