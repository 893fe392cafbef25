import { expect, test } from 'vitest';
import { findCopied, findMissing } from './compare-texts.ts';

const english = {
  save: 'Save it',
  list: { none: 'No rows', count: (n: number) => `${n}` },
  status: 'Status',
};

test('a text that is missing, of another kind or only in the translation is named with its place', () => {
  expect(
    findMissing(english, { save: 'Sichern', list: { none: 'Leer', count: () => '' }, status: 'Status' }),
  ).toEqual([]);
  expect(findMissing(english, { save: 'Sichern', list: { none: 'Leer', count: '' }, more: 'x' })).toEqual([
    'list.count',
    'status',
    'more',
  ]);
});

test('a sentence that was not translated is found, a word that is the same in both languages is not', () => {
  expect(findCopied(english, { ...english, save: 'Sichern' })).toEqual(['No rows']);
});
