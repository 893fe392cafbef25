import { expect, test } from 'vitest';
import { entryNames } from './entry-name.ts';
import { rangeOf, readSearch, unfinishedAt } from './overview-range.ts';

test('a search that is not valid falls back to the last 30 days', () => {
  for (const search of [
    { days: 30 },
    { days: 8, zone: 'Mars/Olympus', tag: 'x', interval: 'minute' },
    { from: '2026-02-30', to: '2026-03-01' },
    { from: '2026-03-02', to: '2026-03-01' },
    { from: '2024-01-01', to: '2026-03-01' },
  ]) {
    expect(Object.values(readSearch(search)).filter((value) => value !== undefined)).toEqual([]);
  }
  const range = rangeOf({ zone: 'Asia/Tokyo' }, new Date('2026-11-17T20:00:00Z'));
  expect(range).toMatchObject({ from: '2026-10-20', to: '2026-11-18', interval: 'day' });
});

test('the entry that contains the present is not finished', () => {
  const now = new Date('2026-11-17T20:30:00Z');
  const at = (interval: 'hour' | 'day' | 'week' | 'month', timezone: string, ...dates: string[]) =>
    unfinishedAt(dates, { from: '', to: '', interval, timezone }, now);
  expect(at('day', 'UTC', '2026-11-16', '2026-11-17', '2026-11-18')).toBe(1);
  expect(at('day', 'Asia/Tokyo', '2026-11-16', '2026-11-17', '2026-11-18')).toBe(2);
  expect(at('day', 'UTC', '2026-11-14', '2026-11-15')).toBe(-1);
  expect(at('week', 'UTC', '2026-11-09', '2026-11-16')).toBe(1);
  expect(at('month', 'UTC', '2026-10-01', '2026-11-01')).toBe(1);
  expect(at('hour', 'UTC', '2026-11-17T19:00:00.000Z', '2026-11-17T20:00:00.000Z')).toBe(1);
});

test('an hour that comes twice has its offset in its name', () => {
  const range = {
    from: '2026-10-25',
    to: '2026-10-25',
    interval: 'hour',
    timezone: 'Europe/Berlin',
  } as const;
  const hours = ['2026-10-24T23', '2026-10-25T00', '2026-10-25T01', '2026-10-25T02'];
  expect(
    entryNames(
      hours.map((hour) => `${hour}:00:00.000Z`),
      range,
    ),
  ).toEqual(['25 Oct, 01:00', '25 Oct, 02:00 GMT+2', '25 Oct, 02:00 GMT+1', '25 Oct, 03:00']);
});
