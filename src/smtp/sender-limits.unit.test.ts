import type { SMTPServerSession } from 'smtp-server';
import { expect, test } from 'vitest';
import { createSenderLimits } from './sender-limits.ts';

const MOST = { connectionsPerIp: 5, messagesPerIp: 10, messagesPerMailbox: 20 };

function session(remoteAddress: string, id: string): SMTPServerSession {
  return { remoteAddress, id } as SMTPServerSession;
}

test('the limit of connections is per address', () => {
  const limits = createSenderLimits(MOST);
  for (let at = 0; at < 5; at += 1) expect(limits.connect(session('192.0.2.1', `${at}`))).toBe(true);
  expect(limits.connect(session('192.0.2.1', 'more'))).toBe(false);
  expect(limits.connect(session('2001:db8::1', 'other'))).toBe(true);
  limits.disconnect(session('192.0.2.1', '3'));
  expect(limits.connect(session('192.0.2.1', 'again'))).toBe(true);
});

test('a session that ends before it has an address, or ends twice, is not subtracted again', () => {
  const limits = createSenderLimits(MOST);
  for (let at = 0; at < 5; at += 1) expect(limits.connect(session('192.0.2.1', `${at}`))).toBe(true);
  limits.disconnect({ id: 'closed at once' });
  limits.disconnect({ id: '0' });
  limits.disconnect({ id: '0' });
  expect(limits.connect(session('192.0.2.1', 'again'))).toBe(true);
  expect(limits.connect(session('192.0.2.1', 'more'))).toBe(false);
});

test('the addresses of one IPv6 network count together', () => {
  const limits = createSenderLimits(MOST);
  for (let at = 0; at < 5; at += 1) expect(limits.connect(session(`2001:db8::${at}`, `${at}`))).toBe(true);
  expect(limits.connect(session('2001:db8:0:0:ffff::1', 'more'))).toBe(false);
  expect(limits.connect(session('2001:db8:0:1::1', 'other network'))).toBe(true);
  limits.disconnect(session('2001:db8::3', '3'));
  expect(limits.connect(session('2001:db8::77', 'again'))).toBe(true);
  for (let at = 0; at < 10; at += 1) expect(limits.allowMessage(`2001:db8::${at}`)).toBe(true);
  expect(limits.allowMessage('2001:db8::77')).toBe(false);
});

test('messages are counted per minute', () => {
  let now = 0;
  const limits = createSenderLimits(MOST, () => now);
  for (let at = 0; at < 10; at += 1) expect(limits.allowMessage('192.0.2.1')).toBe(true);
  expect(limits.allowMessage('192.0.2.1')).toBe(false);
  expect(limits.allowMessage('192.0.2.2')).toBe(true);
  for (let at = 0; at < 20; at += 1) expect(limits.allowMessage(`192.0.2.${at}`, 'mailbox')).toBe(true);
  expect(limits.allowMessage('192.0.2.1', 'mailbox')).toBe(false);
  now = 60_001;
  expect(limits.allowMessage('192.0.2.1')).toBe(true);
});

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('%s has no limit', (ip) => {
  const limits = createSenderLimits(MOST);
  for (let at = 0; at < 30; at += 1) expect(limits.allowMessage(ip, 'mailbox')).toBe(true);
  for (let at = 0; at < 60; at += 1) expect(limits.connect(session(ip, `${at}`))).toBe(true);
});
