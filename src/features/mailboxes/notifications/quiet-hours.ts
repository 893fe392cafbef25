/** Hours in which a person wants no notification, in their time zone. They may span midnight. */
import type { NotificationSettings } from './notifications.schema.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** The end of the quiet hours that it is now, or null. */
export function quietUntil(quiet: NotificationSettings['quiet_hours'], now: Date): Date | null {
  if (!quiet) return null;
  const [from, to] = [minutesOf(quiet.from), minutesOf(quiet.to)];
  const minute = localMinutes(now, quiet.timezone);
  const isQuiet = from <= to ? minute >= from && minute < to : minute >= from || minute < to;
  if (!isQuiet) return null;
  const left = (to - minute + DAY_MINUTES) % DAY_MINUTES;
  return new Date(Math.floor(now.getTime() / MINUTE_MS + left) * MINUTE_MS);
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return hours! * 60 + minutes!;
}

function localMinutes(now: Date, timeZone: string): number {
  const shown = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(
    now,
  );
  return minutesOf(shown) % DAY_MINUTES;
}
