import { expect, test } from 'vitest';
import { bounceReason, type BounceReason } from './bounce-reason.ts';

const cases: [enhanced: string | null, text: string, reason: BounceReason][] = [
  ['5.1.1', 'No such user', 'unknown_address'],
  ['5.1.2', 'Bad destination system', 'unknown_domain'],
  ['5.2.1', 'Mailbox disabled', 'mailbox_disabled'],
  ['4.2.2', 'Over quota', 'mailbox_full'],
  ['5.3.4', 'Message too big', 'too_large'],
  ['5.7.1', 'Rejected by policy', 'blocked'],
  ['5.6.0', 'Bad content', 'content'],
  ['4.4.1', 'No answer from host', 'unreachable'],
  [null, 'The mailbox is full', 'mailbox_full'],
  [null, 'Listed on an RBL', 'blocked'],
  ['5.0.0', 'Transaction failed', 'other'],
];

test.each(cases)('a bounce with %s and "%s" is %s', (enhanced, text, reason) => {
  expect(bounceReason({ enhanced, text, isBadAddress: false, gaveUp: false })).toBe(reason);
});

test('words that say that an address is wrong count when there is no code', () => {
  const said = { enhanced: null, text: 'no such person', gaveUp: false };
  expect(bounceReason({ ...said, isBadAddress: true })).toBe('unknown_address');
});

test('a message whose retries ended without an answer could not be delivered to the server', () => {
  const said = { enhanced: null, text: 'Connection timed out', isBadAddress: false };
  expect(bounceReason({ ...said, gaveUp: true })).toBe('unreachable');
});
