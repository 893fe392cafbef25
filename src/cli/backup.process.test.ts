import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { loadConfig, type Config } from '../config.ts';
import { makeEventPartitions } from '../features/events/event-partitions.ts';
import { openInstance } from '../instance.ts';
import { readBackupFile } from '../platform/backup/read-file.ts';
import { inTransaction, openDatabase } from '../platform/database/database.ts';
import { createLog } from '../platform/log.ts';
import { addDomain } from '../testing/factories.ts';
import { runPosthorn, startPosthorn } from '../testing/posthorn-process.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';
import { backupCommand } from './backup.ts';
import { restoreCommand } from './restore.ts';

const OTHER_SECRET = 'ab'.repeat(32);

let folder: string;
let server: TestServer;
let team: TestTeam;
let bookId: string;
/** A backup of the server with one book, one contact and one mailbox. */
let file: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-backup-'));
  file = join(folder, 'one.backup');
  server = await startTestServer({ doors: ['http', 'worker'] });
  team = await server.createTeam();
  // The backup has this month's events in the default partition. The server that restores it has a partition for them.
  const month = new Date().toISOString().slice(0, 7).replace('-', '_');
  await sql`drop table ${sql.table(`events_${month}`)}`.execute(server.db);
  bookId = (await team.call('POST', '/contactBooks', { name: 'Letters' })).body.id;
  await addContact('first@example.com');
  await addDomain(server.db, team.teamId, 'letters.test');
  await team.call('POST', '/mailboxes', { address: 'ada@letters.test', name: 'Ada' });
  expect(await say(backupCommand, [file], server.config)).toMatch(
    /^Wrote .*one\.backup \(\d+\.\d KiB\): \d+ tables, /,
  );
  await makeEventPartitions(server.db);
});

afterEach(() => vi.restoreAllMocks());

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test('a backup during concurrent writes is consistent and can be restored on a new machine', async () => {
  const writing = new AbortController();
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let round = 0; !writing.signal.aborted; round++) {
      const contacts = [0, 1, 2].map((n) => ({ email: `w${writer}.${round}.${n}@example.com` }));
      const { status } = await team.call('POST', `/contactBooks/${bookId}/contacts/bulk`, contacts);
      expect(status).toBe(200);
      // Leave some CPU time for the server to start.
      await sleep(20);
    }
  });
  const { dataDir, databaseUrl } = server.config;
  const made = await runPosthorn(
    ['backup'],
    { DATA_DIR: dataDir, DATABASE_URL: databaseUrl! },
    { cwd: folder },
  );
  writing.abort();
  await Promise.all(writers);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const [name] = readdirSync(folder).filter((entry) =>
    /^posthorn-\d{4}-\d\d-\d\dT\d{6}Z\.backup$/.test(entry),
  );
  expect(statSync(join(folder, name!)).mode & 0o777).toBe(0o600);

  const fresh = join(folder, 'new machine');
  const restored = await runPosthorn(['restore', name!], { DATA_DIR: fresh }, { cwd: folder });
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(restored.stdout).toMatch(
    /\d+ tables, [\d,]+ rows, .*\nThe instance secret of the backup is now in .*\nStart Posthorn with/,
  );
  expect(readFileSync(join(fresh, 'secret'))).toEqual(readFileSync(join(dataDir, 'secret')));
  const instance = await openInstance(loadConfig({ DATA_DIR: fresh }), createLog('error'));
  try {
    const { contacts, counted } = await countContacts(instance.db);
    expect(counted).toBe(contacts);
    expect(contacts).toBeGreaterThan(1);
    expect(contacts).toBeLessThan((await countContacts(server.db)).contacts);
  } finally {
    await instance.close();
  }
});

test('a running server continues with the restored data', async () => {
  const original = await readSyncState();
  const later = await server.createTeam();
  const seen = await Promise.all(Array.from({ length: 40 }, () => readAll(team)));
  expect(seen.every(({ status }) => status === 200)).toBe(true);
  expect((await later.call('GET', '/team')).status).toBe(200);

  await expect(restoreCommand([file], server.config)).rejects.toThrow(
    /The database is not empty\..*--replace/,
  );
  const statuses: number[] = [];
  const restoring = new AbortController();
  const traffic = Array.from({ length: 8 }, async (_, n) => {
    while (!restoring.signal.aborted) {
      statuses.push(
        (await (n % 2 ? readAll(team) : addContact(`busy${n}.${statuses.length}@example.com`))).status,
      );
    }
  });
  const said = await say(restoreCommand, [file, '--replace'], server.config);
  expect(said).toMatch(/The running server already uses the restored data\.$/);
  // The key of a team that was created after the backup stops working immediately.
  expect((await later.call('GET', '/team')).status).toBe(401);
  restoring.abort();
  await Promise.all(traffic);
  expect(new Set(statuses)).toEqual(new Set([200]));

  const restoredOnce = await readSyncState();
  await say(restoreCommand, ['--replace', file], server.config);
  const restoredTwice = await readSyncState();
  const after = await Promise.all(Array.from({ length: 40 }, () => readAll(team)));
  expect(after.map(({ status }) => status)).toEqual(after.map(() => 200));
  expect(after[0]!.body).toMatchObject([{ id: bookId, _count: { contacts: 1 } }]);
  expect((await addContact('second@example.com')).status).toBe(200);
  expect(await countContacts(server.db)).toEqual({ contacts: 2, counted: 2 });
  expect((await server.createTeam()).teamId).toBe(later.teamId);

  // Email apps must discard the state that they cached after the backup.
  expect(restoredOnce.uidValidity).toBeGreaterThan(original.uidValidity);
  expect(restoredOnce.forgotten).toBeGreaterThan(original.modseq + 1_000);
  expect(restoredOnce.modseq).toBe(restoredOnce.forgotten);
  expect(restoredTwice.uidValidity).toBeGreaterThan(original.uidValidity);
});

async function readSyncState(): Promise<{ uidValidity: number; modseq: number; forgotten: number }> {
  const { rows } = await sql<{ uidValidity: number; modseq: number; forgotten: number }>`
    select f.uid_validity as "uidValidity", n.modseq, n.forgotten_modseq as forgotten
    from folders f join mailbox_change_numbers n using (team_id, mailbox_id) where f.id = 'inbox'
  `.execute(server.db);
  return rows[0]!;
}

test('a backup with another secret is rejected while a server is running', async () => {
  const before = readFileSync(join(server.config.dataDir, 'secret'));
  const other = await backUpWithSecret(OTHER_SECRET);
  await expect(restoreCommand([other, '--replace'], server.config)).rejects.toThrow(
    /Stop the server first\./,
  );
  expect(readFileSync(join(server.config.dataDir, 'secret'))).toEqual(before);

  const idle = await createTestDatabase();
  try {
    const env = { DATABASE_URL: idle.url, DATA_DIR: join(folder, 'idle') };
    await expect(
      restoreCommand([other], loadConfig({ ...env, INSTANCE_SECRET: 'cd'.repeat(32) })),
    ).rejects.toThrow(/a different INSTANCE_SECRET/);
    await say(restoreCommand, [other], loadConfig({ ...env, INSTANCE_SECRET: OTHER_SECRET }));
    expect(existsSync(join(folder, 'idle', 'secret'))).toBe(false);
    await say(restoreCommand, [other, '--replace'], loadConfig(env));
    expect(readFileSync(join(folder, 'idle', 'secret'), 'utf8')).toBe(`${OTHER_SECRET}\n`);
    expect(readdirSync(join(folder, 'idle'))).toEqual(['secret']);
    // The database belongs to the restored secret now.
    await (await openInstance(loadConfig(env), createLog('error'))).close();
  } finally {
    await idle.drop();
  }
});

test('a truncated or damaged file is rejected before anything is changed', async () => {
  const whole = readFileSync(file);
  const bad = join(folder, 'bad.backup');
  const nowhere = { DATA_DIR: join(folder, 'untouched'), DATABASE_URL: 'postgresql://127.0.0.1:1/none' };
  writeFileSync(bad, whole.subarray(0, -1));
  await expect(restoreCommand([bad], loadConfig(nowhere))).rejects.toThrow(`${bad} is incomplete`);
  writeFileSync(bad, 'something else');
  await expect(restoreCommand([bad], loadConfig(nowhere))).rejects.toThrow(/is not a Posthorn backup/);
  await expect(restoreCommand([join(folder, 'none')], loadConfig(nowhere))).rejects.toThrow(/does not exist/);
  expect(existsSync(nowhere.DATA_DIR)).toBe(false);

  for (let length = 0; length < whole.length; length += 31) {
    writeFileSync(bad, whole.subarray(0, length));
    await expect(readBackupFile(bad), `cut at ${length}`).rejects.toThrow(/is incomplete/);
  }
  // A few bits of the gzip format (its time, the padding of the last byte) do not affect the data.
  const { sha256 } = await readBackupFile(file);
  let unharmed = 0;
  for (let at = 10; at < whole.length; at += 23) {
    const flipped = Buffer.from(whole);
    flipped[at]! ^= 0x10;
    writeFileSync(bad, flipped);
    const found = await readBackupFile(bad).catch((error: Error) => error.message);
    if (typeof found === 'string') expect(found, `flipped at ${at}`).toMatch(/is damaged|is incomplete/);
    else expect(found.sha256, `flipped at ${at}`).toBe(sha256);
    unharmed += typeof found === 'string' ? 0 : 1;
  }
  expect(unharmed).toBeLessThan(5);
});

test('a backup of a newer or different program is rejected', async () => {
  const database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, DATA_DIR: server.config.dataDir };
  const { pool, close } = openDatabase(database.url, { connections: 1, onError: () => {} });
  try {
    const newer = join(folder, 'newer.backup');
    await pool.query(
      `insert into schema_migrations (version, name, checksum) values (9999, '9999_later.sql', 'x')`,
    );
    await say(backupCommand, [newer], loadConfig(env));
    await pool.query('delete from schema_migrations where version = 9999');
    await expect(restoreCommand([newer], loadConfig(env))).rejects.toThrow(
      /made by a newer version of Posthorn \(\d.*\): it has migration 9999_later\.sql/,
    );
    const edited = join(folder, 'edited.backup');
    await pool.query(`update schema_migrations set checksum = 'x' where version = 1`);
    await say(backupCommand, [edited], loadConfig(env));
    await expect(restoreCommand([edited], loadConfig(env))).rejects.toThrow(/0001_baseline\.sql differs/);
  } finally {
    await close();
    await database.drop();
  }
});

test('a backup overwrites no file, and a failed backup leaves no file behind', async () => {
  await expect(backupCommand([file], server.config)).rejects.toThrow(/already exists/);
  const down = loadConfig({ DATA_DIR: server.config.dataDir, DATABASE_URL: 'postgresql://127.0.0.1:1/none' });
  await expect(backupCommand([join(folder, 'never.backup')], down)).rejects.toThrow(/ECONNREFUSED/);
  const empty = await createTestDatabase('empty');
  const config = { ...server.config, databaseUrl: empty.url };
  await expect(backupCommand([join(folder, 'never.backup')], config)).rejects.toThrow(/nothing to back up/);
  await empty.drop();
  const elsewhere = { ...server.config, dataDir: join(folder, 'elsewhere') };
  await expect(backupCommand([join(folder, 'never.backup')], elsewhere)).rejects.toThrow(
    /secret does not exist/,
  );
  expect(readdirSync(folder).filter((name) => /never|partial/.test(name))).toEqual([]);
});

test('a backup that is interrupted while it waits leaves no unfinished file', async () => {
  const name = join(folder, 'interrupted.backup');
  const { dataDir, databaseUrl } = server.config;
  await inTransaction(server.db, async (trx) => {
    await sql`lock table contacts in access exclusive mode`.execute(trx);
    const backup = startPosthorn(['backup', name], { DATA_DIR: dataDir, DATABASE_URL: databaseUrl! });
    await expect.poll(() => existsSync(`${name}.partial`), { timeout: 60_000 }).toBe(true);
    backup.child.kill('SIGTERM');
    expect(await backup.ended).toMatchObject({ code: 1, stderr: 'Interrupted. No file was written.\n' });
  });
  expect(readdirSync(folder).filter((entry) => entry.includes('interrupted'))).toEqual([]);
});

/** Returns the output of the command. */
async function say(
  command: (args: string[], config: Config) => Promise<void>,
  args: string[],
  config: Config,
): Promise<string> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    await command(args, config);
    return log.mock.calls.map(([line]) => String(line)).join('\n');
  } finally {
    log.mockRestore();
  }
}

function addContact(email: string) {
  return team.call('POST', `/contactBooks/${bookId}/contacts`, { email });
}

function readAll({ call }: TestTeam) {
  return call('GET', '/contactBooks');
}

async function countContacts(db: TestServer['db']): Promise<{ contacts: number; counted: number }> {
  const { rows } = await sql<{ contacts: number; counted: number }>`
    select (select count(*) from contacts) as contacts,
      (select sum(contacts) from contact_book_counts)::bigint as counted`.execute(db);
  return rows[0]!;
}

async function backUpWithSecret(secret: string): Promise<string> {
  const other = join(folder, 'other.backup');
  const database = await createTestDatabase();
  try {
    const config = loadConfig({ DATABASE_URL: database.url, DATA_DIR: folder, INSTANCE_SECRET: secret });
    await (await openInstance(config, createLog('error'))).close();
    await say(backupCommand, [other], config);
  } finally {
    await database.drop();
  }
  return other;
}
