import { expect, test } from 'vitest';
import {
  domainOf,
  isAddress,
  keyOf,
  listNames,
  nameOf,
  readPerson,
  splitPeople,
  writePerson,
} from './people.ts';

test.each([
  ['ada@example.org', null, 'ada@example.org'],
  ['Ada Lovelace <ada@example.org>', 'Ada Lovelace', 'ada@example.org'],
  ['<ada@example.org>', null, 'ada@example.org'],
  ['"Lovelace, Ada" <ada@example.org>', 'Lovelace, Ada', 'ada@example.org'],
  ['"Ada \\"the Countess\\"" <ada@example.org>', 'Ada "the Countess"', 'ada@example.org'],
  ['"A <b>" <ada@example.org>', 'A <b>', 'ada@example.org'],
  ['A <b> <ada@example.org>', null, 'A <b> <ada@example.org>'],
  ['  Ada  ', null, 'Ada'],
])('%j is read', (text, name, address) => {
  expect(readPerson(text)).toEqual({ name, address });
});

test.each(['Ada Lovelace <ada@example.org>', '"Lovelace, Ada" <ada@example.org>', 'ada@example.org'])(
  '%j is written as it was read',
  (text) => {
    expect(writePerson(readPerson(text))).toBe(text);
  },
);

test('a list names up to three people, and nobody without a name and an address', () => {
  expect(listNames([])).toBe('');
  expect(listNames(['', '<>'])).toBe('');
  expect(listNames(['Ada Lovelace <ada@example.org>', 'grace@example.org'])).toBe(
    'Ada Lovelace, grace@example.org',
  );
  expect(listNames(['Ada L <a@x.example>', 'Bo B <b@x.example>', 'Cy C <c@x.example>', 'd@x.example'])).toBe(
    'Ada, Bo, Cy …',
  );
});

test('people are compared by address, ignoring case', () => {
  expect(keyOf('Ada <Ada@Example.ORG>')).toBe('ada@example.org');
  expect(domainOf('Ada <Ada@Example.ORG>')).toBe('example.org');
  expect([nameOf('Ada <ada@example.org>'), nameOf('ada@example.org')]).toEqual(['Ada', 'ada@example.org']);
});

test.each([
  ['a@example.org, b@example.org; c@example.org\nd@example.org', ['a', 'b', 'c', 'd']],
  ['a@example.org,, ;b@example.org,', ['a', 'b']],
])('the list %j is split', (text, locals) => {
  expect(splitPeople(text)).toEqual(locals.map((local) => `${local}@example.org`));
});

test('a comma inside a name does not split the list', () => {
  expect(splitPeople('"Shelley, Mary" <mary@example.org>, ada@example.org')).toEqual([
    '"Shelley, Mary" <mary@example.org>',
    'ada@example.org',
  ]);
  expect(splitPeople('Shelley, Mary <mary@example.org>')).toEqual(['"Shelley, Mary" <mary@example.org>']);
});

test('an unclosed quote does not join addresses', () => {
  expect(splitPeople('"ada@example.org, mary@example.org')).toEqual(['"ada@example.org', 'mary@example.org']);
});

test.each([
  ['ada@example.org', true],
  ['Ada <ada@example.org>', true],
  ['ada', false],
  ['ada@example', false],
  ['ada@.org', false],
  ['ada@example.', false],
  ['a da@example.org', false],
])('%j may be an address: %j', (text, expected) => {
  expect(isAddress(text)).toBe(expected);
});
