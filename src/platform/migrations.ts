/**
 * Plain SQL files, numbered, forward only. All of them run under one lock, each in a transaction of its own
 * that also writes down that it ran: two processes that start together, or a kill in the middle, are fine.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { sha256 } from './crypto.ts';

export interface Migration {
  version: number;
  name: string;
  sql: string;
  checksum: string;
}

const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));
const LOCK_KEY = 7_163_401;

export function readMigrations(folder = FOLDER): Migration[] {
  return readdirSync(folder)
    .filter((file) => /^\d{4}_[a-z0-9-]+\.sql$/.test(file))
    .toSorted()
    .map((file) => {
      const sql = readFileSync(join(folder, file), 'utf8');
      return { version: Number(file.slice(0, 4)), name: file, sql, checksum: sha256(sql).toString('hex') };
    });
}

/** Brings the database up to date (or up to a version) and returns the names of what it ran. */
export async function migrate(pool: pg.Pool, migrations = readMigrations()): Promise<string[]> {
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK_KEY]);
    try {
      return await runMissing(client, migrations);
    } finally {
      await client.query('select pg_advisory_unlock($1)', [LOCK_KEY]);
    }
  } finally {
    client.release();
  }
}

async function runMissing(client: pg.ClientBase, migrations: Migration[]): Promise<string[]> {
  await client.query(`create table if not exists schema_migrations (
    version integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`);
  const { rows } = await client.query<{ version: number; name: string; checksum: string }>(
    'select version, name, checksum from schema_migrations order by version',
  );
  refuseStrange(rows, migrations);
  const done = new Set(rows.map((row) => row.version));
  const missing = migrations.filter((migration) => !done.has(migration.version));
  for (const migration of missing) await runOne(client, migration);
  return missing.map((migration) => migration.name);
}

function refuseStrange(
  applied: { version: number; name: string; checksum: string }[],
  known: Migration[],
): void {
  const byVersion = new Map(known.map((migration) => [migration.version, migration]));
  for (const row of applied) {
    const migration = byVersion.get(row.version);
    if (!migration) {
      throw new Error(
        `The database is newer than this program: it has migration ${row.name}. Install that newer version of Posthorn.`,
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new Error(
        `Migration ${row.name} was changed after it ran on this database. Migrations are never edited.`,
      );
    }
  }
}

async function runOne(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`Migration ${migration.name} failed`, { cause: error });
  }
}
