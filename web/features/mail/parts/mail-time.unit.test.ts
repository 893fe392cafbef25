import { expect, test } from 'vitest';
import { countDown, shortTime } from './mail-time.ts';

const NOW = new Date(2026, 10, 5, 12, 30);

test.each([
  ['today', new Date(2026, 10, 5, 9, 5), '09:05'],
  ['this year', new Date(2026, 0, 31, 9, 5), '31 Jan'],
  ['another year', new Date(2025, 10, 5, 12, 30), '5 Nov 2025'],
])('a time of %s', (_when, at, expected) => {
  expect(shortTime(at.toISOString(), NOW)).toBe(expected);
});

test.each([
  [-1, '0 s'],
  [1, '1 s'],
  [59_000, '59 s'],
  [59_001, '1:00 min'],
  [65_000, '1:05 min'],
  [3_599_000, '59:59 min'],
  [3_600_000, '1:00:00 h'],
  [7_265_000, '2:01:05 h'],
])('%d ms are shown as %s', (ms, expected) => {
  expect(countDown(ms)).toBe(expected);
});
