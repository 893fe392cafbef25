/** The mail log as an operator reads it: JSON lines on standard error. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from '../src/testing/servers/free-ports.ts';
import { createTestDatabase, type TestDatabase } from '../src/testing/test-database.ts';
import { startProgram, type RunningProgram } from './running.ts';

const KEY = 'a-key-for-the-first-team-of-this-instance';
let database: TestDatabase;
let dataDir: string;
let program: RunningProgram;
let smtpPort: number;
let submissionPort: number;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'posthorn-e2e-'));
  [smtpPort, submissionPort] = (await freePorts(2)) as [number, number];
  database = await createTestDatabase();
  program = await startProgram(dataDir, {
    DATABASE_URL: database.url,
    BOOTSTRAP_API_KEY: KEY,
    SMTP_PORT: String(smtpPort),
    SUBMISSION_PORT: String(submissionPort),
  });
  await program.ready();
});
afterAll(async () => {
  await program.stop('SIGTERM');
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

function lines(message: string): Record<string, unknown>[] {
  return program
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === message);
}

function send(port: number, to: string, auth?: { user: string; pass: string }) {
  const options = { host: '127.0.0.1', port, ignoreTLS: true, ...(auth ? { auth } : {}) };
  const message = { from: 'charles@shop.test', to, subject: 'Hello', text: 'Hi' };
  return nodemailer.createTransport(options).sendMail(message);
}

test('attempts, messages and logins are logged with outcome and client address', async () => {
  const call = program.call(KEY);
  const { body: domain } = await call('POST', '/domains', { name: 'shop.test' });
  await call('PUT', `/domains/${domain.id}/verify`);
  await expect.poll(async () => (await call('GET', `/domains/${domain.id}`)).body.status).toBe('SUCCESS');
  await call('POST', '/mailboxes', { address: 'desk@shop.test', name: 'Desk' });

  const { body: email } = await call('POST', '/emails', {
    from: 'hello@shop.test',
    to: 'ada@example.org',
    subject: 'Secret subject',
    text: 'Hi',
  });
  await send(smtpPort, 'desk@shop.test');
  await expect(send(smtpPort, 'nobody@shop.test')).rejects.toMatchObject({ responseCode: 550 });
  const wrong = { user: 'mallory', pass: 'wrong-password' };
  await expect(send(submissionPort, 'ada@example.org', wrong)).rejects.toMatchObject({ responseCode: 535 });
  await send(submissionPort, 'ada@example.org', { user: 'shop', pass: KEY });

  await expect.poll(() => lines('mail: attempt')).toHaveLength(2);
  const attempts = lines('mail: attempt');
  expect(attempts.find(({ emailId }) => emailId === email.emailId)).toMatchObject({
    level: 30,
    teamId: 1,
    domain: 'example.org',
    host: null,
    attempt: 1,
    outcome: 'delivered',
    reply: expect.stringMatching(/^250 /),
    ms: expect.any(Number),
  });
  await expect
    .poll(() =>
      lines('mail: accepted')
        .map(({ port }) => port)
        .toSorted(),
    )
    .toEqual(['inbound', 'submission']);
  expect(lines('mail: accepted').find(({ port }) => port === 'inbound')).toMatchObject({
    ip: '127.0.0.1',
    from: 'charles@shop.test',
    to: ['desk@shop.test'],
    bytes: expect.any(Number),
    reply: expect.stringMatching(/^Stored as /),
  });
  expect(lines('mail: refused')).toEqual([
    expect.objectContaining({
      port: 'inbound',
      ip: '127.0.0.1',
      command: 'RcptTo',
      address: 'nobody@shop.test',
      reply: expect.stringMatching(/^550 5\.1\.1 /),
    }),
  ]);
  expect(lines('smtp: login failed')).toEqual([
    expect.objectContaining({ level: 40, port: 'submission', ip: '127.0.0.1', user: 'mallory' }),
  ]);
  expect(lines('smtp: login')).toEqual([expect.objectContaining({ ip: '127.0.0.1', user: 'shop' })]);
  await program.call('wrong-key')('GET', '/domains');
  await expect
    .poll(() => lines('request').filter(({ status }) => status === 401))
    .toEqual([expect.objectContaining({ route: '/v1/domains', ip: '127.0.0.1' })]);
  for (const secret of ['wrong-password', 'Secret subject', 'ada@example.org"'])
    expect(JSON.stringify([...attempts, ...lines('smtp: login failed')])).not.toContain(secret);
});
