import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LONG_TESTS } from './test-tiers.ts';

test('every long test exists, and is covered by tests that exist and are not long', () => {
  const covers = Object.values(LONG_TESTS).flat();
  const missing = [...Object.keys(LONG_TESTS), ...covers].filter((path) => !existsSync(path));
  expect([...new Set(missing)]).toEqual([]);
  expect(covers.filter((path) => path in LONG_TESTS)).toEqual([]);
  expect(Object.entries(LONG_TESTS).filter(([, tests]) => tests.length === 0)).toEqual([]);
});
