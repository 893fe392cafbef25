import { expect, test } from 'vitest';
import { findDoubled, guessTargets, toMapping } from './column-mapping.ts';

test('columns are recognised by name, in any spelling', () => {
  expect(guessTargets(['E-Mail', 'first_name', 'Last Name', 'City', 'Created.At', ''])).toEqual([
    'email',
    'firstName',
    'lastName',
    'property',
    'skip',
    'skip',
  ]);
});

test('of two columns for one field, the first gets it', () => {
  expect(guessTargets(['mail', 'email', 'createdAt', 'created_at'])).toEqual([
    'email',
    'property',
    'skip',
    'skip',
  ]);
});

test('a mapping contains fields, properties and skipped columns', () => {
  const columns = ['mail', 'City', 'property:size', 'notes', ''];
  const targets = ['email', 'property', 'property', 'skip', 'skip'] as const;
  expect(JSON.parse(toMapping(columns, [...targets], ['city']))).toEqual({
    mail: 'email',
    City: 'property:city',
    'property:size': 'property:size',
    notes: null,
  });
});

test('a column with the exact name of a variable keeps it', () => {
  const mapping = toMapping(['City', 'city'], ['property', 'property'], ['city']);
  expect(JSON.parse(mapping)).toEqual({ City: 'property:City', city: 'property:city' });
});

test('two columns with the same name are reported, unless both are skipped', () => {
  expect(findDoubled(['a', 'b', 'a'], ['property', 'property', 'skip'])).toBe('a');
  expect(findDoubled(['a', 'b', 'a'], ['skip', 'property', 'skip'])).toBeUndefined();
  expect(findDoubled(['', ''], ['property', 'property'])).toBeUndefined();
});
