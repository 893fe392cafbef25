import { expect, test } from 'vitest';
import { endOfDay, firstDayOf, lastDayOf, startOfDay } from './days.ts';

test('days survive the way to the server and back, also where the clock changes', () => {
  for (const day of ['2026-12-20', '2026-03-29', '2026-10-25', '2026-12-31', '2028-02-29']) {
    expect(firstDayOf(startOfDay(day))).toBe(day);
    expect(lastDayOf(endOfDay(day))).toBe(day);
    expect(Date.parse(endOfDay(day)!)).toBeGreaterThan(Date.parse(startOfDay(day)!));
  }
  expect([startOfDay(''), endOfDay(''), firstDayOf(null), lastDayOf(null)]).toEqual([null, null, '', '']);
});
