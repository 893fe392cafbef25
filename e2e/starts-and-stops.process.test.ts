import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { freePorts } from '../src/testing/servers/free-ports.ts';
import { newDatabase, newMachine, tokenIn } from './machine.ts';

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
