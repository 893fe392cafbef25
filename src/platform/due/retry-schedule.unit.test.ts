import { expect, test } from 'vitest';
import { nextTryAt, type RetrySchedule } from './retry-schedule.ts';

const SCHEDULE: RetrySchedule = { waitsMs: [1_000, 10_000, 100_000], giveUpAfterMs: 1_000_000 };
const firstTriedAt = new Date('2026-11-10T09:00:00Z');

test.each([
  // Tries, ms since the first, the least wait, a random value, ms until the next.
  [1, 0, null, 0.5, 1_000],
  [2, 0, null, 0.5, 10_000],
  [3, 0, null, 0.5, 100_000],
  [9, 0, null, 0.5, 100_000],
  [1, 0, null, 0, 800],
  [1, 0, null, 1, 1_200],
  [1, 0, 5_000, 0.5, 5_000],
  [3, 0, 5_000, 0.5, 100_000],
  [3, 900_000, null, 0.5, 100_000],
  [3, 900_001, null, 0.5, null],
])(
  'after %i tries and %i ms (at least %s, random %d) the next try is in %s ms',
  (tries, sinceFirstMs, leastWaitMs, random, ms) => {
    const now = new Date(firstTriedAt.getTime() + sinceFirstMs);
    const next = nextTryAt(SCHEDULE, { tries, firstTriedAt, now, leastWaitMs, random: () => random });
    expect(next && next.getTime() - now.getTime()).toBe(ms);
  },
);
