import { addressParser } from 'postal-mime';
import { expect, test } from 'vitest';
import { toUtf8Words } from './encoded-words.ts';
import { parseAddressList } from './parse-address-list.ts';

test.each([
  ['ada@example.com', 'ada@example.com', ''],
  ['"Lovelace, Ada" <ada@example.com>', 'ada@example.com', 'Lovelace, Ada'],
  ['"Ada \\"Q\\" Lovelace" <ada@example.com>', 'ada@example.com', 'Ada "Q" Lovelace'],
  ['ada@example.com (Ada)', 'ada@example.com', 'Ada'],
  ['ada@example.com (Ada (of London), \\) and more)', 'ada@example.com', 'Ada (of London), ) and more'],
  ['Pete(A \\) chap) <pete(his (own) account)@example.com>', 'pete(his (own) account)@example.com', 'Pete'],
  ['(Empty list)(start)Hidden recipients:(nobody(that I know));, ada@example.com', 'ada@example.com', ''],
  ['ada@example.com (Ada', 'ada@example.com', 'Ada'],
  ['Ada ada@example.com', 'ada@example.com', 'Ada'],
  ['=?utf-8?Q?J=C3=B6rg?= <j@example.com>', 'j@example.com', 'Jörg'],
  ['"boss@example.com" <mallory@example.net>', 'mallory@example.net', 'boss@example.com'],
  ['Friends: "; " <ada@example.com>;', 'ada@example.com', ';'],
])('%s is one address', (text, address, name) => {
  expect(parseAddressList(toUtf8Words(text)).filter((each) => each.address !== '')).toEqual([
    { name, address },
  ]);
});

test('lists and groups give the addresses in their order', () => {
  const list =
    'Mary <mary@x.test>, Friends: a@b.test, "x" <d@e.test>; jdoe@example.org; undisclosed-recipients:;';
  expect(addressesIn(list).map(addressOf)).toEqual([
    'mary@x.test',
    'a@b.test',
    'd@e.test',
    'jdoe@example.org',
  ]);
});

test('any list gives the addresses that postal-mime finds in it', () => {
  const pieces = [
    'a',
    'b@c.test',
    '@',
    ' ',
    ' ',
    ',',
    ';',
    '"',
    '"',
    '(',
    ')',
    '<',
    '>',
    '\\',
    'Ada',
    '.',
    '\n',
    '\u0001',
  ];
  let seed = 1;
  function random(limit: number): number {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  }
  for (let count = 0; count < 2_000; count += 1) {
    const list = Array.from({ length: 1 + random(12) }, () => pieces[random(pieces.length)]).join('');
    const expected = addressParser(list, { flatten: true }).filter(({ address }) => address?.includes('@'));
    expect([list, ...addressesIn(list).map(addressOf)]).toEqual([list, ...expected.map(addressOf)]);
  }
});

function addressOf({ address }: { address?: string | undefined }): string | undefined {
  return address;
}

function addressesIn(list: string) {
  return parseAddressList(list).filter(({ address }) => address.includes('@'));
}
