import { expect, test } from 'vitest';
import { readHeaders } from './raw-headers.ts';
import { readSummary } from './raw-summary.ts';

function read(header: string) {
  return readSummary(readHeaders(Buffer.from(`${header}\r\n\r\nbody`))!);
}

test.each([
  ['hello@shop.test', 'hello@shop.test'],
  ['<hello@shop.test>', 'hello@shop.test'],
  ['Hello@SHOP.test', 'Hello@SHOP.test'],
  ['"Shop, Inc." <hello@shop.test>', 'Shop, Inc. <hello@shop.test>'],
  ['=?utf-8?q?Caf=C3=A9?= <hello@shop.test>', 'Café <hello@shop.test>'],
  ['Very\r\n Long <hello@shop.test>', 'Very Long <hello@shop.test>'],
  ['hello@shop.test (Cron Daemon)', 'Cron Daemon <hello@shop.test>'],
])('the sender of "%s" is %s', (value, given) => {
  expect(read(`From: ${value}`).from).toMatchObject({ given, domain: 'shop.test' });
});

test.each([
  '',
  'hello',
  'a@shop.test, b@other.test',
  '<a@shop.test> <b@other.test>',
  'a@shop.test <b@other.test> (c)',
  'Team: a@shop.test;',
  'a@shop.test (b@other.test) <c@third.test>',
  '"a@shop.test',
  'a@shop.test\0@other.test',
])('a From of "%s" is rejected as ambiguous', (value) => {
  expect(read(`From: ${value}`).from).toBeNull();
});

test('recipients are listed decoded, and compared by key', () => {
  const summary = read(
    'From: a@shop.test\r\nTo: =?utf-8?q?Gr=C3=BC?= <X@Example.org>,\r\n y@example.org\r\nCc: Team: z@example.org;\r\nSubject: =?utf-8?q?=C3=A9?=\0x',
  );
  expect(summary).toMatchObject({
    to: ['Grü <X@Example.org>', 'y@example.org'],
    cc: ['z@example.org'],
    replyTo: [],
    subject: 'é x',
  });
  expect([...summary.namedKeys]).toEqual(['x@example.org', 'y@example.org', 'z@example.org']);
});
