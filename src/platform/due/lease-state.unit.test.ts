import { expect, test } from 'vitest';
import { beginClaim, countsFrom, endClaim, hasLapsed } from './lease-state.ts';

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

test('a renewal counts from the first claim that is still running, and else from its own beginning', () => {
  const now = { monotonicMs: 9_000, wallMs: 1_008_000 };
  const early = { monotonicMs: 2_000, wallMs: 1_001_000 };
  const late = { monotonicMs: 3_000, wallMs: 1_002_000 };
  const claiming = beginClaim(beginClaim({ renewedAt: START, claims: [] }, late), early);
  expect(countsFrom(claiming, now)).toBe(early);
  expect(countsFrom(endClaim(claiming, early), now)).toBe(late);
  expect(countsFrom(endClaim(endClaim(claiming, early), late), now)).toBe(now);
});
