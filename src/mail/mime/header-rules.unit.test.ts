import { expect, test } from 'vitest';
import { isSafeHeader } from './header-rules.ts';

test.each([
  ['X-Campaign', '42'],
  ['X-Note', 'Grüße'],
  ['X-Empty', ''],
  ['X-Tab', 'a\tb'],
  ['List-Unsubscribe', '<https://example.com/u>'],
  ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
  ['list-id', 'News <news.example.com>'],
  ['References', '<1@x> <2@x>'],
  ['In-Reply-To', '<1@x>'],
  ['Precedence', 'bulk'],
  ['Feedback-ID', 'a:b:c:d'],
  ['Auto-Submitted', 'auto-generated'],
  ['Importance', 'high'],
  ['Contents', 'not Content-*'],
])('%s: %s is allowed', (name, value) => {
  expect(isSafeHeader(name, value)).toBe(true);
});

test.each([
  'From',
  'FROM',
  'To',
  'Cc',
  'bCC',
  'Subject',
  'Date',
  'Message-ID',
  'Message-Id',
  'MIME-Version',
  'Content-Type',
  'content-transfer-encoding',
  'Content-Anything',
  'DKIM-Signature',
  'Return-Path',
  'Received',
  'Sender',
  'Reply-To',
  'Resent-From',
  'ARC-Seal',
  'Authentication-Results',
  'Delivered-To',
  '',
  'X Y',
  'X:Y',
  'X-Ü',
  'X-A\r\nBcc',
  'X-A\n',
  ' X-A',
  'X-A ',
  'x'.repeat(77),
])('the name %j is refused', (name) => {
  expect(isSafeHeader(name, 'x')).toBe(false);
});

test.each([
  ['X-A', 'a\r\nBcc: b'],
  ['X-A', 'a\nb'],
  ['X-A', 'a\rb'],
  ['X-A', 'a\r\n folded'],
  ['X-A', 'a\0b'],
  ['X-A', 'a\u0085b'],
  ['X-A', 'a\u2028b'],
  ['X-A', 'a\u001bb'],
  ['X-A', 'a'.repeat(8001)],
  ['List-Unsubscribe', '<https://bücher.example/>'],
  ['References', '<ü@x>'],
])('%s: %j is refused', (name, value) => {
  expect(isSafeHeader(name, value)).toBe(false);
});
