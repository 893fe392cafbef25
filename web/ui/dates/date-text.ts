/**
 * Reads and writes the dates that people type. A value is local and has no zone: `2026-08-02` or
 * `2026-08-02T09:30`.
 */
import { texts } from '../../texts/en.ts';

/** People write dates in the language of the page or in English. */
const LOCALES = ['en', texts.locale];
const MONTHS = LOCALES.map(monthsIn);
const DAYS = LOCALES.map((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));
export const DAY_MS = 86_400_000;

const shownDay = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'medium', timeZone: 'UTC' });

/** Returns `2 Aug 2026` or `2 Aug 2026, 09:30`, which `readDate` understands. */
export function showDate(value: string): string {
  const [day = '', time] = value.split('T');
  if (!isDay(day)) return '';
  const shown = shownDay.format(new Date(`${day}T00:00Z`)).replace('Sept', 'Sep');
  return time === undefined ? shown : `${shown}, ${time}`;
}

/** Returns the first three letters of each month. */
function monthsIn(locale: string): string[] {
  const format = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, month) =>
    format.format(Date.UTC(2026, month)).toLowerCase().slice(0, 3),
  );
}

export interface ReadDate {
  value: string;
  /** True if nothing was guessed: the text has a year and, where one is needed, a time. */
  isWhole: boolean;
}

/** Returns null if the text is not a date. A missing year is the current one. */
export function readDate(text: string, withTime: boolean, today = todayValue()): ReadDate | null {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/^(\d{4}-\d\d-\d\d)t/, '$1 ')
    .replace(/ uhr$/, '')
    .replaceAll(/,| at | on | um | am /g, ' ');
  const time = readTime(words);
  const day = readDay(time ? time.rest : words, today);
  if (!day) return null;
  if (!withTime) return time ? null : day;
  return {
    value: `${day.value}T${time?.value ?? '09:00'}`,
    isWhole: day.isWhole && time !== null,
  };
}

/** Finds `9:30`, `09:30:00`, `9 am` or `9:30pm` at the end. */
function readTime(text: string): { value: string; rest: string } | null {
  const match = /(?:^|\s)(\d{1,2})(?::(\d\d)(?::\d\d)?)?\s*([ap]m)?$/.exec(text);
  const [whole, hourText, minuteText, half] = match ?? [];
  if (whole === undefined || (minuteText === undefined && half === undefined)) return null;
  let hour = Number(hourText);
  const minute = Number(minuteText ?? 0);
  if (half !== undefined && (hour < 1 || hour > 12)) return null;
  if (half !== undefined) hour = (hour % 12) + (half === 'pm' ? 12 : 0);
  if (hour > 23 || minute > 59) return null;
  return { value: `${two(hour)}:${two(minute)}`, rest: text.slice(0, -whole.length) };
}

function readDay(text: string, today: string): ReadDate | null {
  const words = text.trim();
  for (const days of [-1, 0, 1]) {
    if (DAYS.some((format) => format.format(days, 'day') === words))
      return { value: addDays(today, days), isWhole: true };
  }
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(words);
  if (iso) return toDay(iso[1]!, Number(iso[2]), iso[3]!);
  const dotted = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/.exec(words);
  if (dotted) return toDay(dotted[3]!, Number(dotted[2]), dotted[1]!);
  const dayFirst =
    /^(?:\p{L}{2,10}\.?\s+)?(\d{1,2})(?:st|nd|rd|th)?[.\s]\s?(\p{L}{3,9})\.?(?:\s+(\d{4}))?$/u.exec(words);
  const monthFirst = /^(\p{L}{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:\s+(\d{4}))?$/u.exec(words);
  const [dayText, monthText, year] = dayFirst
    ? [dayFirst[1]!, dayFirst[2]!, dayFirst[3]]
    : [monthFirst?.[2] ?? '', monthFirst?.[1] ?? '', monthFirst?.[3]];
  const month = Math.max(...MONTHS.map((names) => names.indexOf(monthText.slice(0, 3)))) + 1;
  const day = toDay(year ?? today.slice(0, 4), month, dayText);
  return day && { ...day, isWhole: year !== undefined };
}

function toDay(year: string, month: number, day: string): ReadDate | null {
  const value = `${year}-${two(month)}-${day.padStart(2, '0')}`;
  return isDay(value) ? { value, isWhole: true } : null;
}

/** True for a day of the calendar, which 30 February is not. */
function isDay(value: string): boolean {
  const at = Date.parse(`${value}T00:00:00Z`);
  return /^[1-9]\d{3}-\d\d-\d\d$/.test(value) && !Number.isNaN(at) && toValue(at) === value;
}

export function addDays(day: string, days: number): string {
  return toValue(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);
}

/** Moves to the same day of another month, or to the last one if the month is shorter. */
export function addMonths(day: string, months: number): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return toValue(Date.UTC(year, month - 1 + months, Math.min(date, last)));
}

/** Returns the days that a calendar shows for the month of this day: whole weeks from Monday. */
export function weeksOf(day: string): string[][] {
  const first = `${day.slice(0, 7)}-01`;
  const next = addMonths(first, 1);
  const weeks: string[][] = [];
  for (let start = addDays(first, -weekday(first)); start < next; start = addDays(start, 7))
    weeks.push(Array.from({ length: 7 }, (_, index) => addDays(start, index)));
  return weeks;
}

/** Returns 0 for Monday. */
export function weekday(day: string): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
}

/** Returns today's date in the user's time zone. */
export function todayValue(): string {
  const now = new Date();
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

function toValue(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
