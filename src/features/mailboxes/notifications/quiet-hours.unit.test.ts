import { expect, test } from 'vitest';
import { quietUntil } from './quiet-hours.ts';

const night = { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' };

test.each([
  ['2026-11-15T20:59:00Z', null],
  ['2026-11-15T21:00:30Z', '2026-11-16T06:00:00.000Z'],
  ['2026-11-15T23:30:00Z', '2026-11-16T06:00:00.000Z'],
  ['2026-11-16T05:59:59Z', '2026-11-16T06:00:00.000Z'],
  ['2026-11-16T06:00:00Z', null],
])('at %s the night lasts until %s', (now, until) => {
  expect(quietUntil(night, new Date(now))?.toISOString() ?? null).toBe(until);
});

test('hours within a day, and none', () => {
  const lunch = { from: '12:00', to: '13:00', timezone: 'UTC' };
  expect(quietUntil(lunch, new Date('2026-11-15T12:10:00Z'))).toEqual(new Date('2026-11-15T13:00:00Z'));
  expect(quietUntil(lunch, new Date('2026-11-15T11:59:00Z'))).toBeNull();
  expect(quietUntil(null, new Date())).toBeNull();
});
