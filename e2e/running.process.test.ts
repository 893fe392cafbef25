import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi, type TestContext } from 'vitest';
import { freePorts } from '../src/testing/servers/free-ports.ts';
import { createTestDatabase } from '../src/testing/test-database.ts';
import { startProgram, type RunningProgram } from './running.ts';

/** A data folder for one test, and the processes that it starts there. Tests mostly wait, so they run concurrently. */
interface Machine {
  dataDir: string;
  start(env?: Record<string, string>, args?: string[]): Promise<RunningProgram>;
  /** Returns the pid of the embedded server; null if it does not run. */
  databasePid(): number | null;
}

function newMachine(onTestFinished: TestContext['onTestFinished']): Machine {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-e2e-'));
  const started: RunningProgram[] = [];
  const databasePid = (): number | null => findDatabasePid(dataDir);
  onTestFinished(async () => {
    for (const program of started) if (program.isAlive()) await program.stop('SIGKILL');
    const pid = databasePid();
    if (pid) process.kill(pid, 'SIGQUIT');
    await vi.waitUntil(() => databasePid() === null, { timeout: 30_000 });
    rmSync(dataDir, { recursive: true, force: true });
  });
  return {
    dataDir,
    databasePid,
    async start(env, args) {
      const program = await startProgram(dataDir, env, args);
      started.push(program);
      return program;
    },
  };
}

/** For tests that do not concern the embedded database, whose first start takes longer. Call it before newMachine. */
async function newDatabase(onTestFinished: TestContext['onTestFinished']): Promise<string> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return url;
}

function findDatabasePid(dataDir: string): number | null {
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  if (!existsSync(file)) return null;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return pid > 0 && existsSync(`/proc/${pid}`) ? pid : null;
}

function keyIn(screen: string): string {
  return /ph_[0-9a-z]{8}_[0-9a-z]{52}/.exec(screen)![0];
}

function tokenIn(screen: string): string {
  return /\/setup\?token=([0-9a-z]{52})/.exec(screen)![1]!;
}

test.concurrent(
  'the first start shows a key, a curl line that works when pasted and a link for the owner; later starts show none',
  async ({ expect, onTestFinished }) => {
    const { dataDir, databasePid, start } = newMachine(onTestFinished);
    const first = await start();
    await first.ready();
    await expect.poll(() => first.stdout()).toContain('Ctrl-C');
    const curl = /\(curl .*/.exec(first.stdout())![0];
    const { stdout } = await promisify(execFile)('bash', ['-c', curl]);
    expect(JSON.parse(stdout)).toMatchObject({ emailId: expect.stringMatching(/^eml_/) });
    const key = keyIn(first.stdout());
    const token = tokenIn(first.stdout());
    const owner = { token, name: 'Ada', email: 'ada@harbour.example', password: 'correct horse battery' };
    const made = await first.call()('POST', '/auth/setup', owner);
    expect(made.body).toMatchObject({ team: { id: 1 }, role: 'owner' });

    const { code, ms } = await first.stop('SIGTERM');
    expect(code).toBe(0);
    expect(ms).toBeLessThan(10_000);
    expect(databasePid()).toBeNull();

    const second = await start();
    await second.ready();
    await expect.poll(() => second.stdout()).toContain('Ctrl-C');
    expect(second.stdout()).not.toContain('ph_');
    expect(second.stdout()).not.toContain('token=');
    expect((await second.call(key)('GET', '/emails')).body).toMatchObject({
      items: [{ id: JSON.parse(stdout).emailId }],
    });
    expect(statSync(join(dataDir, 'secret')).mode & 0o777).toBe(0o600);
  },
);

test.concurrent(
  'the log has a line for each request, and never a key, a token, an address or a body',
  async ({ expect, onTestFinished }) => {
    const databaseUrl = await newDatabase(onTestFinished);
    const { start } = newMachine(onTestFinished);
    const key = 'L'.repeat(40);
    const program = await start({ DATABASE_URL: databaseUrl, BOOTSTRAP_API_KEY: key });
    await program.ready();
    const call = program.call(key);
    const { body: book } = await call('POST', '/contactBooks', { name: 'Secret Society' });
    await call(
      'POST',
      `/contactBooks/${book.id}/contacts`,
      { email: 'whistle@blower.example' },
      { 'x-request-id': 'req-1' },
    );
    await call('GET', `/contactBooks/${book.id}/contacts?search=blower`);
    const made = (await call('POST', '/api-keys', { name: 'New', permission: 'full' })).body.key;
    await call('POST', '/contactBooks', '{"name":"Secret Society",');
    await expect.poll(() => program.stdout()).toContain('Ctrl-C');
    const token = tokenIn(program.stdout());
    const person = { name: 'Ada', email: 'ada@harbour.example', password: 'correct horse battery' };
    const signedUp = await program.call()('POST', '/auth/setup', { token, ...person });
    const session = /ph_session=(\w+)/.exec(signedUp.headers.get('set-cookie')!)![1]!;
    const browser = { cookie: `ph_session=${session}`, origin: program.url };
    const totp = await program.call()('POST', '/auth/totp/start', person, browser);
    await program.call()('GET', `/auth/invitation?token=${token}`);
    await program.call()('POST', '/auth/sign-in', { ...person, code: 'seven-eight-nine' });
    await program.stop('SIGTERM');
    const lines = program
      .stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({
        requestId: 'req-1',
        method: 'POST',
        status: 200,
        route: '/v1/contactBooks/{contactBookId}/contacts',
      }),
    );
    const secrets = [
      key,
      made,
      'blower',
      'Secret Society',
      token,
      session,
      totp.body.secret,
      'seven-eight-nine',
    ];
    for (const secret of [...secrets, person.email, person.password])
      expect(program.stderr()).not.toContain(secret);
  },
);

test.concurrent(
  'after kill -9 of the server its database is taken over; after kill -9 of both all is there',
  async ({ expect, onTestFinished }) => {
    const { databasePid, start } = newMachine(onTestFinished);
    const env = { BOOTSTRAP_API_KEY: 'b'.repeat(40) };
    const first = await start(env);
    await first.ready();
    expect(first.stdout()).not.toContain('b'.repeat(40));
    await first.call(env.BOOTSTRAP_API_KEY)('POST', '/contactBooks', { name: 'Kept' });
    const pid = databasePid();
    await first.stop('SIGKILL');
    expect(databasePid()).toBe(pid);

    const second = await start(env);
    await second.ready();
    expect(databasePid()).toBe(pid);
    await second.call(env.BOOTSTRAP_API_KEY)('POST', '/contactBooks', { name: 'Kept too' });
    await second.stop('SIGKILL');
    process.kill(pid!, 'SIGKILL');

    const third = await start(env);
    await third.ready();
    const { body } = await third.call(env.BOOTSTRAP_API_KEY)('GET', '/contactBooks');
    expect(body.map((book: { name: string }) => book.name)).toEqual(['Kept too', 'Kept']);
  },
);

test.concurrent(
  'a signal to the whole group lets the running request finish, and then stops the database too',
  async ({ expect, onTestFinished }) => {
    const { databasePid, start } = newMachine(onTestFinished);
    const program = await start({ BOOTSTRAP_API_KEY: 'g'.repeat(40) });
    await program.ready();
    const call = program.call('g'.repeat(40));
    const { body: book } = await call('POST', '/contactBooks', { name: 'Draining' });
    const rows = Array.from({ length: 2_000 }, (_, at) => ({ email: `d${at}@example.com` }));
    const running = request(`${program.url}/api/v1/contactBooks/${book.id}/contacts/bulk`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${'g'.repeat(40)}`,
        'content-type': 'application/json',
        expect: '100-continue',
      },
    });
    running.flushHeaders();
    // The request has started and waits for its body.
    await once(running, 'continue');
    const ended = program.stop('SIGINT');
    process.kill(-program.process.pid!, 'SIGINT');
    running.end(JSON.stringify(rows));
    const [answer] = (await once(running, 'response')) as [IncomingMessage];
    expect(answer.resume().statusCode).toBe(200);
    expect((await ended).code).toBe(0);
    expect(databasePid()).toBeNull();
  },
);

// This test runs alone, because its clients keep the machine busy.
test('clients that come, go and reset while it stops change nothing of its exit', async ({
  expect,
  onTestFinished,
}) => {
  const databaseUrl = await newDatabase(onTestFinished);
  const { start } = newMachine(onTestFinished);
  const [smtpPort, submissionPort] = (await freePorts(2)) as [number, number];
  const program = await start({
    DATABASE_URL: databaseUrl,
    SMTP_PORT: String(smtpPort),
    SUBMISSION_PORT: String(submissionPort),
  });
  await program.ready();
  const ports = [smtpPort, submissionPort, Number(new URL(program.url).port)];
  async function pester(seed: number): Promise<void> {
    for (let at = seed; program.isAlive(); at += 1) {
      const socket = connect(ports[at % ports.length]!, '127.0.0.1');
      socket.on('error', () => {});
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
      if (at % 4 === 1) socket.write('EHLO rude.example\r\nSTARTTLS\r\n\x16\x03\x01');
      if (at % 4 === 2) socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
      // Some connections stay open until the stop.
      if (at % 4 === 3 && at < 200) continue;
      if (at % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
      if (!socket.closed) await once(socket, 'close');
    }
  }
  const pestering = [0, 1, 2, 3].map(pester);
  await program.ready();
  const { code, ms } = await program.stop('SIGTERM');
  await Promise.all(pestering);
  expect([code, program.stderr()]).toEqual([0, expect.not.stringContaining('unexpected error')]);
  expect(ms).toBeLessThan(10_000);
});

test.concurrent(
  'two processes that start together share one database, one team and one key; the last one out stops it',
  async ({ expect, onTestFinished }) => {
    const { databasePid, start } = newMachine(onTestFinished);
    const both = [await start(), await start({}, ['--doors', 'http,worker'])];
    await Promise.all(both.map((program) => program.ready()));
    await expect.poll(() => both.every((program) => program.stdout().includes('Ctrl-C'))).toBe(true);
    const keys = both.flatMap((program) => program.stdout().match(/ph_[0-9a-z]{8}_[0-9a-z]{52}/g) ?? []);
    const key = keys[0]!;
    expect(new Set(keys).size).toBe(1);
    for (const program of both) expect((await program.call(key)('GET', '/team')).body.id).toBe(1);
    await both[0]!.stop('SIGTERM');
    expect((await both[1]!.call(key)('GET', '/team')).status).toBe(200);
    await both[1]!.stop('SIGTERM');
    expect(databasePid()).toBeNull();
  },
);

test.concurrent(
  'a signal to npm alone stops the server and its database too',
  async ({ expect, onTestFinished }) => {
    const { dataDir, databasePid } = newMachine(onTestFinished);
    const [port, smtpPort, submissionPort] = await freePorts(3);
    const npm = spawn('npm', ['start'], {
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH,
        DATA_DIR: dataDir,
        PORT: String(port),
        SMTP_PORT: String(smtpPort),
        SUBMISSION_PORT: String(submissionPort),
      },
    });
    const isUp = async () =>
      (
        await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { connection: 'close' } }).catch(
          () => null,
        )
      )?.status === 200;
    await expect.poll(isUp, { timeout: 60_000, interval: 100 }).toBe(true);
    npm.kill('SIGTERM');
    await expect.poll(isUp).toBe(false);
    await expect.poll(databasePid).toBeNull();
  },
);

test.concurrent('with DATABASE_URL no database is started', async ({ expect, onTestFinished }) => {
  const { dataDir, start } = newMachine(onTestFinished);
  const database = await createTestDatabase('empty');
  const program = await start({ DATABASE_URL: database.url });
  await program.ready();
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
  expect((await program.stop('SIGTERM')).code).toBe(0);
  await database.drop();
});

test.skipIf(process.platform === 'win32').for([64, 40])(
  'where only %d files may be open, that is said, and not that a package is missing',
  (limit, { onTestFinished }) => {
    const { dataDir } = newMachine(onTestFinished);
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', `ulimit -n ${limit} && exec "$0" bin/posthorn.js serve`, process.execPath],
      { encoding: 'utf8', env: { PATH: process.env.PATH, DATA_DIR: dataDir } },
    );
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`open only ${limit} files and connections`),
    ]);
    expect(stderr).not.toContain('package');
  },
);

test('wrong settings stop the start with a list of everything wrong', ({ onTestFinished }) => {
  const { dataDir } = newMachine(onTestFinished);
  const result = spawnSync(process.execPath, ['bin/posthorn.js', 'serve'], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '99999',
      BASE_URL: 'mail.example.com',
      MAIL_TRANSPORT: 'pigeon',
      DNS_SERVERS: 'dns.example',
      BOOTSTRAP_API_KEY: 'short',
      DATABASE_URL: 'mysql://user:hunter2@host/db',
    },
  });
  expect(result.status).toBe(1);
  for (const name of [
    'PORT',
    'BASE_URL',
    'MAIL_TRANSPORT',
    'DNS_SERVERS',
    'BOOTSTRAP_API_KEY',
    'DATABASE_URL',
  ]) {
    expect(result.stderr).toMatch(new RegExp(`- ${name} must `));
  }
  expect(result.stderr).not.toContain('hunter2');
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
});
