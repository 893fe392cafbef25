import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../config.ts';
import { createTestDatabase, onServer, type TestDatabase } from '../../testing/test-database.ts';
import { runDoctor, runPosthorn } from '../../testing/posthorn-process.ts';
import { instanceSecretFile } from '../../platform/crypto.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { secretOfDatabase, startTestServer } from '../../testing/test-server.ts';
import {
  judgeClock,
  judgeDataDir,
  judgeDatabase,
  judgeDisk,
  judgeMigrations,
  judgeNode,
} from './judge-machine.ts';
import { judgeBrakes, judgeQueue } from './judge-queue.ts';
import { judgeBaseUrl, judgeCertificate, judgeDns, judgePort } from './judge-network.ts';
import { compareMigrations } from '../../platform/database/migrations.ts';

const GIB = 1024 ** 3;

let dataDir: string;
let database: TestDatabase;
let dns: { address: string; close(): void };
let env: Record<string, string>;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'posthorn-doctor-'));
  database = await createTestDatabase();
  dns = await openDns('answers');
  writeFileSync(instanceSecretFile(dataDir), secretOfDatabase(database.url), { mode: 0o600 });
  env = { DATA_DIR: dataDir, DATABASE_URL: database.url, DNS_SERVERS: dns.address };
});

afterAll(async () => {
  dns.close();
  await database.drop();
  rmSync(dataDir, { recursive: true });
});

function doctor(more: Record<string, string> = {}) {
  return runDoctor({ ...env, ...more });
}

test.concurrent('doctor finds no problems on a healthy machine', async () => {
  const { code, stdout, stderr } = await doctor();
  expect(stderr).toBe('');
  expect(stdout).toMatch(/✓ Database +PostgreSQL \d+/);
  expect(stdout).toMatch(/✓ Migrations +up to date/);
  expect(stdout).toContain(`✓ DNS               ${dns.address} responds`);
  expect(stdout).toMatch(
    /\n\nNo problems found\.\nNo email leaves this machine, because MAIL_TRANSPORT is sandbox\.\n$/,
  );
  expect(code).toBe(0);
});

test.concurrent('doctor creates nothing before the first start', async () => {
  const nothing = join(dataDir, 'not', 'yet');
  const { code, stdout } = await doctor({ DATA_DIR: nothing, DATABASE_URL: '' });
  expect(stdout).toMatch(/✓ DATA_DIR .* it is created at the first start\n/);
  expect(stdout).toMatch(/✓ Database +none yet/);
  expect(code).toBe(0);
});

test.concurrent(
  'doctor reports a database that is down, a port in use, a silent resolver and a missing certificate',
  async () => {
    const silent = await openDns('says nothing');
    const stranger = createServer((socket) => socket.end('hello\n')).listen(0, '127.0.0.1');
    await new Promise((resolve) => stranger.once('listening', resolve));
    const port = String((stranger.address() as AddressInfo).port);
    const { code, stdout, stderr } = await doctor({
      DATABASE_URL: 'postgresql://someone:sesame@localhost:1/mail',
      DNS_SERVERS: silent.address,
      PORT: port,
      MAIL_TRANSPORT: 'direct',
      SMTP_TLS_CERT: join(dataDir, 'cert.pem'),
      SMTP_TLS_KEY: join(dataDir, 'key.pem'),
    });
    silent.close();
    stranger.close();
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /✗ Database +localhost:1\/mail cannot be used: .*ECONNREFUSED.*\n +→ Start the database server, correct/,
    );
    expect(stdout).not.toContain('sesame');
    expect(stdout).not.toContain('Migrations');
    expect(stdout).toMatch(/✗ PORT .* is used by another program\n +→ Stop that program, or change PORT\./);
    expect(stdout).toContain(`✗ DNS               no response from ${silent.address}\n`);
    expect(stdout).toMatch(/! MAIL_HOST /);
    expect(stdout).toMatch(/! BASE_URL /);
    expect(stdout).toMatch(
      /✗ Port 25 +no mail server can be looked up: MX of gmail\.com: .*\n +→ Set DNS_SERVERS/,
    );
    expect(stdout).toMatch(
      /✗ Certificate +\/.*\/cert\.pem cannot be read: ENOENT.*\n +→ Correct SMTP_TLS_CERT/,
    );
    expect(stdout).toMatch(/\n\n[5-9] problems, 2 warnings\.\n$/);
    expect(code).toBe(1);
  },
);

test.concurrent('doctor and migrate report a database user without the right to create tables', async () => {
  const own = await createTestDatabase('empty');
  const url = new URL(own.url);
  url.username = `guest_of_${url.pathname.slice(1)}`;
  url.password = 'sesame';
  await onServer(own.url, `create role ${url.username} login password '${url.password}'`);
  const DATABASE_URL = url.href;
  const [seen, refused] = await Promise.all([
    doctor({ DATABASE_URL }),
    runPosthorn(['migrate'], { ...env, DATABASE_URL }),
  ]);
  expect(seen.stdout).toMatch(/✗ Database .*; the user cannot create tables and schemas\n +→ Make the user/);
  expect(seen.code).toBe(1);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^permission denied .*\nMake the user/),
  ]);
  await own.drop();
  await onServer(env.DATABASE_URL!, `drop role ${url.username}`);
});

test.concurrent('ports in use by a running Posthorn are fine', async () => {
  const server = await startTestServer({ databaseUrl: database.url });
  const port = new URL(server.url).port;
  const { code, stdout } = await doctor({ PORT: port });
  await server.close();
  expect(stdout).toContain(`✓ PORT              127.0.0.1:${port} is used by the running Posthorn\n`);
  expect(code).toBe(0);
});

test.concurrent('doctor counts passkeys that were made for another host', async () => {
  const old = await createTestDatabase();
  const { pool, close } = openDatabase(old.url, { connections: 1, onError: () => {} });
  await pool.query(
    `with person as (
       insert into users (id, email, email_key, name, password_hash)
       values (gen_random_uuid(), 'a@b.example', 'a@b.example', 'A', '') returning id
     )
     insert into passkeys (id, user_id, credential_id, public_key, sign_count, transports, name, rp_id, backed_up)
     select gen_random_uuid(), id, host::bytea, '', 0, '{}', 'Laptop', host, false
     from person, unnest('{old.example,localhost}'::text[]) host`,
  );
  await close();
  const { stdout } = await doctor({ DATABASE_URL: old.url, BASE_URL: 'https://localhost' });
  await old.drop();
  expect(stdout).toContain('those of 1 account were made for old.example and do not work at localhost\n');
  expect(stdout).not.toContain('made for localhost');
});

test('Node version, disk space and clock skew have limits', () => {
  expect(marks(['20.18.3', '20.19.0', '22.1.0', '18.20.0'].map(judgeNode))).toEqual([
    'failure',
    'fine',
    'fine',
    'failure',
  ]);
  expect(marks([2 * GIB, 2 * GIB - 1, GIB / 8].map((bytes) => judgeDisk('/data', bytes, null)))).toEqual([
    'fine',
    'warning',
    'failure',
  ]);
  expect(judgeDisk('/data', 10 * GIB, null, 11 * GIB).mark).toBe('failure');
  const filling = [GIB / 30, GIB, GIB * 10, 1].map((perDay) => judgeDisk('/data', 10 * GIB, perDay));
  expect(marks(filling)).toEqual(['fine', 'warning', 'failure', 'fine']);
  expect(filling[1]!.words).toBe('10.0 GiB free; email adds about 1.0 GiB a day, so it lasts 10 days');
  const now = Date.UTC(2026, 10, 15);
  const clocks = [
    judgeClock(now, null),
    judgeClock(now, 4_999),
    judgeClock(now, -5_001),
    judgeClock(0, null),
  ];
  expect(marks(clocks)).toEqual(['fine', 'fine', 'warning', 'failure']);
  expect(clocks[2]!.words).toBe("the database's clock is 5.0 s behind this machine's");
});

test('a data folder is judged by its permissions', () => {
  const good = { exists: true, isWritable: true, mode: 0o40700, uid: 1000, secretMode: 0o100600 };
  const judge = (probe: object, uid = 1000) => judgeDataDir('/data', { ...good, ...probe }, uid).mark;
  expect(judge({})).toBe('fine');
  expect(judge({}, 0)).toBe('fine');
  expect(judge({ isWritable: false })).toBe('failure');
  expect(judge({ mode: 0o40777 })).toBe('warning');
  expect(judge({ uid: 1 })).toBe('warning');
  expect(judge({ secretMode: 0o100644 })).toBe('warning');
});

test('a database is judged by its version, encoding, rights and migrations', () => {
  const asIs = {
    wasStarted: true,
    applied: [],
    functionsChecksum: '',
    skewMs: 0,
    encoding: 'UTF8',
    mayCreate: true,
    hasNotifications: true,
    pooler: null,
    domains: [],
    checkedDomains: [],
    queue: { waiting: 0, held: 0, late: 0, latestMinutes: null },
    brakes: [],
    closedTeams: [],
    strayPasskeys: [],
    growthBytesPerDay: null,
    secret: 'matches' as const,
  };
  const up = { state: 'up' as const, where: 'embedded', ...asIs };
  expect(judgeDatabase({ ...up, version: '14.9', versionNumber: 140_009 }).mark).toBe('failure');
  const new18 = { ...up, version: '18.4', versionNumber: 180_004 };
  expect(judgeDatabase({ ...new18, encoding: 'SQL_ASCII' }).mark).toBe('failure');
  expect(judgeDatabase({ ...new18, mayCreate: false }).mark).toBe('failure');
  expect(judgeDatabase(new18)).toMatchObject({
    mark: 'fine',
    words: 'PostgreSQL 18.4, embedded, started only for this check',
  });
  const one = { version: 1, name: '0001_a.sql', checksum: 'a', sql: '' };
  const two = { version: 2, name: '0002_b.sql', checksum: 'b', sql: '' };
  const judge = (applied: (typeof one)[], known: (typeof one)[]) =>
    judgeMigrations(applied.length, compareMigrations(applied, known)).mark;
  expect(judge([one], [one])).toBe('fine');
  expect(judge([], [one])).toBe('fine');
  expect(judge([one], [one, two])).toBe('warning');
  expect(judge([one, two], [one])).toBe('failure');
  expect(judge([{ ...one, checksum: 'x' }], [one])).toBe('failure');
});

test('a queue is judged by what is held and what is late', () => {
  const queue = { waiting: 3, held: 0, late: 0, latestMinutes: null };
  expect(judgeQueue(queue)).toMatchObject({ mark: 'fine', words: '3 deliveries' });
  expect(judgeQueue({ ...queue, held: 2 })).toMatchObject({
    mark: 'warning',
    words: '3 deliveries, 2 held and not sent',
  });
  expect(judgeQueue({ ...queue, late: 1, latestMinutes: 11 }).mark).toBe('failure');
});

test('ports, resolvers and BASE_URL are judged by the mail transport', () => {
  const door = { name: 'SMTP_PORT', host: '127.0.0.1', port: 25 };
  expect(judgePort(door, 'taken', 'healthy').mark).toBe('fine');
  expect(judgePort(door, 'taken', 'ill').mark).toBe('warning');
  expect(judgePort({ ...door, name: 'PORT' }, 'taken', 'ill').mark).toBe('failure');
  expect(judgePort(door, 'taken', 'absent').mark).toBe('failure');
  expect(judgePort(door, 'forbidden', 'absent').mark).toBe('failure');
  expect(judgePort(door, 'elsewhere', 'absent').mark).toBe('failure');

  const silent = { server: '1.1.1.1', outcome: 'silent' } as const;
  const refuses = { server: '8.8.8.8', outcome: 'refuses' } as const;
  expect(judgeDns([refuses], 'direct')).toMatchObject({
    mark: 'failure',
    words: '8.8.8.8 refuses or fails to look up names',
  });
  const answers = { server: '9.9.9.9', outcome: 'answers' } as const;
  expect(judgeDns([silent], 'sandbox').mark).toBe('warning');
  expect(judgeDns([silent], 'relay').mark).toBe('failure');
  expect(judgeDns([], 'direct').mark).toBe('failure');
  expect(judgeDns([silent, answers], 'direct').mark).toBe('warning');
  expect(judgeDns([answers], 'direct').mark).toBe('fine');

  const harmless = [
    'http://localhost:3000',
    'http://192.168.1.5',
    'http://[::1]:3000',
    'http://mail.local',
    'https://a.com',
  ];
  expect(harmless.map((url) => judgeBaseUrl(loadConfig({ BASE_URL: url })).mark)).toEqual(
    harmless.map(() => 'fine'),
  );
  const risky = ['http://mail.example.com', 'http://203.0.113.7:3000', 'http://[2001:db8::1]'];
  expect(risky.map((url) => judgeBaseUrl(loadConfig({ BASE_URL: url })).mark)).toEqual(
    risky.map(() => 'warning'),
  );
  expect(judgeBaseUrl(loadConfig({})).mark).toBe('fine');
  for (const BASE_URL of [
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://[::1]:3000',
    'http://a.localhost',
  ])
    expect(judgeBaseUrl(loadConfig({ BASE_URL, MAIL_TRANSPORT: 'direct' })), BASE_URL).toMatchObject({
      mark: 'warning',
      words: expect.stringContaining('only opens on this machine'),
    });
  expect(judgeBaseUrl(loadConfig({ BASE_URL: 'https://a.com', MAIL_TRANSPORT: 'direct' })).mark).toBe('fine');
  expect(judgeBaseUrl(loadConfig({ HOST: '0.0.0.0' })).words).toMatch(/every host name is served/);
});

test('a certificate is judged by its name and its expiry', () => {
  const now = Date.UTC(2026, 10, 15);
  const judge = (days: number, isForMailHost = true) => {
    const endsAt = new Date(now + days * 24 * 60 * 60 * 1000);
    return judgeCertificate({ state: 'given', endsAt, isForMailHost }, 'mx.example.com', now);
  };
  expect(judge(30)).toMatchObject({ mark: 'fine', words: 'for mx.example.com, valid until 2026-12-15' });
  expect(marks([judge(6), judge(-1), judge(30, false)])).toEqual(['warning', 'failure', 'warning']);
  expect(judgeCertificate({ state: 'own' }, 'mx.example.com', now).mark).toBe('fine');
});

function marks(findings: { mark: string }[]): string[] {
  return findings.map(({ mark }) => mark);
}

/** Starts a resolver that answers every query with "no such record", or never responds. */
async function openDns(how: 'answers' | 'says nothing'): Promise<{ address: string; close(): void }> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    if (how === 'says nothing') return;
    query.writeUInt16BE(0x81_80, 2);
    socket.send(query, from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

test('a brake that is on is a problem, and a warning a warning', () => {
  const cause = { measure: 'complaints', window: 'day', cases: 24, outOf: 4_000, campaignId: null } as const;
  const findings = judgeBrakes([
    { name: 'shop.test', status: 'ON', cause },
    { name: 'news.test', status: 'WARNING', cause },
  ]);
  expect(findings.map(({ mark }) => mark)).toEqual(['failure', 'warning']);
  expect(findings[0]!.words).toBe(
    'the brake of shop.test is on: 24 of 4000 delivered emails (0.6 %) were reported as spam in the last 24 hours.',
  );
});
