/**
 * Migrations are numbered SQL files that only go forward. They run under one advisory lock, each in a transaction of
 * its own that also records the migration. So processes may start at the same time, and a kill in the middle is safe.
 *
 * functions.sql is not numbered and may change. It holds all functions and triggers, and sets the sample sizes of
 * statistics. It runs after the numbered files, whenever one of them ran or the file differs from the version that last
 * ran on the database.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { sha256 } from '../crypto.ts';
import { PACKAGE_FOLDER } from '../package-folder.ts';
import { onOwnConnection } from './database.ts';

export interface SqlFile {
  name: string;
  sql: string;
  checksum: string;
}

export interface Migration extends SqlFile {
  version: number;
}

export interface SchemaFiles {
  migrations: Migration[];
  functions?: SqlFile;
}

const FOLDER = join(PACKAGE_FOLDER, 'migrations');
const FUNCTIONS_FILE = 'functions.sql';
/** functions.sql is recorded in schema_migrations too, under a version that no migration has. */
const FUNCTIONS_VERSION = 0;
const LOCK_KEY = 7_163_401;
/** A migration, or the wait for another process that migrates, may take any time. The largest timeout is 24 days. */
const NO_TIMEOUT = { query_timeout: 2 ** 31 - 1 };
const LONG_WAIT_MS = 2_000;

export function readMigrations(folder = FOLDER): Migration[] {
  return readdirSync(folder)
    .filter((file) => /^\d{4}_[a-z0-9-]+\.sql$/.test(file))
    .toSorted()
    .map((file) => ({ version: Number(file.slice(0, 4)), ...readSqlFile(folder, file) }));
}

export function readSchemaFiles(folder = FOLDER): Required<SchemaFiles> {
  return { migrations: readMigrations(folder), functions: readSqlFile(folder, FUNCTIONS_FILE) };
}

function readSqlFile(folder: string, name: string): SqlFile {
  const sql = readFileSync(join(folder, name), 'utf8');
  return { name, sql, checksum: sha256(sql).toString('hex') };
}

export interface AppliedMigration {
  version: number;
  name: string;
  checksum: string;
}

/** Brings the database up to date and returns the names of the files that ran. */
export async function migrate(
  pool: pg.Pool,
  files: SchemaFiles = readSchemaFiles(),
  onWait: () => void = () => {},
): Promise<string[]> {
  const { migrations, functions } = files;
  return onOwnConnection(pool, async (client) => {
    await client.query('set statement_timeout = 0');
    return holdMigrationLock(client, onWait, async () => {
      const missing = await findMissing(client, migrations);
      if (missing.length > 0 && missing.length === migrations.length) await refuseOtherEncoding(client);
      for (const migration of missing) await inOwnTransaction(client, () => runOne(client, migration));
      const ran = missing.map(({ name }) => name);
      // A migration that ran may have dropped a function, or a table with its triggers.
      const isStale = ran.length > 0 || (await readFunctionsChecksum(client)) !== functions?.checksum;
      if (!functions || !isStale) return ran;
      await inOwnTransaction(client, () => runFunctions(client, functions));
      return [...ran, functions.name];
    });
  });
}

/**
 * Runs the numbered files only, in the caller's transaction. The caller must hold the lock, and must run functions.sql
 * once the tables have their rows.
 */
export async function migrateInside(client: pg.ClientBase, migrations: Migration[]): Promise<string[]> {
  const missing = await findMissing(client, migrations);
  for (const migration of missing) await runOne(client, migration);
  return missing.map((migration) => migration.name);
}

/**
 * Every process takes this lock at its start, so while it is held no other process migrates or starts. The wait may take
 * any time, so `onWait` is called when it is long.
 */
export async function holdMigrationLock<Result>(
  client: pg.ClientBase,
  onWait: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const waiting = setTimeout(onWait, LONG_WAIT_MS);
  try {
    await client.query({ text: 'select pg_advisory_lock($1)', values: [LOCK_KEY], ...NO_TIMEOUT });
  } finally {
    clearTimeout(waiting);
  }
  try {
    return await work();
  } finally {
    // A lost connection unlocks by itself.
    await client.query('select pg_advisory_unlock($1)', [LOCK_KEY]).catch(() => {});
  }
}

/** Creates or replaces all functions and triggers. The caller must hold the lock and be in a transaction. */
export async function runFunctions(client: pg.ClientBase, functions: SqlFile): Promise<void> {
  await client.query('delete from schema_migrations where version = $1', [FUNCTIONS_VERSION]);
  await runOne(client, { version: FUNCTIONS_VERSION, ...functions });
}

/** Returns the migrations that ran on this database; none if Posthorn has never used it. */
export async function readApplied(client: pg.ClientBase): Promise<AppliedMigration[]> {
  if (!(await hasRecord(client))) return [];
  const { rows } = await client.query<AppliedMigration>(
    'select version, name, checksum from schema_migrations where version <> $1 order by version',
    [FUNCTIONS_VERSION],
  );
  return rows;
}

async function hasRecord(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  return rows[0]!.exists;
}

/** Returns the checksum of the functions.sql that last ran on this database. */
export async function readFunctionsChecksum(client: pg.ClientBase): Promise<string | undefined> {
  if (!(await hasRecord(client))) return undefined;
  const { rows } = await client.query<{ checksum: string }>(
    'select checksum from schema_migrations where version = $1',
    [FUNCTIONS_VERSION],
  );
  return rows[0]?.checksum;
}

/** Compares the migrations of a database or backup with those of this version. */
export function compareMigrations(applied: AppliedMigration[], known: Migration[]) {
  const ran = new Set(applied.map(({ version }) => version));
  const checksums = new Map(known.map(({ version, checksum }) => [version, checksum]));
  const shared = applied.filter(({ version }) => checksums.has(version));
  return {
    missing: known.filter(({ version }) => !ran.has(version)),
    newer: applied.filter(({ version }) => !checksums.has(version)),
    changed: shared.filter(({ version, checksum }) => checksums.get(version) !== checksum),
  };
}

async function findMissing(client: pg.ClientBase, migrations: Migration[]): Promise<Migration[]> {
  await client.query(`create table if not exists schema_migrations (
    version integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`);
  const { missing, newer, changed } = compareMigrations(await readApplied(client), migrations);
  if (newer[0]) {
    throw new Error(
      `The database is from a newer version of Posthorn: it has migration ${newer[0].name}. Install that version.`,
    );
  }
  if (changed[0]) {
    throw new Error(
      `Migration ${changed[0].name} was changed after it ran on this database. Migrations are never edited.`,
    );
  }
  return missing;
}

/** In another encoding, text lengths, search and lower-casing would be wrong. */
async function refuseOtherEncoding(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    `select current_setting('server_encoding') as encoding`,
  );
  const { encoding } = rows[0]!;
  if (encoding === 'UTF8') return;
  throw new Error(
    `Posthorn needs a database with the encoding UTF8, but this one has ${encoding}. Create another one: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
  );
}

async function inOwnTransaction(client: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    // A lost connection rolls back by itself, and the first error says why it was lost.
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function runOne(client: pg.ClientBase, file: Migration): Promise<void> {
  try {
    await client.query({ text: file.sql, ...NO_TIMEOUT });
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      file.version,
      file.name,
      file.checksum,
    ]);
  } catch (error) {
    throw new Error(`Migration ${file.name} failed`, { cause: error });
  }
}
