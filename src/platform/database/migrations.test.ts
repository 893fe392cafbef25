import pg from 'pg';
import { afterEach, expect, inject, test } from 'vitest';
import { createTestDatabase, databaseUrl } from '../../testing/test-database.ts';
import { sha256 } from '../crypto.ts';
import { holdMigrationLock, migrate, readSchemaFiles, type Migration, type SqlFile } from './migrations.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

test('all migrations run on an empty database, and a second run does nothing', async () => {
  const pool = await openEmpty();
  const { migrations, functions } = readSchemaFiles();
  expect(migrations[0]!.name).toBe('0001_baseline.sql');
  expect(await migrate(pool)).toEqual([...migrations.map(({ name }) => name), 'functions.sql']);
  expect(await migrate(pool)).toEqual([]);
  expect(await select(pool, 'select name, checksum from schema_migrations order by version')).toEqual(
    [functions, ...migrations].map(({ name, checksum }) => ({ name, checksum })),
  );
});

test('processes that start together run each migration once', async () => {
  const pool = await openEmpty();
  const migrations = [
    migration(1, 'create table a (n integer); select pg_sleep(0.2)'),
    migration(2, 'insert into a values (1)'),
  ];
  const ran = await Promise.all(Array.from({ length: 5 }, () => migrate(pool, { migrations })));
  expect(ran.filter((names) => names.length > 0)).toEqual([['0001_test.sql', '0002_test.sql']]);
  expect(await select(pool, 'select n from a')).toEqual([{ n: 1 }]);
});

test('a database with an unknown migration is rejected and not changed', async () => {
  const pool = await openEmpty();
  const [first, second] = [migration(1, 'create table a ()'), migration(2, 'create table b ()')];
  await migrate(pool, { migrations: [first, second] });
  await expect(migrate(pool, { migrations: [first, migration(3, 'create table c ()')] })).rejects.toThrow(
    /newer version of Posthorn: it has migration 0002_test\.sql/,
  );
  expect(await tableNames(pool)).toEqual(['a', 'b', 'schema_migrations']);
});

test('a new database with another encoding than UTF8 is rejected', async () => {
  const pool = await openEmpty();
  const { rows } = await pool.query<{ name: string }>(`select current_database() || '_ascii' as name`);
  const { name } = rows[0]!;
  await pool.query(
    `create database ${name} encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`,
  );
  closing.push(async () => void (await pool.query(`drop database ${name}`)));
  const ascii = new pg.Pool({ connectionString: databaseUrl(inject('postgresUrl'), name) });
  await expect(migrate(ascii, { migrations: [migration(1, 'create table a ()')] })).rejects.toThrow(
    /encoding UTF8, but this one has SQL_ASCII/,
  );
  await ascii.end();
});

test('a migration that was edited after it ran is rejected', async () => {
  const pool = await openEmpty();
  await migrate(pool, { migrations: [migration(1, 'create table a ()')] });
  await expect(
    migrate(pool, {
      migrations: [migration(1, 'create table a (n integer)'), migration(2, 'create table b ()')],
    }),
  ).rejects.toThrow(/0001_test\.sql was changed after it ran/);
  expect(await tableNames(pool)).toEqual(['a', 'schema_migrations']);
});

test('a migration that fails is rolled back, and the migrations before it stay', async () => {
  const pool = await openEmpty();
  const first = migration(1, 'create table a (n integer)');
  const failing = migration(2, 'create table b (); insert into a values (1); select 1 / 0');
  const error = await migrate(pool, { migrations: [first, failing] }).then(
    () => expect.fail('it should fail'),
    (thrown: Error) => thrown,
  );
  expect(error.message).toBe('Migration 0002_test.sql failed');
  expect(error.cause).toBeInstanceOf(pg.DatabaseError);
  expect(await tableNames(pool)).toEqual(['a', 'schema_migrations']);
  expect(await select(pool, 'select version from schema_migrations')).toEqual([{ version: 1 }]);
  expect(await select(pool, 'select n from a')).toEqual([]);

  const fixed = migration(2, 'create table b ()');
  expect(await migrate(pool, { migrations: [first, fixed] })).toEqual(['0002_test.sql']);
});

test('a migration that loses its connection fails with the reason', async () => {
  const pool = await openEmpty();
  pool.on('connect', (client) => client.on('error', () => {}));
  const losing = migration(1, 'select pg_terminate_backend(pg_backend_pid())');
  await expect(migrate(pool, { migrations: [losing] })).rejects.toMatchObject({
    message: 'Migration 0001_test.sql failed',
    cause: { code: '57P01' },
  });
});

test('a process that waits long for the migrations of another one says so', async () => {
  const pool = await openEmpty();
  const migrations = [migration(1, 'create table a (n integer)')];
  const client = await pool.connect();
  const other = holdMigrationLock(client, expect.fail, async () => {
    let ran: Promise<string[]> | undefined;
    await new Promise<void>((resolve) => void (ran = migrate(pool, { migrations }, resolve)));
    return { ran };
  });
  expect(await (await other).ran).toEqual(['0001_test.sql']);
  client.release();
});

test('functions.sql runs after the migrations, and again when it has changed', async () => {
  const pool = await openEmpty();
  const first = migration(1, 'create table a (n integer)');
  const one = functionsFile(`create or replace function answer() returns integer language sql as 'select 1'`);
  const two = functionsFile(`create or replace function answer() returns integer language sql as 'select 2'`);
  expect(await migrate(pool, { migrations: [first], functions: one })).toEqual([
    '0001_test.sql',
    'functions.sql',
  ]);
  expect(await migrate(pool, { migrations: [first], functions: one })).toEqual([]);
  expect(await migrate(pool, { migrations: [first], functions: two })).toEqual(['functions.sql']);
  expect(await select(pool, 'select answer()')).toEqual([{ answer: 2 }]);
  expect(await select(pool, 'select checksum from schema_migrations where version = 0')).toEqual([
    { checksum: two.checksum },
  ]);
});

test('functions.sql restores a trigger that a migration dropped with its table', async () => {
  const pool = await openEmpty();
  const first = migration(1, 'create table a (n integer)');
  const second = migration(2, 'drop table a; create table a (n integer)');
  const functions = functionsFile(`
    create or replace function double_it() returns trigger language plpgsql as $$
      begin new.n := new.n * 2; return new; end $$;
    create or replace trigger double_it before insert on a for each row execute function double_it()`);
  await migrate(pool, { migrations: [first], functions });
  expect(await migrate(pool, { migrations: [first, second], functions })).toEqual([
    '0002_test.sql',
    'functions.sql',
  ]);
  expect(await select(pool, 'insert into a values (3) returning n')).toEqual([{ n: 6 }]);
});

test('a functions.sql that fails leaves the functions as they were and runs again at the next start', async () => {
  const pool = await openEmpty();
  const migrations = [migration(1, 'create table a (n integer)')];
  const works = functionsFile(
    `create or replace function answer() returns integer language sql as 'select 1'`,
  );
  const fails = functionsFile(
    `create or replace function answer() returns integer language sql as 'select 2'; select 1 / 0`,
  );
  await migrate(pool, { migrations, functions: works });
  await expect(migrate(pool, { migrations, functions: fails })).rejects.toThrow(
    'Migration functions.sql failed',
  );
  expect(await select(pool, 'select answer()')).toEqual([{ answer: 1 }]);
  await expect(migrate(pool, { migrations, functions: fails })).rejects.toThrow(/failed/);
});

test('the functions.sql of this program can run any number of times', async () => {
  const pool = await openEmpty();
  const { migrations, functions } = readSchemaFiles();
  await migrate(pool, { migrations, functions });
  const before = await select(pool, DEFINITIONS);
  const changed = functionsFile(`${functions.sql}\n-- changed`);
  expect(await migrate(pool, { migrations, functions: changed })).toEqual(['functions.sql']);
  expect(await select(pool, DEFINITIONS)).toEqual(before);
});

const WITH_SMALL_SAMPLES = [
  'campaign_recipients',
  'deliveries',
  'email_contents',
  'email_recipients',
  'email_visits',
  'emails',
];

test('columns that migrations add to tables with small samples have small samples too', async () => {
  const pool = await openEmpty();
  await migrate(pool);
  const tables = await select(
    pool,
    `select relname as name, max(coalesce(attstattarget, -1)) as most, min(coalesce(attstattarget, -1)) as least
    from pg_class c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
    where relkind = 'r' and relnamespace = 'public'::regnamespace and not relispartition
    group by relname having max(coalesce(attstattarget, -1)) > 0 order by relname`,
  );
  expect(tables).toEqual(WITH_SMALL_SAMPLES.map((name) => ({ name, most: 10, least: 10 })));
});

const DEFINITIONS = `
  select pg_get_functiondef(oid) as definition from pg_proc where pronamespace = 'public'::regnamespace
  union all
  select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1`;

function functionsFile(sql: string): SqlFile {
  return { name: 'functions.sql', sql, checksum: sha256(sql).toString('hex') };
}

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

test('migration 62 takes over the jobs of graphile-worker, and those that older processes still enqueue', async () => {
  const pool = await openEmpty();
  const { migrations } = readSchemaFiles();
  await migrate(pool, { migrations: migrations.filter(({ version }) => version < 62) });
  await pool.query(`
    create schema graphile_worker;
    create table graphile_worker._private_tasks (id integer, identifier text);
    create table graphile_worker._private_job_queues (id integer, queue_name text);
    create table graphile_worker._private_jobs (
      id bigint generated always as identity, task_id integer, job_queue_id integer, payload json, priority smallint default 0,
      run_at timestamptz default now(), attempts smallint default 0, max_attempts smallint default 25, last_error text,
      key text, locked_by text, created_at timestamptz default now(), updated_at timestamptz default now()
    );
    insert into graphile_worker._private_tasks values (7, 'walk'), (8, 'sleep');
    insert into graphile_worker._private_job_queues values (3, 'dogs');
    insert into graphile_worker._private_jobs (task_id, job_queue_id, payload, attempts, last_error, key, locked_by)
      values (7, 3, '{"far": true}', 2, 'Rain.', 'k', null), (8, null, '{}', 1, null, null, 'a process')`);
  await migrate(pool);
  const jobs = 'select name, queue, payload, attempts, last_error, key, leased_by from jobs order by id';
  const walk = { name: 'walk', queue: 'dogs', attempts: 2, last_error: 'Rain.', key: 'k', leased_by: null };
  const sleep = {
    name: 'sleep',
    queue: null,
    payload: {},
    attempts: 1,
    last_error: null,
    key: null,
    leased_by: null,
  };
  expect(await select(pool, jobs)).toEqual([{ ...walk, payload: { far: true } }, sleep]);
  await pool.query(`
    insert into graphile_worker._private_jobs (task_id, job_queue_id, payload, key) values (7, 3, '{"far": false}', 'k'),
      (8, null, '{}', null)`);
  expect(await select(pool, jobs)).toEqual([
    { ...walk, payload: { far: false }, attempts: 0, last_error: null },
    sleep,
    { ...sleep, attempts: 0 },
  ]);
  expect(await select(pool, 'select from graphile_worker._private_jobs')).toEqual([]);
});
