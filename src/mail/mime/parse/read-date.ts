/** Reads the dates of header fields (RFC 5322 section 3.3), with the offset that the sender wrote. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DATE =
  /^(?:[a-z]{3,9},?\s+)?(\d{1,2})\s+([a-z]{3})[a-z]*\s+(\d{2,4})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([+-]\d{4}|[a-z]{1,4})?/i;
/** RFC 5322 section 3.3. */
const FIRST_YEAR = 1900;
const LAST_YEAR = 2200;
const ZONES: Record<string, string> = {
  est: '-0500',
  edt: '-0400',
  cst: '-0600',
  cdt: '-0500',
  mst: '-0700',
  mdt: '-0600',
  pst: '-0800',
  pdt: '-0700',
};

export interface SentDate {
  date: Date;
  /** The day in the time zone of the sender, as in 2007-03-24. */
  day: string;
  /** As in 2014-10-30T14:12:00+08:00. */
  text: string;
}

/** Returns null if the value is not a date between these years. */
export function readDate(value: string | null): SentDate | null {
  const text = writeDate(value ?? '');
  const date = new Date(text ?? '');
  const year = date.getUTCFullYear();
  return text !== null && year >= FIRST_YEAR && year < LAST_YEAR
    ? { date, day: text.slice(0, 10), text }
    : null;
}

function writeDate(value: string): string | null {
  const withoutComments = value
    .slice(0, 200)
    .replaceAll(/\([^()]*\)/g, ' ')
    .trim();
  const found = DATE.exec(withoutComments);
  return found ? writeFound(found) : writeOther(withoutComments.slice(0, 100));
}

/** Some software writes other formats, such as that of ISO 8601. */
function writeOther(value: string): string | null {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? null : `${date.toISOString().slice(0, 19)}Z`;
}

function writeFound(found: RegExpExecArray): string | null {
  const [, day = '', monthName = '', yearText = '', hour = '', minute = '', second = '0', zone = ''] = found;
  const month = MONTHS.indexOf(monthName.toLowerCase());
  if (month === -1) return null;
  const offset = readOffset(zone);
  const [d, h, m] = [Number(day), Number(hour), Number(minute)];
  // Most software cannot represent a leap second.
  const s = Math.min(Number(second), 59);
  const year = toYear(Number(yearText), yearText.length);
  const date = new Date(Date.UTC(year, month, d, h, m, s));
  date.setUTCFullYear(year);
  const isReal = date.getUTCDate() === d && date.getUTCHours() === h && date.getUTCMinutes() === m;
  if (!isReal || year < 1) return null;
  return `${date.toISOString().slice(0, 19)}${offset}`;
}

/** RFC 5322 section 4.3. */
function toYear(year: number, digits: number): number {
  if (digits === 2) return year < 50 ? year + 2000 : year + 1900;
  return digits === 3 ? year + 1900 : year;
}

function readOffset(zone: string): string {
  const text = /^[+-]\d{4}$/.test(zone) ? zone : (ZONES[zone.toLowerCase()] ?? '+0000');
  const [sign, hours, minutes] = [text[0]!, text.slice(1, 3), text.slice(3)];
  if (Number(hours) > 23 || Number(minutes) > 59 || text.endsWith('0000')) return 'Z';
  return `${sign}${hours}:${minutes}`;
}
