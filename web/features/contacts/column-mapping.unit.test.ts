import { expect, test } from 'vitest';
import { findDoubled, findDoubledProperty, guessTargets, toMapping } from './column-mapping.ts';

test('columns are recognised by name, in any spelling', () => {
  expect(guessTargets(['E-Mail', 'first_name', 'Last Name', 'City', 'createdAt', ''])).toEqual([
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
    'property',
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

test('columns that say who left are recognised, by their values too', () => {
  const columns = ['email', 'Opted out?', 'Status', 'UNSUB_TIME', 'Subscription status'];
  const rows = [
    ['a@example.com', 'yes', 'Gold', '', 'cleaned'],
    ['b@example.com', 'no', 'Silver', '2024-01-10', ''],
  ];
  expect(guessTargets(columns, rows)).toEqual([
    'email',
    'unsubscribed',
    'property',
    'unsubscribed',
    'status',
  ]);
});

test('two columns that differ only in case are one property', () => {
  expect(findDoubledProperty(['City', 'city'], ['property', 'property'])).toBe('city');
  expect(findDoubledProperty(['City', 'city'], ['property', 'skip'])).toBeUndefined();
});

test('a column becomes a variable that merge tags can name', () => {
  const mapping = toMapping(['Sign-up date', 'CITY'], ['property', 'property'], ['city']);
  expect(JSON.parse(mapping)).toEqual({ 'Sign-up date': 'property:Sign_up_date', CITY: 'property:city' });
});

test('two columns with the same name are reported, unless both are skipped', () => {
  expect(findDoubled(['a', 'b', 'a'], ['property', 'property', 'skip'])).toBe('a');
  expect(findDoubled(['a', 'b', 'a'], ['skip', 'property', 'skip'])).toBeUndefined();
  expect(findDoubled(['', ''], ['property', 'property'])).toBeUndefined();
});
