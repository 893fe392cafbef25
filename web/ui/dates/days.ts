/**
 * Converts between the days of a form or filter (`2026-12-20`) in the time zone of the browser and the times of the API.
 */

/** Null if it is empty or no day. */
export function startOfDay(day: string): string | null {
  return midnight(day, 0);
}

/** Returns the first moment after the day. */
export function endOfDay(day: string): string | null {
  return midnight(day, 1);
}

/** Returns what a filter from one day to another, both included, asks the API for. */
export function timesOf({ since, until }: { since?: string; until?: string }) {
  return { since: startOfDay(since ?? '') ?? undefined, until: endOfDay(until ?? '') ?? undefined };
}

export function firstDayOf(time: string | null): string {
  return time === null ? '' : toDay(new Date(time));
}

/** Returns the last day with a moment before the time. */
export function lastDayOf(time: string | null): string {
  return time === null ? '' : toDay(new Date(Date.parse(time) - 1));
}

function midnight(day: string, daysLater: number): string | null {
  const [year, month, date] = day.split('-').map(Number);
  const at = new Date(year!, month! - 1, date! + daysLater);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

function toDay(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}
