/** The instance secret is compared with the database at every start and by every command. */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../config.ts';
import { openInstance } from '../instance.ts';
import { createLog } from '../platform/log.ts';
import { runDoctor, runPosthorn } from '../testing/posthorn-process.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';

const OTHER_SECRET = 'ef'.repeat(32);
const MISSING =
  /The instance secret is missing: INSTANCE_SECRET is not set, and .*secret does not exist, but the database is in use/;
const WRONG = /The instance secret does not belong to this database: INSTANCE_SECRET is another one/;

let server: TestServer;
let team: TestTeam;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  expect((await team.call('POST', '/domains', { name: 'keys.test' })).status).toBe(200);
  folder = mkdtempSync(join(tmpdir(), 'posthorn-secret-'));
  env = { DATABASE_URL: server.config.databaseUrl!, DATA_DIR: server.config.dataDir };
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test('a start without the secret of the database ends with an error and makes no new secret', async () => {
  const dataDir = join(folder, 'lost');
  const lost = { ...env, DATA_DIR: dataDir };
  const served = await runPosthorn(['serve'], lost);
  expect(served).toMatchObject({ code: 1, stdout: '' });
  expect(served.stderr).toMatch(MISSING);
  const doctor = await runDoctor(lost);
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toMatch(/✗ Instance secret +The instance secret is missing/);
  expect((await runPosthorn(['key', 'list', '--team', String(team.teamId)], lost)).stderr).toMatch(MISSING);
  expect(existsSync(join(dataDir, 'secret'))).toBe(false);
});

test('a start, every command and the doctor notice another secret', async () => {
  const other = { ...env, INSTANCE_SECRET: OTHER_SECRET };
  const commands = [
    ['serve'],
    ['migrate'],
    ['key', 'list', '--team', String(team.teamId)],
    ['backup', join(folder, 'x')],
  ];
  const results = await Promise.all(commands.map((args) => runPosthorn(args, other)));
  for (const { code, stderr } of results) {
    expect(code).toBe(1);
    expect(stderr).toMatch(WRONG);
  }
  expect(existsSync(join(folder, 'x'))).toBe(false);
  expect((await runDoctor(other)).stdout).toMatch(/✗ Instance secret +The instance secret does not belong/);
  expect((await runDoctor(env)).stdout).toMatch(/✓ Instance secret +belongs to the database/);
});

test('a database from before check values is recognised by what it has encrypted', async () => {
  await sql`drop table instance_secret`.execute(server.db);
  await sql`delete from schema_migrations where name like '0047%'`.execute(server.db);
  await expect(open({ ...env, INSTANCE_SECRET: OTHER_SECRET })).rejects.toThrow(WRONG);
  await expect(open({ ...env, DATA_DIR: join(folder, 'lost') })).rejects.toThrow(MISSING);
  await open(env);
  const { rows } = await sql`select is_only from instance_secret`.execute(server.db);
  expect(rows).toHaveLength(1);
});

test('a database with nothing encrypted adopts the secret that it finds', async () => {
  const database = await createTestDatabase();
  try {
    const found = {
      DATABASE_URL: database.url,
      INSTANCE_SECRET: OTHER_SECRET,
      DATA_DIR: join(folder, 'adopts'),
    };
    await open(found);
    await expect(open({ ...found, INSTANCE_SECRET: 'aa'.repeat(32) })).rejects.toThrow(WRONG);
    await open(found);
  } finally {
    await database.drop();
  }
});

test('of two processes with different secrets on a new database only one starts', async () => {
  const database = await createTestDatabase('empty');
  try {
    const opened = await Promise.allSettled(
      ['one', 'two'].map((name) => open({ DATABASE_URL: database.url, DATA_DIR: join(folder, name) })),
    );
    expect(opened.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const [failed] = opened.filter((each) => each.status === 'rejected');
    expect(String(failed!.reason)).toMatch(/does not belong to this database/);
  } finally {
    await database.drop();
  }
});

test('the embedded database does not start with a secret that was lost', async () => {
  const dataDir = join(folder, 'embedded');
  await open({ DATA_DIR: dataDir });
  const file = join(dataDir, 'secret');
  const secret = readFileSync(file);
  renameSync(file, `${file}.away`);
  await expect(open({ DATA_DIR: dataDir })).rejects.toThrow(MISSING);
  expect(existsSync(file)).toBe(false);
  renameSync(`${file}.away`, file);
  await open({ DATA_DIR: dataDir });
  expect(readFileSync(file)).toEqual(secret);
});

async function open(settings: Record<string, string>): Promise<void> {
  const instance = await openInstance(loadConfig(settings), createLog('silent'));
  await instance.close();
}
