import { expect, test } from 'vitest';
import { createClaimWindow, measureClaimWindow, noteBegun } from './claim-window.ts';

function afterBegun(count: number, passedMs: number): number {
  let claimWindow = createClaimWindow(0);
  for (let begun = 0; begun < count; begun += 1) claimWindow = noteBegun(claimWindow);
  return measureClaimWindow(claimWindow, passedMs).ahead;
}

test('the claim window is what starts in 200 ms, between 50 and 400', () => {
  expect(afterBegun(10, 100)).toBe(50);
  expect(afterBegun(100, 100)).toBe(200);
  expect(afterBegun(1_000, 100)).toBe(400);
  expect(afterBegun(1_000, 10_000)).toBe(50);
});

test('the rate is measured again after 100 ms, and not before', () => {
  expect(afterBegun(1_000, 99)).toBe(50);
  const measured = measureClaimWindow(noteBegun(createClaimWindow(0)), 100);
  expect(measured).toEqual({ ahead: 50, begun: 0, sinceMs: 100 });
});
