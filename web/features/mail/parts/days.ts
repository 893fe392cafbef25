/**
 * Converts between the days of a form (`2026-12-20`, empty for none) in the time zone of the browser and the times of
 * the API.
 */

export function startOfDay(day: string): string | null {
  const [year, month, date] = day.split('-').map(Number);
  return day === '' ? null : new Date(year!, month! - 1, date).toISOString();
}

/** Returns the first moment after the day. */
export function endOfDay(day: string): string | null {
  const [year, month, date] = day.split('-').map(Number);
  return day === '' ? null : new Date(year!, month! - 1, date! + 1).toISOString();
}

export function firstDayOf(time: string | null): string {
  return time === null ? '' : toDay(new Date(time));
}

/** Returns the last day with a moment before the time. */
export function lastDayOf(time: string | null): string {
  return time === null ? '' : toDay(new Date(Date.parse(time) - 1));
}

function toDay(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}
