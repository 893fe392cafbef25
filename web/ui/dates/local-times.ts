/** Converts between local times in a time zone and points in time. */
import { OWN_ZONE } from './time-zone.ts';

export function allZones(): string[] {
  return [...new Set([OWN_ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}

const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;

/**
 * `local` is the value of a date field with a time: 2026-11-15T09:30. Returns an invalid date while the field is
 * empty.
 */
export function momentOf(local: string, zone: string): Date {
  const asUtc = LOCAL.test(local) ? Date.parse(`${local}:00Z`) : Number.NaN;
  if (Number.isNaN(asUtc)) return new Date(Number.NaN);
  // The offset depends on the time itself, so a second pass corrects it if the clocks change in between.
  const first = asUtc - offsetMs(asUtc, zone);
  return new Date(asUtc - offsetMs(first, zone));
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
