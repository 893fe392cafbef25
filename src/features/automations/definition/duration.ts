/** Lengths of time in plain language, such as `3 days`. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/durations.ts';

const UNITS: Record<string, number> = {
  second: 1_000,
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};
const DURATION = /^(\d{1,9}) ?(second|minute|hour|day|week)s?$/;
const LONGEST_MS = 366 * DAY_MS;

/** Returns null for text that is not a duration from 1 second to 1 year. */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text.trim().toLowerCase());
  if (!match) return null;
  const ms = Number(match[1]) * UNITS[match[2]!]!;
  return ms >= 1_000 && ms <= LONGEST_MS ? ms : null;
}

/** Reads `-7 days` or `2 weeks`. Returns a number of days. */
export function parseDays(text: string): number {
  return parseInt(text, 10) * (text.includes('week') ? 7 : 1);
}
