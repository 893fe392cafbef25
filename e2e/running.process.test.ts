import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../src/testing/test-database.ts';
import { keyIn, newMachine, tokenIn } from './machine.ts';

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

test.concurrent('with DATABASE_URL no database is started', async ({ expect, onTestFinished }) => {
  const { dataDir, start } = newMachine(onTestFinished);
  const database = await createTestDatabase('empty');
  const program = await start({ DATABASE_URL: database.url });
  await program.ready();
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
  expect((await program.stop('SIGTERM')).code).toBe(0);
  await database.drop();
});

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
