/** The name of an entry, as the chart and the table show it. */
import { texts } from '../../texts/en.ts';
import type { Range } from './overview-range.ts';

export function entryName(date: string, { interval, timezone, from, to }: Range): string {
  const hasYears = from.slice(0, 4) !== to.slice(0, 4);
  const year = hasYears ? ({ year: 'numeric' } as const) : {};
  const format = (options: Intl.DateTimeFormatOptions, timeZone: string) =>
    new Intl.DateTimeFormat(texts.locale, { ...options, timeZone }).format(new Date(date));
  if (interval === 'hour') {
    return format({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }, timezone);
  }
  if (interval === 'month') return format({ month: 'short', year: 'numeric' }, 'UTC');
  return format({ day: 'numeric', month: 'short', ...year }, 'UTC');
}
