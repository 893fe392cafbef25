/** Reads dates and times of iCalendar (RFC 5545 section 3.3.5), with time zones of IANA and of Windows. */
import { offsetMs } from '../../platform/time-of-day.ts';
import type { ContentLine } from './content-lines.ts';

export interface CalendarTime {
  at: Date;
  isAllDay: boolean;
}

const DATE = /^(\d{4})(\d{2})(\d{2})$/;
const DATE_TIME = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(Z?)$/i;
const DURATION =
  /^([+-]?)P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?$/i;
const OFFSET = /^([+-])(\d{2})(\d{2})(?:\d{2})?$/;

/** The zones that Outlook and Exchange name, by CLDR. */
const WINDOWS_ZONES: Record<string, string> = {
  'AUS Eastern Standard Time': 'Australia/Sydney',
  'Arab Standard Time': 'Asia/Riyadh',
  'Arabian Standard Time': 'Asia/Dubai',
  'Atlantic Standard Time': 'America/Halifax',
  'Canada Central Standard Time': 'America/Regina',
  'Cen. Australia Standard Time': 'Australia/Adelaide',
  'Central America Standard Time': 'America/Guatemala',
  'Central Europe Standard Time': 'Europe/Budapest',
  'Central European Standard Time': 'Europe/Warsaw',
  'Central Standard Time': 'America/Chicago',
  'China Standard Time': 'Asia/Shanghai',
  'E. Australia Standard Time': 'Australia/Brisbane',
  'E. Europe Standard Time': 'Europe/Chisinau',
  'E. South America Standard Time': 'America/Sao_Paulo',
  'Eastern Standard Time': 'America/New_York',
  'Egypt Standard Time': 'Africa/Cairo',
  'FLE Standard Time': 'Europe/Kyiv',
  'GMT Standard Time': 'Europe/London',
  'GTB Standard Time': 'Europe/Bucharest',
  'Greenwich Standard Time': 'Atlantic/Reykjavik',
  'Hawaiian Standard Time': 'Pacific/Honolulu',
  'India Standard Time': 'Asia/Kolkata',
  'Israel Standard Time': 'Asia/Jerusalem',
  'Korea Standard Time': 'Asia/Seoul',
  'Mountain Standard Time': 'America/Denver',
  'New Zealand Standard Time': 'Pacific/Auckland',
  'Pacific Standard Time': 'America/Los_Angeles',
  'Romance Standard Time': 'Europe/Paris',
  'Russian Standard Time': 'Europe/Moscow',
  'SA Pacific Standard Time': 'America/Bogota',
  'SE Asia Standard Time': 'Asia/Bangkok',
  'Singapore Standard Time': 'Asia/Singapore',
  'South Africa Standard Time': 'Africa/Johannesburg',
  'Taipei Standard Time': 'Asia/Taipei',
  'Tokyo Standard Time': 'Asia/Tokyo',
  'Turkey Standard Time': 'Europe/Istanbul',
  'US Mountain Standard Time': 'America/Phoenix',
  UTC: 'UTC',
  'W. Australia Standard Time': 'Australia/Perth',
  'W. Europe Standard Time': 'Europe/Berlin',
};

/** The offset of the standard time of zones that the object describes itself, in minutes, by TZID. */
export type OwnZones = ReadonlyMap<string, number>;

export function readOwnZones(lines: readonly ContentLine[]): OwnZones {
  const zones = new Map<string, number>();
  let id: string | null = null;
  let inStandard = false;
  for (const { name, value } of lines) {
    if (name === 'BEGIN') inStandard = value.toUpperCase() === 'STANDARD';
    else if (name === 'TZID') id = value;
    const offset = name === 'TZOFFSETTO' && inStandard && id !== null ? OFFSET.exec(value.trim()) : null;
    if (offset) {
      const minutes = Number(offset[2]) * 60 + Number(offset[3]);
      zones.set(id!, offset[1] === '-' ? -minutes : minutes);
    }
  }
  return zones;
}

/** Null if the value is none. A time without a zone is read as UTC. */
export function readTime({ params, value }: ContentLine, zones: OwnZones): CalendarTime | null {
  const day = DATE.exec(value.trim());
  if (day) return checked(Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3])), true);
  const found = DATE_TIME.exec(value.trim());
  if (!found) return null;
  const [year, month, date, hour, minute, second] = found.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const local = Date.UTC(year, month - 1, date, hour, minute, second);
  if (found[7] || params.TZID === undefined) return checked(local, false);
  return checked(toUtc(local, params.TZID, zones), false);
}

function checked(ms: number, isAllDay: boolean): CalendarTime | null {
  return Number.isNaN(ms) ? null : { at: new Date(ms), isAllDay };
}

function toUtc(localMs: number, tzid: string, zones: OwnZones): number {
  const name = tzid.replace(/^\/[^/]+\/(?:[^/]+\/)?(?=[A-Z])/, '');
  const timeZone = WINDOWS_ZONES[tzid] ?? name;
  try {
    // The offset at the local time taken as UTC is right except near a change, so it is asked again there.
    const guess = localMs - offsetMs(new Date(localMs), timeZone);
    return localMs - offsetMs(new Date(guess), timeZone);
  } catch {
    return localMs - (zones.get(tzid) ?? 0) * 60_000;
  }
}

/** In milliseconds. Null if the value is none. */
export function readDuration(value: string): number | null {
  const found = DURATION.exec(value.trim());
  if (!found) return null;
  const [weeks, days, hours, minutes, seconds] = found.slice(2).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const ms = ((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
  return found[1] === '-' ? -ms : ms;
}

/** `20261115T093000Z`, or `20261115` for a day. */
export function writeTime({ at, isAllDay }: CalendarTime): string {
  const digits = at.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  return isAllDay ? digits.slice(0, 8) : digits;
}
