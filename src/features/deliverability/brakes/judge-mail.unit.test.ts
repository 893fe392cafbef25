import { expect, test } from 'vitest';
import { judgeMail, sinceRelease } from './judge-mail.ts';

const day = { window: 'day', campaignId: null } as const;
const judge = (delivered: number, hardBounced: number, complained = 0) =>
  judgeMail([{ ...day, delivered, hardBounced, complained }])?.status ?? null;

test.each([
  [380, 20, 0, 'ON'],
  [381, 19, 0, 'WARNING'],
  [400, 20, 0, 'WARNING'],
  [98, 2, 0, null],
  [147, 3, 0, 'WARNING'],
  [10_000, 199, 0, null],
  [6_666, 0, 20, 'ON'],
  [6_667, 0, 20, 'WARNING'],
  [3_000, 0, 3, 'WARNING'],
  [3_001, 0, 3, null],
  [0, 0, 0, null],
  [-3, 25, 0, 'ON'],
])('%i delivered, %i hard bounces and %i complaints: %s', (delivered, bounced, complained, expected) => {
  expect(judge(delivered, bounced, complained)).toBe(expected);
});

test('any window can put the brake on, and a brake comes before a warning', () => {
  const calm = { ...day, delivered: 10_000, hardBounced: 300, complained: 0 };
  const bad = {
    window: 'last_delivered',
    campaignId: 'c',
    delivered: 900,
    hardBounced: 60,
    complained: 0,
  } as const;
  expect(judgeMail([calm, bad])).toEqual({
    status: 'ON',
    cause: { measure: 'hard_bounces', window: 'last_delivered', campaignId: 'c', cases: 60, outOf: 960 },
  });
});

test('after a release only what was sent since counts', () => {
  const baseline = { delivered: 500, hardBounced: 60, complained: 4 };
  expect(sinceRelease({ delivered: 600, hardBounced: 80, complained: 4 }, baseline)).toEqual([
    { window: 'since_release', campaignId: null, delivered: 100, hardBounced: 20, complained: 0 },
  ]);
  expect(sinceRelease({ delivered: 600, hardBounced: 80, complained: 4 }, null)).toEqual([]);
});
