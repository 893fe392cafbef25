import { expect, test } from 'vitest';
import { addMonths, readDate, showDate, weeksOf } from './date-text.ts';

const TODAY = '2026-11-17';
const day = (text: string) => readDate(text, false, TODAY)?.value;
const time = (text: string) => readDate(text, true, TODAY)?.value;

test('a day is read as people write it', () => {
  for (const text of [
    '2026-08-02',
    '2 Aug 2026',
    '2 August 2026',
    'Aug 2, 2026',
    '2nd of',
    '2.8.2026',
    'Sun 2 Aug 2026',
  ])
    expect([text, day(text)]).toEqual([text, text === '2nd of' ? undefined : '2026-08-02']);
  expect(day('2 aug')).toBe('2026-08-02');
  expect(day('tomorrow')).toBe('2026-11-18');
  expect(day('2. August 2026')).toBe('2026-08-02');
});

test('text that is not a day is rejected', () => {
  for (const text of [
    '',
    '30 Feb 2026',
    '2026-13-01',
    '2026-02-30',
    'soon',
    '2/8/2026',
    '0000-01-01',
    '32 Jan',
    '2 Aug 2026, 09:30',
  ])
    expect([text, day(text)]).toEqual([text, undefined]);
});

test('a time is read after the day, and is nine in the morning without one', () => {
  for (const text of ['2 Aug 2026, 21:05', '2026-08-02T21:05', 'aug 2 2026 at 9:05pm', '2026-08-02 21:05:00'])
    expect([text, time(text)]).toEqual([text, '2026-08-02T21:05']);
  expect(time('2 Aug 2026 12 am')).toBe('2026-08-02T00:00');
  expect(time('tomorrow 9am')).toBe('2026-11-18T09:00');
  expect(readDate('2 Aug 2026', true, TODAY)).toEqual({ value: '2026-08-02T09:00', isWhole: false });
  for (const text of ['2 Aug 2026, 25:00', '2 Aug 2026, 13 pm', '09:30'])
    expect([text, time(text)]).toEqual([text, undefined]);
});

test('a shown date is read back', () => {
  for (let month = 1; month <= 12; month += 1) {
    const value = `2026-${String(month).padStart(2, '0')}-09`;
    expect(day(showDate(value))).toBe(value);
    expect(time(showDate(`${value}T09:30`))).toBe(`${value}T09:30`);
  }
  expect(showDate('')).toBe('');
  expect(showDate('not a date')).toBe('');
});

test('a month has whole weeks from Monday, and a shorter month ends at its last day', () => {
  const weeks = weeksOf('2026-02-14');
  expect(weeks[0]![0]).toBe('2026-01-26');
  expect(weeks.at(-1)!.at(-1)).toBe('2026-03-01');
  expect(addMonths('2026-01-31', 1)).toBe('2026-02-28');
  expect(addMonths('2026-01-31', -2)).toBe('2025-11-30');
  expect(addMonths('2024-02-29', 12)).toBe('2025-02-28');
});
