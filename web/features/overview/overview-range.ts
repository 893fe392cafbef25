/**
 * The selection of the overview, as stored in its address: a range of days, the length of one entry, a time zone and
 * filters.
 */
import { addDays, DAY_MS } from '../../ui/dates/date-text.ts';
import { OWN_ZONE } from '../../ui/dates/time-zone.ts';

export const PRESETS = [1, 7, 30, 90, 365] as const;
export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
type Interval = (typeof INTERVALS)[number];
export const MAX_DAYS = 400;

export interface OverviewSearch {
  days?: (typeof PRESETS)[number];
  /** A range of days replaces `days`. */
  from?: string;
  to?: string;
  interval?: Interval;
  zone?: string;
  domainId?: number;
  campaignId?: string;
  tag?: string;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const TAG = /^[\w-]{1,256}:[\w-]{1,256}$/;

export function readSearch(search: Record<string, unknown>): OverviewSearch {
  const text = (name: string) => (typeof search[name] === 'string' ? search[name] : undefined);
  const date = (name: string) => (isDate(text(name)) ? text(name) : undefined);
  const [from, to] = [date('from'), date('to')];
  const hasRange = from !== undefined && to !== undefined && from <= to && daysBetween(from, to) <= MAX_DAYS;
  const tag = text('tag');
  return {
    days: hasRange ? undefined : PRESETS.find((days) => days !== 30 && days === search.days),
    ...(hasRange ? { from, to } : {}),
    interval: INTERVALS.find((interval) => interval === search.interval),
    zone: isZone(text('zone')) ? text('zone') : undefined,
    domainId: Number(search.domainId) || undefined,
    campaignId: text('campaignId'),
    tag: tag !== undefined && isTag(tag) ? tag : undefined,
  };
}

export function isTag(text: string): boolean {
  return TAG.test(text);
}

function isDate(text: string | undefined): boolean {
  if (text === undefined || !DATE.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isZone(zone: string | undefined): boolean {
  if (zone === undefined) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }));
  } catch {
    return false;
  }
}

/** Counts both days. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
}

export interface Range {
  from: string;
  to: string;
  interval: Interval;
  timezone: string;
}

export function rangeOf(search: OverviewSearch, now: Date): Range {
  const timezone = search.zone ?? OWN_ZONE;
  const today = dayIn(timezone, now);
  const to = search.to ?? today;
  const from = search.from ?? addDays(today, 1 - (search.days ?? 30));
  return { from, to, interval: search.interval ?? usualInterval(daysBetween(from, to)), timezone };
}

function usualInterval(days: number): Interval {
  if (days <= 2) return 'hour';
  return days <= 92 ? 'day' : 'week';
}

function dayIn(zone: string, at: Date): string {
  return new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(at);
}

/** Returns the position of the entry that contains the current time, or -1. */
export function unfinishedAt(dates: readonly string[], { interval, timezone }: Range, now: Date): number {
  const present = interval === 'hour' ? now.toISOString() : dayIn(timezone, now);
  const at = dates.findLastIndex((date) => date <= present);
  if (at === -1) return -1;
  return present < endOf(dates[at]!, interval) ? at : -1;
}

function endOf(date: string, interval: Interval): string {
  if (interval === 'hour') return new Date(Date.parse(date) + DAY_MS / 24).toISOString();
  if (interval === 'month') {
    const start = new Date(date);
    return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1)).toISOString().slice(0, 10);
  }
  return addDays(date, interval === 'week' ? 7 : 1);
}
