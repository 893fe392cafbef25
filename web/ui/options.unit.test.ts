import { expect, test } from 'vitest';
import { findByStart, findOptions, type Options } from './options.ts';

const zones: Options = [
  ['Europe/Berlin', 'Europe/Berlin', 'UTC+1'],
  ['America/New_York', 'America/New York', 'UTC-5'],
  ['America/Sao_Paulo', 'America/São Paulo', 'UTC-3'],
  ['Africa/Algiers', 'Africa/Algiers', 'UTC+1'],
  ['UTC', 'UTC'],
];
const found = (typed: string) => findOptions(zones, typed).map(([value]) => value);

test('an option is found by any of its words, without case, accents and signs', () => {
  expect(found('berl')).toEqual(['Europe/Berlin']);
  expect(found('new york')).toEqual(['America/New_York']);
  expect(found('york AMERICA')).toEqual(['America/New_York']);
  expect(found('sao paulo')).toEqual(['America/Sao_Paulo']);
  expect(found('America/New_York')).toEqual(['America/New_York']);
  expect(found('utc+1')).toEqual(['Europe/Berlin', 'Africa/Algiers']);
  expect(found('')).toHaveLength(zones.length);
  expect(found('mars')).toEqual([]);
});

test('an option that begins with the text comes first', () => {
  expect(found('utc')[0]).toBe('UTC');
});

test('a letter goes to the next option that begins with it, and more letters stay with it', () => {
  expect(findByStart(zones, 'a', 0)).toBe(1);
  expect(findByStart(zones, 'a', 1)).toBe(2);
  expect(findByStart(zones, 'a', 3)).toBe(1);
  expect(findByStart(zones, 'af', 1)).toBe(3);
  expect(findByStart(zones, 'am', 2)).toBe(2);
  expect(findByStart(zones, 'x', 2)).toBe(2);
});
