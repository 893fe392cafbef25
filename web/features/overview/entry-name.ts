/** The names of entries, as the chart and the table show them. */
import { texts } from '../../texts/en.ts';
import type { Range } from './overview-range.ts';

export function entryNames(dates: readonly string[], range: Range): string[] {
  const formats = formatsOf(range);
  const names = dates.map((date) => formats.usual.format(new Date(date)));
  // When the clocks go back, an hour occurs twice.
  return names.map((name, at) =>
    name === names[at - 1] || name === names[at + 1] ? formats.exact.format(new Date(dates[at]!)) : name,
  );
}

function formatsOf({ interval, timezone, from, to }: Range): Record<'usual' | 'exact', Intl.DateTimeFormat> {
  const hasYears = from.slice(0, 4) !== to.slice(0, 4);
  const year = hasYears ? ({ year: 'numeric' } as const) : {};
  const parts: Intl.DateTimeFormatOptions =
    interval === 'hour'
      ? { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: timezone }
      : interval === 'month'
        ? { month: 'short', year: 'numeric', timeZone: 'UTC' }
        : { day: 'numeric', month: 'short', ...year, timeZone: 'UTC' };
  return {
    usual: new Intl.DateTimeFormat(texts.locale, parts),
    exact: new Intl.DateTimeFormat(texts.locale, { ...parts, timeZoneName: 'shortOffset' }),
  };
}
