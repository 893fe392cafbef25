export const LOCALE = 'en-GB';

/** Returns a number as people write it: 1,234. */
export function number(value: number): string {
  return new Intl.NumberFormat(LOCALE).format(value);
}
