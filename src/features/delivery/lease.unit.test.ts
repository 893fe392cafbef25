import { expect, test } from 'vitest';
import { hasLapsed } from './lease.ts';

const START = { monotonicMs: 1_000, wallMs: 1_000_000 };

function lapsedAfter(monotonicMs: number, wallMs: number): boolean {
  return hasLapsed(START, {
    monotonicMs: START.monotonicMs + monotonicMs,
    wallMs: START.wallMs + wallMs,
  });
}

test('a lease of 20 s counts as lapsed 3 s before its end', () => {
  expect(lapsedAfter(16_999, 16_999)).toBe(false);
  expect(lapsedAfter(17_000, 17_000)).toBe(true);
});

test('the clock that shows more elapsed time counts: one stops during sleep, the other can be set back', () => {
  expect(lapsedAfter(100, 17_000)).toBe(true);
  expect(lapsedAfter(17_000, -60_000)).toBe(true);
});
