/**
 * Campaigns that each recipient gets at the same time of day in their own time zone. A local time is written as
 * 2026-11-15T09:00. The ledger has the moment for each recipient (audience.ts), and recipients are released in the
 * order of these moments (release.ts).
 */
import { HOUR_MS } from '../../platform/durations.ts';

const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;
/** The first and the last time zone of the world, in hours from UTC. */
const FIRST_ZONE = 14;
const LAST_ZONE = -12;

export function isLocalTime(text: string): boolean {
  if (!LOCAL_TIME.test(text) || text < '1970') return false;
  const at = new Date(`${text}Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Returns the moment when this time comes in the first time zone. */
export function firstMoment(localTime: string): Date {
  return new Date(Date.parse(`${localTime}Z`) - FIRST_ZONE * HOUR_MS);
}

/** Returns the moment when this time comes in the last time zone. */
export function lastMoment(localTime: string): Date {
  return new Date(Date.parse(`${localTime}Z`) - LAST_ZONE * HOUR_MS);
}
