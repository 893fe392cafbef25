/** Parses the time of a campaign: ISO 8601 first, then English in UTC. */
import * as chrono from 'chrono-node/en';
import { dateTime } from '../../platform/schema.ts';

// Text that starts like an ISO date is never parsed as English, where a typo could mean another date.
const STARTS_LIKE_ISO = /^[+-]?(?:\d{4}-|\d{5,})/;
// ISO 8601 allows more than RFC 3339: missing seconds, and an offset without a colon or minutes.
const ISO = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(?:[Zz]|([+-]\d\d)(?::?(\d\d))?)$/;
const LEADING_WORD = /^(?:on|at)\s+/i;
const REFERS_TO_PAST = /\b(?:last|previous|ago)\b/i;

/** Returns null for text that is not a time. The time may be in the past. */
export function readScheduleTime(text: string, now: Date): Date | null {
  const trimmed = text.trim();
  if (STARTS_LIKE_ISO.test(trimmed)) return readIso(trimmed);
  const english = trimmed.replace(LEADING_WORD, '');
  const reference = { instant: now, timezone: 0 };
  const [found] = chrono.parse(english, reference, { forwardDate: !REFERS_TO_PAST.test(english) });
  // The whole text must be understood: "not tomorrow" is not tomorrow.
  if (!found || found.index !== 0 || found.text.length !== english.length || found.end) return null;
  const at = found.date();
  return Number.isNaN(at.getTime()) ? null : at;
}

function readIso(trimmed: string): Date | null {
  const match = ISO.exec(trimmed);
  if (!match) return null;
  const [, day, minute, second = ':00', offsetHour, offsetMinute = '00'] = match;
  const offset = offsetHour === undefined ? 'Z' : `${offsetHour}:${offsetMinute}`;
  const { success, data } = dateTime.safeParse(`${day}T${minute}${second}${offset}`);
  return success ? data : null;
}
