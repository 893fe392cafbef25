/**
 * Writes values of responses. Responses are built as Latin-1 text, one character per byte, because a response may mix
 * ASCII with the raw bytes of messages.
 */

const QUOTABLE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/;
const MAX_QUOTED = 500;

/** Turns text into the Latin-1 form of its UTF-8 bytes. */
export function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

export function fromBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Writes a quoted string if possible, otherwise a literal. */
export function writeString(bytes: string): string {
  if (bytes.length <= MAX_QUOTED && QUOTABLE.test(bytes)) return `"${bytes}"`;
  if (bytes.length <= MAX_QUOTED && /^[\x20-\x7e]*$/.test(bytes))
    return `"${bytes.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  return `{${bytes.length}}\r\n${bytes.replaceAll('\0', ' ')}`;
}

export function writeNstring(bytes: string | null): string {
  return bytes === null ? 'NIL' : writeString(bytes);
}

/** Like `writeString`, but writes atoms without quotes. */
export function writeAstring(bytes: string): string {
  return /^[A-Za-z0-9_./@:=+&,-]+$/.test(bytes) && bytes.toUpperCase() !== 'NIL' ? bytes : writeString(bytes);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `"17-Jul-1996 02:44:25 +0000"` */
export function writeDateTime(date: Date): string {
  const day = String(date.getUTCDate()).padStart(2, ' ');
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(toTwoDigits).join(':');
  const year = String(date.getUTCFullYear()).padStart(4, '0');
  return `"${day}-${MONTHS[date.getUTCMonth()]}-${year} ${time} +0000"`;
}

function toTwoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

const DATE = /^"? ?(\d{1,2})-([A-Za-z]{3})-(\d{4})"?$/;
const DATE_TIME = /^ ?(\d{1,2})-([A-Za-z]{3})-(\d{4}) (\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2})$/;

/** Returns the day of `1-Feb-1994`, or null. */
export function readDate(text: string): Date | null {
  const [, day, month, year] = DATE.exec(text) ?? [];
  return toDate(year, month, day, [0, 0, 0]);
}

/** Returns the time of `17-Jul-1996 02:44:25 -0700`, or null. */
export function readDateTime(text: string): Date | null {
  const [, day, month, year, hours, minutes, seconds, sign, zoneHours, zoneMinutes] =
    DATE_TIME.exec(text) ?? [];
  const date = toDate(year, month, day, [Number(hours), Number(minutes), Number(seconds)]);
  if (!date) return null;
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000;
  return withinYears(new Date(date.getTime() - (sign === '-' ? -offset : offset)));
}

/** Returns null for years that do not have four digits. */
function withinYears(date: Date): Date | null {
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date : null;
}

function toDate(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  [hours, minutes, seconds]: [number, number, number],
): Date | null {
  const monthIndex = MONTHS.findIndex((name) => name.toLowerCase() === month?.toLowerCase());
  if (monthIndex === -1 || hours > 23 || minutes > 59 || seconds > 60) return null;
  const date = new Date(Date.UTC(2000, 0, 1, hours, minutes, seconds));
  // Date.UTC maps the years 0 to 99 to the last century.
  date.setUTCFullYear(Number(year), monthIndex, Number(day));
  return date.getUTCMonth() === monthIndex ? withinYears(date) : null;
}
