/** Converts between local times in a time zone and points in time. */
import { controlTexts as t } from '../../texts/en/controls.ts';
import { OWN_ZONE } from './time-zone.ts';

export function allZones(): string[] {
  return [...new Set([OWN_ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}

const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;

const DAY_MS = 86_400_000;

/**
 * `local` is the value of a date field with a time: 2026-11-15T09:30. Returns an invalid date while the field is
 * empty. As in calendars (RFC 5545, section 3.3.5), a time that comes twice is the first one, and a time that is skipped
 * is as much later as the clocks go forward.
 */
export function momentOf(local: string, zone: string): Date {
  return new Date(momentsOf(local, zone)[0] ?? Number.NaN);
}

/** Says what happens at a time that the clocks skip or that comes twice. */
export function describeClockChange(local: string, zone: string): string | undefined {
  const [moment, second] = momentsOf(local, zone);
  if (moment === undefined) return undefined;
  const shown = new Date(moment + offsetMs(moment, zone)).toISOString().slice(0, 16);
  if (shown !== local) return t.skippedTime(shown.slice(11));
  return second === undefined ? undefined : t.timeTwice;
}

/** All moments with this local time, or the one that stands for a time that is skipped. */
function momentsOf(local: string, zone: string): number[] {
  const asUtc = LOCAL.test(local) ? Date.parse(`${local}:00Z`) : Number.NaN;
  if (Number.isNaN(asUtc)) return [];
  // The clocks change at most once in these two days.
  const offsets = [...new Set([offsetMs(asUtc - DAY_MS, zone), offsetMs(asUtc + DAY_MS, zone)])];
  const found = offsets
    .map((offset) => asUtc - offset)
    .filter((moment) => moment + offsetMs(moment, zone) === asUtc);
  return found.length > 0 ? found : [asUtc - offsets[0]!];
}

function offsetMs(moment: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(new Date(moment));
  const of = (type: string) => Number(parts.find((part) => part.type === type)!.value);
  const wall = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return wall - Math.floor(moment / 1000) * 1000;
}

/** Returns the value of a date field with a time for this time, in the user's own zone. */
export function toLocal(moment: Date): string {
  return new Date(moment.getTime() + offsetMs(moment.getTime(), OWN_ZONE)).toISOString().slice(0, 16);
}

/** Returns tomorrow at nine, the default. */
export function tomorrowMorning(): string {
  const at = new Date();
  at.setDate(at.getDate() + 1);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return `${local.toISOString().slice(0, 10)}T09:00`;
}
