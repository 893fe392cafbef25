/** Says in words how an event repeats (RFC 5545 section 3.3.10). */
import { arrivalTexts } from '../../../texts/en/mail-arrival.ts';
import { texts } from '../../../texts/en.ts';

const t = arrivalTexts.invitation;
const UNITS: Record<string, 'day' | 'week' | 'month' | 'year'> = {
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
  YEARLY: 'year',
};
const DAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
/** A Sunday. */
const FIRST_DAY = Date.UTC(2026, 10, 1);

/** A rule that has no words here is shown as it is. */
export function describeRecurrence(rule: string): string {
  const parts = new Map(
    rule.split(';').map((part): [string, string] => {
      const [name = '', value = ''] = part.split('=');
      return [name.trim().toUpperCase(), value.trim().toUpperCase()];
    }),
  );
  const unit = UNITS[parts.get('FREQ') ?? ''];
  if (!unit) return rule;
  const count = Number(parts.get('COUNT'));
  const days = (parts.get('BYDAY') ?? '').split(',').map((day) => DAYS.indexOf(day));
  const names = unit === 'week' && days.every((day) => day >= 0) ? days.map(nameOfDay) : [];
  return [
    t.every(Number(parts.get('INTERVAL')) || 1, unit),
    new Intl.ListFormat(texts.locale).format(names),
    count > 0 ? t.times(count) : '',
    untilOf(parts.get('UNTIL') ?? ''),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function nameOfDay(day: number): string {
  const at = new Date(FIRST_DAY + day * 86_400_000);
  return new Intl.DateTimeFormat(texts.locale, { weekday: 'long', timeZone: 'UTC' }).format(at);
}

function untilOf(value: string): string {
  const match = /^(\d{4})(\d{2})(\d{2})/.exec(value);
  if (!match) return '';
  const day = new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])));
  return t.until(new Intl.DateTimeFormat(texts.locale, { dateStyle: 'long', timeZone: 'UTC' }).format(day));
}
