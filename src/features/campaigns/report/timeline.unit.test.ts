import { expect, test } from 'vitest';
import { toTimeline, type HourCounts } from './timeline.ts';

function hour(at: string, opened: number): HourCounts {
  return { at: new Date(at), opened, clicked: 0, unsubscribed: 0, machineOpened: 0, machineClicked: 0 };
}

test('a campaign that has not started has an empty timeline', () => {
  expect(toTimeline([], null, new Date())).toEqual({ timeline: [], timelineInterval: 'hour' });
});

test('hours without visits are zero, from the start to the last visit', () => {
  const started = new Date('2026-11-15T09:30:00Z');
  const hours = [hour('2026-11-15T10:00:00Z', 4), hour('2026-11-15T12:00:00Z', 2)];
  const { timeline, timelineInterval } = toTimeline(hours, started, started);
  expect(timelineInterval).toBe('hour');
  expect(timeline.map(({ at, opened }) => [at.slice(11, 16), opened])).toEqual([
    ['09:00', 0],
    ['10:00', 4],
    ['11:00', 0],
    ['12:00', 2],
  ]);
});

test('the timeline of a new campaign continues to the present for two days', () => {
  const started = new Date('2026-11-15T09:00:00Z');
  expect(toTimeline([], started, new Date('2026-11-15T12:10:00Z')).timeline).toHaveLength(4);
  expect(toTimeline([], started, new Date('2027-11-15T12:10:00Z')).timeline).toHaveLength(49);
});

test.each([
  ['2026-11-25T10:00:00Z', 'day', 11],
  ['2029-11-25T10:00:00Z', 'week', 159],
])('with a visit at %s each entry is a %s, and no visit is lost', (last, interval, length) => {
  const started = new Date('2026-11-15T09:30:00Z');
  const hours = [hour('2026-11-15T10:00:00Z', 4), hour('2026-11-15T20:00:00Z', 1), hour(last, 2)];
  const { timeline, timelineInterval } = toTimeline(hours, started, new Date(last));
  expect(timelineInterval).toBe(interval);
  expect(timeline).toHaveLength(length);
  expect(timeline[0]).toMatchObject({ at: '2026-11-15T00:00:00.000Z', opened: 5 });
  expect(timeline.at(-1)!.opened).toBe(2);
});
