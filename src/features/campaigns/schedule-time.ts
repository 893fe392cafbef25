/** When a campaign leaves, as people write it: ISO 8601 first, then plain English in UTC. */
import * as chrono from 'chrono-node/en';
import { dateTime } from '../../platform/schema.ts';

// A slip in such a date must not turn it into another one that English has a reading for.
const LIKE_ISO = /^[+-]?(?:\d{4}-|\d{5,})/;
// What ISO 8601 allows beyond RFC 3339: no seconds, and an offset without a colon or minutes.
const ISO = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(?:[Zz]|([+-]\d\d)(?::?(\d\d))?)$/;
const LEADING_WORD = /^(?:on|at)\s+/i;
const LOOKS_BACK = /\b(?:last|previous|ago)\b/i;

/** Null for what is no time at all. What it names may well be past. */
export function readScheduleTime(text: string, now: Date): Date | null {
  const written = text.trim();
  if (LIKE_ISO.test(written)) return readIso(written);
  const spoken = written.replace(LEADING_WORD, '');
  const reference = { instant: now, timezone: 0 };
  const [found] = chrono.parse(spoken, reference, { forwardDate: !LOOKS_BACK.test(spoken) });
  // All of it must have been understood: "not tomorrow" is not tomorrow.
  if (!found || found.index !== 0 || found.text.length !== spoken.length || found.end) return null;
  const at = found.date();
  return Number.isNaN(at.getTime()) ? null : at;
}

function readIso(written: string): Date | null {
  const match = ISO.exec(written);
  if (!match) return null;
  const [, day, minute, second = ':00', offsetHour, offsetMinute = '00'] = match;
  const offset = offsetHour === undefined ? 'Z' : `${offsetHour}:${offsetMinute}`;
  const { success, data } = dateTime.safeParse(`${day}T${minute}${second}${offset}`);
  return success ? data : null;
}
