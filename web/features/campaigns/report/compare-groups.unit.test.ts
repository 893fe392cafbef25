import { expect, test } from 'vitest';
import { compareGroups } from './compare-groups.ts';

const group = (sent: number, opened: number) => ({ sent, opened, clicked: 0 });

test('names a difference only when it is more than chance, and nothing while a group is small', () => {
  expect(compareGroups(group(900, 360), group(100, 38), 'opened')).toEqual({ verdict: 'same', points: 2 });
  expect(compareGroups(group(9_000, 3_600), group(1_000, 340), 'opened')).toEqual({
    verdict: 'better',
    points: 6,
  });
  expect(compareGroups(group(9_000, 3_060), group(1_000, 400), 'opened')).toEqual({
    verdict: 'worse',
    points: 6,
  });
  expect(compareGroups(group(900, 360), group(100, 38), 'clicked')).toEqual({ verdict: 'same', points: 0 });
  expect(compareGroups(group(900, 900), group(29, 0), 'opened')).toBeNull();
});
