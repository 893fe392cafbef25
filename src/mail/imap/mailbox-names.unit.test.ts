import { expect, test } from 'vitest';
import { decodeKeyword, decodeMailboxName, encodeKeyword, encodeMailboxName } from './mailbox-names.ts';

test.each([
  ['INBOX', 'INBOX'],
  ['Prüfung/Innen', 'Pr&APw-fung/Innen'],
  ['台北', '&U,BTFw-'],
  ['a & b', 'a &- b'],
  ['📯', '&2D3c7w-'],
])('%s is %s on the wire', (name, wire) => {
  expect(encodeMailboxName(name, false)).toBe(wire);
  expect(decodeMailboxName(wire, false)).toBe(name);
});

test.each(['&', '&AB', '&AB-', '&2D0-', '&!-', 'a&b'])('%s is not valid', (wire) => {
  expect(decodeMailboxName(wire, false)).toBeNull();
});

test('UTF-8 is understood before and after it is enabled', () => {
  const bytes = Buffer.from('Prüfung').toString('latin1');
  for (const isUtf8 of [true, false]) expect(decodeMailboxName(bytes, isUtf8)).toBe('Prüfung');
  expect(encodeMailboxName('Prüfung', true)).toBe(bytes);
  expect(decodeMailboxName('\xff', true)).toBeNull();
});

test.each(['$Forwarded', 'My label', 'Büro', 'a&b', '(x)', '100%', 'a\\b"c'])(
  'the label %s is a keyword',
  (label) => {
    expect(encodeKeyword(label)).toMatch(/^[!#$&'+,./0-9:;<=>?@A-Z[^_`a-z|}~-]+$/);
    expect(decodeKeyword(encodeKeyword(label))).toBe(label);
  },
);
