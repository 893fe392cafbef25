/** Moments of the day in a time zone. */
import { DAY_MS, MINUTE_MS } from './durations.ts';

export interface TimeOfDay {
  /** Such as 09:00. */
  at: string;
  /** 1 is Monday. Default: all days. */
  weekdays?: number[] | undefined;
}

/** Returns the next moment after `after` at which it is this time in the zone. */
export function nextTimeOfDay({ at, weekdays }: TimeOfDay, after: Date, timeZone: string): Date {
  const [hour, minute] = readTime(at);
  const local = localParts(after, timeZone);
  for (let day = 0; day <= 8; day++) {
    const date = new Date(Date.UTC(local.year, local.month - 1, local.day + day));
    const weekday = date.getUTCDay() || 7;
    if (weekdays && weekdays.length > 0 && !weekdays.includes(weekday)) continue;
    const moment = momentOf(date, hour, minute, timeZone);
    if (moment > after) return moment;
  }
  return new Date(after.getTime() + DAY_MS);
}

/** The hour and the minute of a time such as 09:00. */
function readTime(time: string): [number, number] {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return [hour, minute];
}

/**
 * Returns the moment of a local time. A time that the clocks skip becomes the first moment after the gap; of a time
 * that comes twice, the first is meant.
 */
export function momentOf(date: Date, hour: number, minute: number, timeZone: string): Date {
  const wanted = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), hour, minute);
  const offsets = [wanted - DAY_MS, wanted + DAY_MS].map((time) => offsetMs(new Date(time), timeZone));
  // The larger offset is the earlier moment.
  const candidates = [Math.max(...offsets), Math.min(...offsets)].map((offset) => wanted - offset);
  const exact = candidates.find((time) => time + offsetMs(new Date(time), timeZone) === wanted);
  if (exact !== undefined) return new Date(exact);
  return firstAfterGap(candidates[0]!, candidates[1]!, timeZone);
}

/** The clocks are put forward between the two moments. */
function firstAfterGap(from: number, to: number, timeZone: string): Date {
  let [before, after] = from < to ? [from, to] : [to, from];
  const offset = offsetMs(new Date(before), timeZone);
  while (after - before > MINUTE_MS) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
    if (middle === before) break;
    if (offsetMs(new Date(middle), timeZone) === offset) before = middle;
    else after = middle;
  }
  return new Date(after);
}

interface LocalParts {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 500;

function localParts(moment: Date, timeZone: string): LocalParts {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    if (formats.size >= MAX_FORMATS) formats.clear();
    formats.set(timeZone, format);
  }
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(moment)) parts[type] = Number(value);
  return parts as unknown as LocalParts;
}

/** What the local time is ahead of UTC. Throws for an unknown zone. */
export function offsetMs(moment: Date, timeZone: string): number {
  const { year, month, day, hour, minute, second } = localParts(moment, timeZone);
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  return local - Math.floor(moment.getTime() / 1000) * 1000;
}

export interface QuietHours {
  from: string;
  to: string;
}

export const MINUTES_OF_DAY = DAY_MS / MINUTE_MS;

/** Returns how many minutes of a day they take. */
export function minutesOf({ from, to }: QuietHours): number {
  const [startHour, startMinute] = readTime(from);
  const [endHour, endMinute] = readTime(to);
  const minutes = (endHour - startHour) * 60 + endMinute - startMinute;
  return (minutes + MINUTES_OF_DAY) % MINUTES_OF_DAY;
}

/** Returns the end of the quiet hours if the moment is in them, and null otherwise. They may span midnight. */
export function endOfQuietHours({ from, to }: QuietHours, now: Date, timeZone: string): Date | null {
  if (from === to) return null;
  const { hour, minute } = localParts(now, timeZone);
  const time = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
  const isQuiet = from < to ? time >= from && time < to : time >= from || time < to;
  return isQuiet ? nextTimeOfDay({ at: to }, now, timeZone) : null;
}

/** Returns the zone if Intl knows it, and otherwise the fallback. */
export function usableZone(zone: unknown, fallback: string): string {
  if (typeof zone !== 'string' || !/^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/.test(zone)) return fallback;
  try {
    localParts(new Date(0), zone);
    return zone;
  } catch {
    return fallback;
  }
}
