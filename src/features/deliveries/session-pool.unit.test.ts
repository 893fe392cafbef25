import { afterEach, expect, test, vi } from 'vitest';
import { brokenAt } from '../../mail/smtp-failure.ts';
import { openTestSession } from '../../testing/smtp-session.ts';
import { startSmtpSink } from '../../testing/smtp-sink.ts';
import { createSessionPool } from './session-pool.ts';
import type { Letter } from './transport.ts';

const LETTER: Letter = {
  teamId: 1,
  emailId: '00000000-0000-7000-8000-000000000000',
  recipient: 'ada@example.org',
  recipientDomain: 'example.org',
  region: 'default',
  mailFrom: 'bounce@shop.test',
  chunks: [Buffer.from('Subject: x\r\n\r\nx\r\n')],
  smtpUtf8: false,
  isUrgent: false,
};

afterEach(() => vi.useRealTimers());

test('connections that no letter takes get their goodbye, each after ten seconds of its own', async () => {
  const sink = await startSmtpSink();
  const pool = createSessionPool(() => openTestSession(sink), 5);
  const goodbyes = () => sink.commands.filter((line) => line === 'QUIT').length;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });

  await Promise.all([1, 2, 3].map(() => pool.send(LETTER, () => true)));
  expect(sink.connections.open).toBe(3);
  vi.advanceTimersByTime(6_000);
  await pool.send(LETTER, () => true);
  expect([sink.connections.total, goodbyes()]).toEqual([3, 0]);

  vi.advanceTimersByTime(4_000);
  await expect.poll(() => [sink.connections.open, goodbyes()], { timeout: 5_000 }).toEqual([1, 2]);
  vi.advanceTimersByTime(6_000);
  await expect.poll(() => [sink.connections.open, goodbyes()], { timeout: 5_000 }).toEqual([0, 3]);
  await pool.close();
  await sink.close();
});

test('an error while a connection is opened is the error of one letter, and the next one goes', async () => {
  const sink = await startSmtpSink();
  let calls = 0;
  const pool = createSessionPool(async () => {
    calls += 1;
    if (calls === 1) throw new Error('unexpected');
    if (calls === 2) return { session: null, failure: brokenAt('connect', 'nobody there') };
    return openTestSession(sink);
  }, 1);
  await expect(pool.send(LETTER, () => true)).rejects.toThrow('unexpected');
  // Nothing of the first is counted any more: this one is alone, and not left to wait for another.
  expect(await pool.send(LETTER, () => true)).toMatchObject({ outcome: 'deferred' });
  expect(pool.isIdle()).toBe(true);
  await pool.close();
  await sink.close();
});
