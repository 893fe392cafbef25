import { expect, test } from 'vitest';
import { findDoubled, guessTargets, toMapping } from './column-mapping.ts';

test('columns are known by their names, however these are written', () => {
  expect(guessTargets(['E-Mail', 'first_name', 'Last Name', 'City', 'Created.At', ''])).toEqual([
    'email',
    'firstName',
    'lastName',
    'property',
    'skip',
    'skip',
  ]);
});

test('the first of two columns has the field', () => {
  expect(guessTargets(['mail', 'email', 'createdAt', 'created_at'])).toEqual([
    'email',
    'property',
    'skip',
    'skip',
  ]);
});

test('a mapping names fields, properties, and what is left out', () => {
  const columns = ['mail', 'City', 'property:size', 'notes', ''];
  const targets = ['email', 'property', 'property', 'skip', 'skip'] as const;
  expect(JSON.parse(toMapping(columns, [...targets], ['city']))).toEqual({
    mail: 'email',
    City: 'property:city',
    'property:size': 'property:size',
    notes: null,
  });
});

test('a variable of the book is not taken from the column that has its very name', () => {
  const mapping = toMapping(['City', 'city'], ['property', 'property'], ['city']);
  expect(JSON.parse(mapping)).toEqual({ City: 'property:City', city: 'property:city' });
});

test('two columns of one name are found, unless both are left out', () => {
  expect(findDoubled(['a', 'b', 'a'], ['property', 'property', 'skip'])).toBe('a');
  expect(findDoubled(['a', 'b', 'a'], ['skip', 'property', 'skip'])).toBeUndefined();
  expect(findDoubled(['', ''], ['property', 'property'])).toBeUndefined();
});
