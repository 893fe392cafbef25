import { expect, test } from 'vitest';
import { parseAddress, parseMailbox } from './address.ts';

test.each([
  ['ada@example.com', 'ada@example.com'],
  ['  Ada.Lovelace+news@Example.COM ', 'ada.lovelace+news@example.com'],
  ["o'brien@example.ie", "o'brien@example.ie"],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
  ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
  ['用户@例え.テスト', '用户@xn--r8jz45g.xn--zckzah'],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
])('%s is an address', (text, key) => {
  expect(parseAddress(text)?.key).toBe(key);
});

test.each([
  '',
  'ada',
  '@example.com',
  'ada@',
  'ada@localhost',
  'ada@example',
  'ada@@example.com',
  'ada@example..com',
  'ada@.example.com',
  'ada@example.com.',
  'ada@-example.com',
  'ada@exam_ple.com',
  'ada@127.0.0.1',
  'ada@[127.0.0.1]',
  'ada@example.com/x',
  'ada@example.com?x',
  'ada@example.com#x',
  'ada@example.com\\x',
  'ada@exam%70le.com',
  '.ada@example.com',
  'ada.@example.com',
  'a..da@example.com',
  'a da@example.com',
  'ada@exa mple.com',
  'ada\u0000@example.com',
  'ada\u202e@example.com',
  'ada\r\nBcc: eve@example.com',
  '"ada"@example.com',
  'Ada <ada@example.com>',
  `${'a'.repeat(65)}@example.com`,
  `ada@${'a'.repeat(64)}.com`,
  `${'a'.repeat(60)}@${'b.'.repeat(97)}com`,
])('%j is not an address', (text) => {
  expect(parseAddress(text)).toBeNull();
});

test.each([
  ['ada@example.com', null, 'ada@example.com'],
  ['Ada <ada@example.com>', 'Ada', 'ada@example.com'],
  ['"Lovelace, Ada" <ada@example.com>', 'Lovelace, Ada', 'ada@example.com'],
  ['"The \\"Countess\\"" <ada@example.com>', 'The "Countess"', 'ada@example.com'],
  ['<ada@example.com>', null, 'ada@example.com'],
  ['Grüße 📯 <ada@example.com>', 'Grüße 📯', 'ada@example.com'],
])('%s is a mailbox', (text, name, email) => {
  expect(parseMailbox(text)).toMatchObject({ name, email });
});

test.each([
  'Ada',
  'Ada <ada>',
  'Ada <ada@example.com',
  'A\r\nB <ada@example.com>',
  'A\nBcc: x <ada@example.com>',
  'a@b.com <c@d.com> <e@f.com>',
])('%j is not a mailbox', (text) => {
  expect(parseMailbox(text)).toBeNull();
});
