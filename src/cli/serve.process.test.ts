import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as sequential, type TestContext } from 'vitest';
import { openDatabase } from '../platform/database/database.ts';
import { holdMigrationLock } from '../platform/database/migrations.ts';
import { freePorts } from '../testing/servers/free-ports.ts';
import { runPosthorn, startPosthorn } from '../testing/posthorn-process.ts';
import { SILENCE } from '../testing/smtp-sink/smtp-sink-behaviour.ts';
import { startSmtpSink } from '../testing/smtp-sink.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { createClosingCall } from '../testing/test-server.ts';

// Each test mostly waits for a process of its own, so they run concurrently.
const test = sequential.concurrent;

/** Returns settings that run code inside the started process, to cause an unexpected error. */
function withCode(code: string): Record<string, string> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

async function startWith(
  { onTestFinished }: TestContext,
  code: string,
  options: { doors?: string; env?: Record<string, string>; stderrFile?: string } = {},
) {
  const database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-serve-'));
  const [port] = await freePorts(1);
  const posthorn = startPosthorn(
    ['serve', '--doors', options.doors ?? 'http'],
    {
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      PORT: String(port),
      ...options.env,
      ...withCode(code),
    },
    { stderrFile: options.stderrFile },
  );
  onTestFinished(async () => {
    posthorn.child.kill('SIGKILL');
    await posthorn.ended;
    await database.drop();
    rmSync(dataDir, { recursive: true });
  });
  await posthorn.says('Ctrl-C');
  return {
    posthorn,
    databaseUrl: database.url,
    url: `http://127.0.0.1:${port}`,
  };
}

/** Closes the connection, because an open one would delay the shutdown. */
function get(url: string): Promise<Response> {
  return fetch(url, { headers: { connection: 'close' } });
}

test('uncaught errors are logged and counted, and the process continues and exits with 0', async (context) => {
  const { expect } = context;
  const { posthorn, url } = await startWith(
    context,
    `
    process.on('SIGUSR2', () => {
      Promise.reject(new Error('a stray promise'));
      setImmediate(() => { throw new Error('a stray callback') });
      setImmediate(() => { throw null });
    })`,
  );
  posthorn.child.kill('SIGUSR2');
  const metrics = async () => (await get(`${url}/metrics`)).text();
  await expect.poll(metrics).toContain('posthorn_unexpected_errors_total{where="uncaught"} 3');
  expect((await get(`${url}/healthz`)).status).toBe(200);
  posthorn.child.kill('SIGTERM');
  const { code, stderr } = await posthorn.ended;
  expect(code).toBe(0);
  expect(stderr).toContain('a stray promise');
  expect(stderr).toContain('a stray callback');
});

test('very many uncaught errors stop the process cleanly with exit code 1', async (context) => {
  const { expect } = context;
  const { posthorn } = await startWith(
    context,
    `
    process.on('SIGUSR2', () => {
      for (let at = 0; at < 1001; at += 1) setImmediate(() => { throw new Error('one of many') });
    })`,
  );
  posthorn.child.kill('SIGUSR2');
  const { code, stderr } = await posthorn.ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining('more than 1000 uncaught errors in a minute')]);
});

test('a mail server that does not answer does not delay the stop, and the exit code is 0', async (context) => {
  const { expect } = context;
  const sink = await startSmtpSink({ behaviour: { replies: { DOT: SILENCE } } });
  const key = 's'.repeat(40);
  const env = {
    MAIL_TRANSPORT: 'relay',
    RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    BOOTSTRAP_API_KEY: key,
  };
  const { posthorn, url, databaseUrl } = await startWith(context, '', { doors: 'http,worker', env });
  const { pool, close } = openDatabase(databaseUrl, { connections: 1, onError: () => {} });
  const call = createClosingCall(url, key);
  await call('POST', '/domains', { name: 'slow.test' });
  await pool.query(`update domains set held = true, status = 'SUCCESS'`);
  const email = { from: 'a@slow.test', to: 'b@example.org', subject: 'x', text: 'x' };
  expect((await call('POST', '/emails', email)).status).toBe(200);
  await expect.poll(() => sink.commands.join()).toContain('DATA');
  posthorn.child.kill('SIGTERM');
  const { code, stderr } = await posthorn.ended;
  expect([code, stderr]).toEqual([0, expect.stringContaining('has not finished in time')]);
  await close();
  await sink.close();
});

sequential.skipIf(!existsSync('/dev/full'))(
  'the server keeps working when the log cannot be written',
  { concurrent: true },
  async (context) => {
    const { expect } = context;
    const { posthorn, url } = await startWith(context, '', { stderrFile: '/dev/full' });
    for (let at = 0; at < 100; at += 1) expect((await get(`${url}/healthz`)).status).toBe(200);
    posthorn.child.kill('SIGTERM');
    expect((await posthorn.ended).code).toBe(0);
  },
);

test('the process exits when its start fails half way', async ({ expect }) => {
  const database = await createTestDatabase();
  const { pool, close } = openDatabase(database.url, { connections: 1, onError: () => {} });
  await pool.query('alter function add_job rename to add_no_job');
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-serve-'));
  const { code, stderr } = await runPosthorn(['serve', '--doors', 'worker'], {
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('add_job')]);
  await close();
  await database.drop();
  rmSync(dataDir, { recursive: true });
});

test('a process that waits for the migrations of another exits on SIGTERM', async ({
  expect,
  onTestFinished,
}) => {
  const database = await createTestDatabase();
  const { pool, close } = openDatabase(database.url, { connections: 2, onError: () => {} });
  const other = await pool.connect();
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-serve-'));
  const env = { DATA_DIR: dataDir, DATABASE_URL: database.url };
  await holdMigrationLock(other, expect.fail, async () => {
    const posthorn = startPosthorn(['serve', '--doors', 'worker'], env);
    onTestFinished(() => void posthorn.child.kill('SIGKILL'));
    const waiting = `select count(*)::integer as count from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`;
    await expect
      .poll(async () => (await pool.query(waiting)).rows, { timeout: 60_000 })
      .toEqual([{ count: 1 }]);
    posthorn.child.kill('SIGTERM');
    expect((await posthorn.ended).code).toBe(1);
  });
  other.release();
  await close();
  await database.drop();
  rmSync(dataDir, { recursive: true });
});
