import { expect, test } from 'vitest';
import { nextCallAt, readRetryAfter } from './retry.ts';

const firstTriedAt = new Date('2026-11-10T09:00:00Z');
const HOURS = 3_600;

test.each([
  // attempts made, seconds since the first, Retry-After in seconds, random, seconds until the next
  [1, 0, null, 0.5, 5],
  [2, 5, null, 0.5, 30],
  [3, 35, null, 0.5, 120],
  [4, 155, null, 0.5, 600],
  [5, 755, null, 0.5, 1_800],
  [6, 2_555, null, 0.5, 3_600],
  [7, 6_155, null, 0.5, 7_200],
  [8, 13_355, null, 0.5, 14_400],
  [9, 27_755, null, 0.5, 28_800],
  [10, 56_555, null, 0.5, 28_800],
  [1, 0, null, 0, 4],
  [1, 0, null, 1, 6],
  [0, 0, null, 0.5, 5],
  [1, 0, 60, 0.5, 60],
  [4, 155, 60, 0.5, 600],
  // the last attempt within three days, and the first after them
  [15, 72 * HOURS - 28_800, null, 0.5, 28_800],
  [15, 72 * HOURS - 28_799, null, 0.5, null],
  [1, 80 * HOURS, null, 0.5, null],
])(
  'after attempt %i at second %i (Retry-After %s, random %d) the next is in %s seconds',
  (attempt, sinceFirst, retryAfter, random, seconds) => {
    const now = new Date(firstTriedAt.getTime() + sinceFirst * 1000);
    const retryAfterMs = retryAfter === null ? null : retryAfter * 1000;
    const next = nextCallAt({ attempt, firstTriedAt, now, retryAfterMs, random: () => random });
    expect(next && (next.getTime() - now.getTime()) / 1000).toBe(seconds);
  },
);

test.each([0, 0.25, 0.5, 0.75, 0.999])('a call is retried for about three days (random %d)', (random) => {
  let now = firstTriedAt;
  let attempt = 0;
  for (let next: Date | null = now; next; attempt += 1) {
    now = next;
    next = nextCallAt({ attempt: attempt + 1, firstTriedAt, now, retryAfterMs: null, random: () => random });
  }
  expect(now.getTime() - firstTriedAt.getTime()).toBeGreaterThan(60 * HOURS * 1000);
  expect(now.getTime() - firstTriedAt.getTime()).toBeLessThanOrEqual(72 * HOURS * 1000);
  expect(attempt).toBeGreaterThan(12);
  expect(attempt).toBeLessThan(22);
});

test.each([
  [undefined, null],
  ['', null],
  ['soon', null],
  ['-5', null],
  ['0', 0],
  ['120', 120_000],
  ['99999999999999999999', 6 * HOURS * 1000],
  ['Tue, 10 Nov 2026 09:00:30 GMT', 30_000],
  ['Tue, 10 Nov 2020 09:00:30 GMT', 0],
])('a Retry-After of %s means %s ms', (header, ms) => {
  expect(readRetryAfter(header, firstTriedAt)).toBe(ms);
});
