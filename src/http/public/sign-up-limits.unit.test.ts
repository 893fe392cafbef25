import { expect, test } from 'vitest';
import { createSignUpLimits } from './sign-up-limits.ts';

test('a network that has opened the page may sign up more often, and again after ten minutes', () => {
  let nowMs = 0;
  const limits = createSignUpLimits(() => nowMs);
  let people = 0;
  const count = (isStamped: boolean) =>
    limits.count({ formId: 'f', teamId: 1, network: 'n', addressKey: `p${++people}`, isStamped });
  const accepted = (isStamped: boolean) =>
    Array.from({ length: 50 }, () => count(isStamped)).filter((wait) => wait === 0);
  expect([accepted(false).length, accepted(true).length]).toEqual([15, 30]);
  nowMs = 9 * 60_000;
  expect(count(false)).toBe(60);
  nowMs = 10 * 60_000;
  expect(count(false)).toBe(0);
});
