import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startDatabaseProxy } from '../../testing/servers/database-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { startTestServer } from '../../testing/test-server.ts';
import { toErrorReply } from '../../smtp/protocol/error-reply.ts';
import { toAppError } from './database-errors.ts';
import { inTransaction, openDatabase, statement, runTogether, type Database } from './database.ts';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase('empty');
  // With one connection, each test starts with the session state that the previous test left.
  database = openDatabase(testDatabase.url, { connections: 1, onError: () => {} });
  await database.pool.query('create table notes (no integer primary key)');
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});
beforeEach(() => database.pool.query('delete from notes'));

async function notes(): Promise<number[]> {
  const rows = await statement<{ no: number }>(database.db)`select no from notes order by no`;
  return rows.map(({ no }) => no);
}

test('pipelined statements run in order', async () => {
  const answers = await inTransaction(database.db, (trx) =>
    runTogether(
      statement(trx)`insert into notes values (${1}), (${2})`,
      statement<{ no: number }>(trx)`select no from notes order by no`,
      statement<{ no: number }>(trx)`delete from notes where no = ${1} returning no`,
    ),
  );
  expect(answers).toEqual([[], [{ no: 1 }, { no: 2 }], [{ no: 1 }]]);
  expect(await notes()).toEqual([2]);
});

test('the first failed statement is thrown, everything is rolled back, and the connection stays usable', async () => {
  const work = inTransaction(database.db, (trx) =>
    runTogether(
      statement(trx)`insert into notes values (${1})`,
      statement(trx)`insert into notes values (${1})`,
      statement(trx)`insert into notes values (${2})`,
    ),
  );
  await expect(work).rejects.toMatchObject({ code: '23505' });
  expect(await notes()).toEqual([]);
  await inTransaction(database.db, (trx) => statement(trx)`insert into notes values (${3})`);
  expect(await notes()).toEqual([3]);
});

test('a transaction that ignores a failed statement is rejected', async () => {
  const work = inTransaction(database.db, async (trx) => {
    await statement(trx)`insert into notes values (${1})`;
    await statement(trx)`insert into notes values (${1})`.catch(() => {});
    return 'done';
  });
  await expect(work).rejects.toThrow('rolled back');
  expect(await notes()).toEqual([]);
});

test('a transaction fails when its connection is lost, and the connection is not reused', async () => {
  const work = inTransaction(database.db, async (trx) => {
    await statement(trx)`insert into notes values (${1})`;
    await statement(trx)`select pg_terminate_backend(pg_backend_pid())`;
  });
  await expect(work).rejects.toThrow();
  expect(await notes()).toEqual([]);
});

test('a query on a silently lost connection times out, and the pool opens another connection', async () => {
  const { proxy, close } = await startDatabaseProxy(testDatabase.url);
  const cut = openDatabase(proxy.url, { connections: 1, statementTimeoutMs: 500, onError: () => {} });
  await cut.pool.query('select 1');
  proxy.cutOff();
  await expect(cut.pool.query('select 1')).rejects.toThrow('Query read timeout');
  expect((await cut.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await cut.close();
  close();
});

test('settings of the database do not change how the program works', async () => {
  const own = await createTestDatabase();
  const name = new URL(own.url).pathname.slice(1);
  for (const setting of [
    `datestyle = 'German'`,
    `timezone = 'Asia/Kolkata'`,
    `bytea_output = 'escape'`,
    `default_transaction_isolation = 'serializable'`,
    `standard_conforming_strings = off`,
    `lock_timeout = 1`,
  ]) {
    await database.pool.query(`alter database ${name} set ${setting}`);
  }
  const server = await startTestServer({ databaseUrl: own.url, doors: ['http', 'worker'] });
  const { call } = await server.createTeam();
  const makers = Array.from({ length: 8 }, () => call('POST', '/contactBooks', { name: 'Book' }));
  expect(new Set((await Promise.all(makers)).map(({ status }) => status))).toEqual(new Set([200]));
  const { body: books } = await call('GET', '/contactBooks');
  expect(Math.abs(Date.parse(books[0].createdAt) - Date.now())).toBeLessThan(60_000);
  await server.close();
  await own.drop();
});

test('an unhandled unique violation is a conflict over HTTP and a temporary error over SMTP', async () => {
  await statement(database.db)`insert into notes values (${1})`;
  const error: unknown = await statement(database.db)`insert into notes values (${1})`.catch(
    (thrown) => thrown,
  );
  expect(toAppError(error).code).toBe('CONFLICT');
  expect(toErrorReply(error).responseCode).toBe('451 4.3.0');
});
