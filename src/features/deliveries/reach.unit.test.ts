import { expect, test } from 'vitest';
import { createReach, measureReach, noteBegun } from './reach.ts';

function afterBegun(count: number, passedMs: number): number {
  let reach = createReach(0);
  for (let begun = 0; begun < count; begun += 1) reach = noteBegun(reach);
  return measureReach(reach, passedMs).ahead;
}

test('as many are claimed ahead as begin in 200 ms, between 50 and 400', () => {
  expect(afterBegun(10, 100)).toBe(50);
  expect(afterBegun(100, 100)).toBe(200);
  expect(afterBegun(1_000, 100)).toBe(400);
  expect(afterBegun(1_000, 10_000)).toBe(50);
});

test('it is measured anew after 100 ms, and not before', () => {
  expect(afterBegun(1_000, 99)).toBe(50);
  const measured = measureReach(noteBegun(createReach(0)), 100);
  expect(measured).toEqual({ ahead: 50, begun: 0, sinceMs: 100 });
});
