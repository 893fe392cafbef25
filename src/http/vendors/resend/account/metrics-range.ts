/** The time range of metrics: whole days in a time zone. */
import { z } from 'zod';
import { MAX_DAYS } from '../../../../features/sending/counters/time-range.schema.ts';
import { invalidField } from '../../../../platform/errors.ts';
import { DAY_MS } from '../../../../platform/durations.ts';

const DEFAULT_DAYS_BEFORE = 6;

export interface MetricsRange {
  start: Date;
  end: Date;
  /** The day in the time zone, written as 2026-11-15. */
  firstDay: string;
  lastDay: string;
  days: number;
}

interface Given {
  start_date?: string | undefined;
  end_date?: string | undefined;
  timezone: string;
}

/** A date means that day in the time zone. A time in the future counts as now. */
export function metricsRange({ start_date, end_date, timezone }: Given, now: Date): MetricsRange {
  const today = dayIn(timezone, now);
  const until = end_date === undefined ? { at: now, day: today } : readDate('end_date', end_date, timezone);
  const end = until.at > now || until.day > today ? { at: now, day: today } : until;
  const weekAgo = new Date(end.at.getTime() - DEFAULT_DAYS_BEFORE * DAY_MS);
  const start =
    start_date === undefined
      ? { at: weekAgo, day: dayIn(timezone, weekAgo) }
      : readDate('start_date', start_date, timezone);
  if (start.day > end.day) throw invalidField('start_date', 'must not be after end_date');
  const days = (Date.parse(end.day) - Date.parse(start.day)) / DAY_MS + 1;
  if (days > MAX_DAYS) throw invalidField('start_date', `must be less than ${MAX_DAYS} days before end_date`);
  return { start: start.at, end: end.at, firstDay: start.day, lastDay: end.day, days };
}

const date = z.iso.date();
const time = z.iso.datetime({ offset: true });

function readDate(field: string, text: string, timezone: string): { at: Date; day: string } {
  const isDate = date.safeParse(text).success;
  const at = isDate || time.safeParse(text).success ? new Date(text) : null;
  if (!at || at.getUTCFullYear() < 1971)
    throw invalidField(field, 'must be a date or a time in ISO 8601, such as 2026-11-15');
  return { at, day: isDate ? text : dayIn(timezone, at) };
}

function dayIn(timezone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(at);
  const part = (type: string) => parts.find((each) => each.type === type)!.value;
  return `${part('year')}-${part('month')}-${part('day')}`;
}
