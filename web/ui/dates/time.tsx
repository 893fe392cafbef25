import { texts } from '../../texts/en.ts';
import { offsetOf, zoneOf } from './time-zone.ts';

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat(texts.locale, { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'medium' });
const WEEK_SECONDS = 7 * 86_400;

function formatExact(iso: string): string {
  const at = new Date(iso);
  return `${exact.format(at)} ${offsetOf(at)}`;
}

function formatRelative(iso: string): string {
  const seconds = (Date.parse(iso) - Date.now()) / 1000;
  if (Math.abs(seconds) > WEEK_SECONDS) return day.format(new Date(iso));
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return texts.common.justNow;
}

/** Shows how long ago a time was, with the exact time as a tooltip. */
export function Time({ at, precise }: { at: string; precise?: boolean }) {
  return (
    <time
      dateTime={at}
      title={`${exact.format(new Date(at))} (${zoneOf(new Date(at))})`}
      className="whitespace-nowrap"
    >
      {precise ? formatExact(at) : formatRelative(at)}
    </time>
  );
}
