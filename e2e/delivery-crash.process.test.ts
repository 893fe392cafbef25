import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../src/platform/database/database.ts';
import { startSmtpSink, type SmtpSink } from '../src/testing/smtp-sink.ts';
import { createTestDatabase, type TestDatabase } from '../src/testing/test-database.ts';
import type { Call } from '../src/testing/test-server.ts';
import { startProgram, type RunningProgram } from './running.ts';

const KEY = 'c'.repeat(40);
const EMAILS = 600;
/**
 * The maximum number of messages that may be between their first byte and their committed outcome when a process is
 * killed.
 */
const MOST_REPEATED = 50;

let database: TestDatabase;
let dataDir: string;
let sink: SmtpSink;
let program: RunningProgram;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'posthorn-crash-'));
  sink = await startSmtpSink();
});
afterAll(async () => {
  await program.stop('SIGTERM');
  await sink.close();
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(doors = 'http,smtp,worker'): Promise<Call> {
  const env = {
    DATABASE_URL: database.url,
    BOOTSTRAP_API_KEY: KEY,
    MAIL_TRANSPORT: 'relay',
    RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_HOST: 'mx.posthorn.example',
    LOG_LEVEL: 'error',
  };
  program = await startProgram(dataDir, env, ['--doors', doors]);
  await program.ready();
  return program.call(KEY);
}

/** Domains are verified by a worker, and no worker runs yet. */
async function createVerifiedDomain(call: Call, name: string): Promise<void> {
  await call('POST', '/domains', { name });
  const { db, close } = openDatabase(database.url, { connections: 1, onError: () => {} });
  await sql`update domains set held = true, status = 'SUCCESS'`.execute(db);
  await close();
}

function countByRecipient(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { recipients } of sink.messages)
    counts.set(recipients[0]!, (counts.get(recipients[0]!) ?? 0) + 1);
  return counts;
}

test('a process killed while sending loses no email and repeats only emails in transfer', async () => {
  // The emails are accepted while no process sends, so that the kills come in the middle of sending.
  let call = await start('http');
  await createVerifiedDomain(call, 'crash.example');
  for (let from = 0; from < EMAILS; from += 100) {
    const batch = Array.from({ length: 100 }, (_, at) => ({
      from: 'a@crash.example',
      to: `u${from + at}@example.org`,
      subject: 'Once',
      text: 'Once',
    }));
    expect((await call('POST', '/emails/batch', batch)).status).toBe(200);
  }
  await program.stop('SIGTERM');
  call = await start();
  for (const share of [0.2, 0.5]) {
    await expect
      .poll(() => sink.messages.length, { timeout: 30_000, interval: 5 })
      .toBeGreaterThan(EMAILS * share);
    await program.stop('SIGKILL');
    expect(sink.messages.length).toBeLessThan(EMAILS);
    call = await start();
  }
  await expect.poll(() => countByRecipient().size, { timeout: 60_000 }).toBe(EMAILS);
  await expect
    .poll(async () => (await call('GET', '/emails?status=QUEUED&limit=1')).body.items.length, {
      timeout: 30_000,
    })
    .toBe(0);
  const repeated = sink.messages.length - EMAILS;
  expect(repeated).toBeLessThanOrEqual(2 * MOST_REPEATED);
  const messageIds = new Set(
    sink.messages.map(({ data }) => /^Message-ID: (\S+)/im.exec(data.toString())![1]),
  );
  expect(messageIds.size).toBe(EMAILS);
}, 120_000);
