import { expect, test } from 'vitest';
import { nextAttemptAt } from './retry.ts';

const MINUTE_MS = 60_000;
const firstTriedAt = new Date('2026-11-10T09:00:00Z');

test.each([
  // Attempts made, minutes since the first, random value, minutes until the next.
  [1, 0, 0.5, 1],
  [2, 1, 0.5, 5],
  [3, 6, 0.5, 15],
  [4, 21, 0.5, 30],
  [5, 51, 0.5, 60],
  [6, 111, 0.5, 120],
  [7, 231, 0.5, 240],
  [8, 471, 0.5, 240],
  [30, 5_500, 0.5, 240],
  [1, 0, 0, 0.8],
  [1, 0, 1, 1.2],
  [9, 600, 0, 192],
  [9, 600, 1, 288],
  [0, 0, 0.5, 1],
  // The last retry within four days, and the first beyond.
  [30, 4 * 24 * 60 - 240, 0.5, 240],
  [30, 4 * 24 * 60 - 239, 0.5, null],
  [30, 4 * 24 * 60, 0, null],
  [1, 30 * 24 * 60, 0.5, null],
])(
  'after attempt %i at minute %i (random %d) the next is in %s minutes',
  (attempt, sinceFirst, random, minutes) => {
    const now = new Date(firstTriedAt.getTime() + sinceFirst * MINUTE_MS);
    const next = nextAttemptAt({ attempt, firstTriedAt, now, random: () => random });
    expect(next && (next.getTime() - now.getTime()) / MINUTE_MS).toBe(minutes);
  },
);

test.each([0, 0.25, 0.5, 0.75, 0.999])('a message is retried for about four days (random %d)', (random) => {
  let now = firstTriedAt;
  let attempt = 1;
  for (
    let next: Date | null = now;
    next;
    next = nextAttemptAt({ attempt, firstTriedAt, now, random: () => random })
  ) {
    now = next;
    attempt += 1;
  }
  const days = (now.getTime() - firstTriedAt.getTime()) / (24 * 60 * MINUTE_MS);
  expect(days).toBeGreaterThan(3.75);
  expect(days).toBeLessThanOrEqual(4);
  expect(attempt).toBeGreaterThan(24);
  expect(attempt).toBeLessThan(40);
});
