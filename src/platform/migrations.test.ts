import pg from 'pg';
import { afterEach, expect, inject, test } from 'vitest';
import { createTestDatabase, databaseUrl } from '../testing/test-database.ts';
import { sha256 } from './crypto.ts';
import { migrate, readMigrations, type Migration } from './migrations.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

test('all migrations run on an empty database, and a second run finds nothing to do', async () => {
  const pool = await openEmpty();
  const names = readMigrations().map(({ name }) => name);
  expect(names[0]).toBe('0001_ground-floor.sql');
  expect(await migrate(pool)).toEqual(names);
  expect(await migrate(pool)).toEqual([]);
  expect(await select(pool, 'select name, checksum from schema_migrations order by version')).toEqual(
    readMigrations().map(({ name, checksum }) => ({ name, checksum })),
  );
});

test('processes that start together run each migration once', async () => {
  const pool = await openEmpty();
  const migrations = [
    migration(1, 'create table a (n integer); select pg_sleep(0.2)'),
    migration(2, 'insert into a values (1)'),
  ];
  const ran = await Promise.all(Array.from({ length: 5 }, () => migrate(pool, migrations)));
  expect(ran.filter((names) => names.length > 0)).toEqual([['0001_test.sql', '0002_test.sql']]);
  expect(await select(pool, 'select n from a')).toEqual([{ n: 1 }]);
});

test('a database with a migration that this program does not know is refused and left alone', async () => {
  const pool = await openEmpty();
  const [first, second] = [migration(1, 'create table a ()'), migration(2, 'create table b ()')];
  await migrate(pool, [first, second]);
  await expect(migrate(pool, [first, migration(3, 'create table c ()')])).rejects.toThrow(
    /newer than this program: it has migration 0002_test\.sql/,
  );
  expect(await tableNames(pool)).toEqual(['a', 'b', 'schema_migrations']);
});

test('a new database with another encoding than UTF8 is refused', async () => {
  const pool = await openEmpty();
  const { rows } = await pool.query<{ name: string }>(`select current_database() || '_ascii' as name`);
  const { name } = rows[0]!;
  await pool.query(
    `create database ${name} encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`,
  );
  closing.push(async () => void (await pool.query(`drop database ${name}`)));
  const ascii = new pg.Pool({ connectionString: databaseUrl(inject('postgresUrl'), name) });
  await expect(migrate(ascii, [migration(1, 'create table a ()')])).rejects.toThrow(
    /encoding UTF8; this one has SQL_ASCII/,
  );
  await ascii.end();
});

test('a migration that was edited after it ran is refused', async () => {
  const pool = await openEmpty();
  await migrate(pool, [migration(1, 'create table a ()')]);
  await expect(
    migrate(pool, [migration(1, 'create table a (n integer)'), migration(2, 'create table b ()')]),
  ).rejects.toThrow(/0001_test\.sql was changed after it ran/);
  expect(await tableNames(pool)).toEqual(['a', 'schema_migrations']);
});

test('a migration that fails leaves nothing of itself, and those before it stay', async () => {
  const pool = await openEmpty();
  const first = migration(1, 'create table a (n integer)');
  const failing = migration(2, 'create table b (); insert into a values (1); select 1 / 0');
  const error = await migrate(pool, [first, failing]).then(
    () => expect.fail('it should fail'),
    (thrown: Error) => thrown,
  );
  expect(error.message).toBe('Migration 0002_test.sql failed');
  expect(error.cause).toBeInstanceOf(pg.DatabaseError);
  expect(await tableNames(pool)).toEqual(['a', 'schema_migrations']);
  expect(await select(pool, 'select version from schema_migrations')).toEqual([{ version: 1 }]);
  expect(await select(pool, 'select n from a')).toEqual([]);

  const mended = migration(2, 'create table b ()');
  expect(await migrate(pool, [first, mended])).toEqual(['0002_test.sql']);
});

function migration(version: number, sql: string): Migration {
  const name = `${String(version).padStart(4, '0')}_test.sql`;
  return { version, name, sql, checksum: sha256(sql).toString('hex') };
}

async function openEmpty(): Promise<pg.Pool> {
  const database = await createTestDatabase('empty');
  const pool = new pg.Pool({ connectionString: database.url });
  pool.on('error', () => {});
  closing.push(database.drop, () => pool.end());
  return pool;
}

async function select(pool: pg.Pool, query: string): Promise<unknown[]> {
  return (await pool.query<Record<string, unknown>>(query)).rows;
}

async function tableNames(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  return rows.map(({ name }) => name);
}
