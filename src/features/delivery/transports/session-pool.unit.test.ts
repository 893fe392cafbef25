import { afterEach, expect, test, vi } from 'vitest';
import { connectionFailure } from '../../../mail/smtp/failure.ts';
import { openTestSession } from '../../../testing/clients/smtp-session.ts';
import { startSmtpSink } from '../../../testing/smtp-sink.ts';
import { createSessionPool } from './session-pool.ts';
import type { WireMessage } from './transport.ts';

const MESSAGE: WireMessage = {
  teamId: 1,
  emailId: '00000000-0000-7000-8000-000000000000',
  recipientNo: 0,
  recipient: 'ada@example.org',
  recipientDomain: 'example.org',
  attempts: 0,
  isOfCampaign: false,
  pools: { transactional: null, campaign: null, automation: null },
  region: 'default',
  mailFrom: 'bounce@shop.test',
  chunks: [Buffer.from('Subject: x\r\n\r\nx\r\n')],
  smtpUtf8: false,
  tls: 'usual',
  dsn: null,
  isUrgent: false,
};

afterEach(() => vi.useRealTimers());

test('idle connections get QUIT, each after its own ten seconds', async () => {
  const sink = await startSmtpSink();
  const pool = createSessionPool(() => openTestSession(sink), 5);
  const countQuits = () => sink.commands.filter((line) => line === 'QUIT').length;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });

  await Promise.all([1, 2, 3].map(() => pool.send(MESSAGE, () => true)));
  expect(sink.connections.open).toBe(3);
  vi.advanceTimersByTime(6_000);
  await pool.send(MESSAGE, () => true);
  expect([sink.connections.total, countQuits()]).toEqual([3, 0]);

  vi.advanceTimersByTime(4_000);
  await expect.poll(() => [sink.connections.open, countQuits()]).toEqual([1, 2]);
  vi.advanceTimersByTime(6_000);
  await expect.poll(() => [sink.connections.open, countQuits()]).toEqual([0, 3]);
  await pool.close();
  await sink.close();
});

test('an error while opening a connection fails one message, and the next one is sent', async () => {
  const sink = await startSmtpSink();
  let calls = 0;
  const pool = createSessionPool(async () => {
    calls += 1;
    if (calls === 1) throw new Error('unexpected');
    if (calls === 2) return { session: null, failure: connectionFailure('connect', 'nobody there') };
    return openTestSession(sink);
  }, 1);
  await expect(pool.send(MESSAGE, () => true)).rejects.toThrow('unexpected');
  // The failed message no longer counts as busy, so this one does not wait for it.
  expect(await pool.send(MESSAGE, () => true)).toMatchObject({ outcome: 'deferred' });
  expect(pool.isIdle()).toBe(true);
  await pool.close();
  await sink.close();
});
