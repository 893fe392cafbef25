/** A wall clock in some zone, and the moment that it means. */
import { OWN_ZONE } from '../../ui/time-zone.ts';

export function allZones(): string[] {
  return [...new Set([OWN_ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}

const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;

/** `local` as a datetime-local field gives it: 2026-11-15T09:30. An invalid date while the field is empty. */
export function momentOf(local: string, zone: string): Date {
  const asUtc = LOCAL.test(local) ? Date.parse(`${local}:00Z`) : Number.NaN;
  if (Number.isNaN(asUtc)) return new Date(Number.NaN);
  // The offset is asked for where it holds, so a second look puts right what a change of clocks between them spoils.
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

/** What a datetime-local field shows for this moment, in the person's own zone. */
export function toLocal(moment: Date): string {
  return new Date(moment.getTime() + offsetMs(moment.getTime(), OWN_ZONE)).toISOString().slice(0, 16);
}

/** Tomorrow at nine, as a first guess. */
export function tomorrowMorning(): string {
  const at = new Date();
  at.setDate(at.getDate() + 1);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return `${local.toISOString().slice(0, 10)}T09:00`;
}
