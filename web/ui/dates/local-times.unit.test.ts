import { expect, test } from 'vitest';
import { offsetOf, zoneOf } from './time-zone.ts';
import { allZones, describeClockChange, momentOf, toLocal } from './local-times.ts';

test.each([
  ['2026-11-15T09:30', 'UTC', '2026-11-15T09:30:00.000Z'],
  ['2026-11-15T09:30', 'Europe/Berlin', '2026-11-15T08:30:00.000Z'],
  ['2026-07-15T09:30', 'Europe/Berlin', '2026-07-15T07:30:00.000Z'],
  ['2026-11-15T09:30', 'Asia/Kolkata', '2026-11-15T04:00:00.000Z'],
  // In Berlin the clocks go forward on 29 March and back on 25 October.
  ['2026-03-29T01:59', 'Europe/Berlin', '2026-03-29T00:59:00.000Z'],
  ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  ['2026-10-25T03:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
  ['2026-03-08T03:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
  // Skipped times are later by the hour that is skipped, and of two the first counts, on both sides of the ocean.
  ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
])('%s in %s is %s', (local, zone, expected) => {
  expect(momentOf(local, zone).toISOString()).toBe(expected);
});

test.each([
  ['2026-03-08T02:30', 'The clocks go forward, so this time is skipped. 03:30 is used.'],
  ['2026-11-01T01:30', 'The clocks go back, so this time comes twice. The first one is used.'],
  ['2026-11-01T02:00', undefined],
  ['2026-11-01T00:59', undefined],
  ['2026-03-08T03:00', undefined],
  ['', undefined],
])('of %s in New York the field says %s', (local, note) => {
  expect(describeClockChange(local, 'America/New_York')).toBe(note);
});

test("a field shows a time in the user's zone", () => {
  const local = '2026-11-15T09:30';
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  expect(toLocal(momentOf(local, own))).toBe(local);
});

test('every zone is offered once', () => {
  const zones = allZones();
  expect(new Set(zones).size).toBe(zones.length);
  expect(zones).toContain('Europe/Berlin');
});

test('the offset is the one at the given time', () => {
  const [winter, summer] = [new Date('2026-01-15'), new Date('2026-07-15')];
  expect([offsetOf(winter, 'Europe/Berlin'), offsetOf(summer, 'Europe/Berlin')]).toEqual(['UTC+1', 'UTC+2']);
  expect([offsetOf(winter, 'UTC'), offsetOf(new Date(Number.NaN), 'Europe/Berlin')]).toEqual(['UTC', 'UTC']);
  expect([zoneOf(winter, 'Europe/Berlin'), zoneOf(winter, 'UTC')]).toEqual(['Europe/Berlin, UTC+1', 'UTC']);
});
