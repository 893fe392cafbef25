import { expect, test } from 'vitest';
import { restOfLimit } from './work-limit.ts';

test('work that had a processor all the time has its limit as plain time', () => {
  expect(restOfLimit(10_000, { passedMs: 10_000, workedMs: 10_000 })).toBe(0);
  expect(restOfLimit(10_000, { passedMs: 12_000, workedMs: 11_000 })).toBe(0);
});

test('a process with several busy threads does not shorten the limit of one of them', () => {
  expect(restOfLimit(10_000, { passedMs: 6000, workedMs: 18_000 })).toBe(4000);
});

test('work that other programs kept waiting continues', () => {
  expect(restOfLimit(10_000, { passedMs: 10_000, workedMs: 2000 })).toBe(8000);
  expect(restOfLimit(10_000, { passedMs: 30_000, workedMs: 9990 })).toBe(100);
});

test('work that waits without using the processor ends', () => {
  expect(restOfLimit(10_000, { passedMs: 55_000, workedMs: 10 })).toBe(5000);
  expect(restOfLimit(10_000, { passedMs: 60_000, workedMs: 10 })).toBe(0);
});
