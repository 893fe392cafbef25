import { expect, test } from 'vitest';
import { isInRange, suggestTimes, toField } from './send-times.ts';

/** Returns a time in November 2026, which begins on a Sunday: the 4th is a Wednesday. */
function at(day: number, hour: number, minute = 0): Date {
  return new Date(2026, 10, day, hour, minute);
}

function suggested(now: Date): string[] {
  return suggestTimes(now).map((time) => `${time.name}: ${toField(time.at).slice('2026-11-'.length)}`);
}

test('in the morning there are times later on the same day', () => {
  expect(suggested(at(4, 9))).toEqual([
    'Later today: 04T13:00',
    'This evening: 04T18:00',
    'Tomorrow morning: 05T08:00',
    'Tomorrow afternoon: 05T13:00',
    'Monday morning: 09T08:00',
  ]);
});

test('later today is at least two hours away', () => {
  expect(suggested(at(4, 14, 59))[0]).toBe('Later today: 04T16:00');
  expect(suggested(at(4, 15))[0]).toBe('This evening: 04T18:00');
});

test('this evening is not offered in the evening', () => {
  expect(suggested(at(4, 17, 57))[0]).toBe('This evening: 04T18:00');
  expect(suggested(at(4, 17, 58))[0]).toBe('Tomorrow morning: 05T08:00');
});

test('Monday is not offered on a Sunday, and on a Monday it means next week', () => {
  expect(suggested(at(8, 20))).toEqual(['Tomorrow morning: 09T08:00', 'Tomorrow afternoon: 09T13:00']);
  expect(suggested(at(9, 20)).at(-1)).toBe('Monday morning: 16T08:00');
});

test('a time must be a minute to a year away', () => {
  const now = at(4, 9);
  const later = (ms: number) => new Date(now.getTime() + ms);
  expect(isInRange(later(59_999), now)).toBe(false);
  expect(isInRange(later(60_000), now)).toBe(true);
  expect(isInRange(new Date(2027, 10, 4, 9), now)).toBe(true);
  expect(isInRange(new Date(2027, 10, 4, 9, 1), now)).toBe(false);
});
