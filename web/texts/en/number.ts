export const LOCALE = 'en-GB';

/** Returns a number with separators: 1,234. */
export function number(value: number): string {
  return new Intl.NumberFormat(LOCALE).format(value);
}

/**
 * Formats a number that is already in percent. One bounce among thousands is neither 0% nor 100%, so rates near an end
 * have two decimals, because providers judge complaints by tenths of a percent.
 */
export function percent(value: number): string {
  if (value > 0 && value < 0.01) return `<${format(0.01)}`;
  if (value < 100 && value > 99.99) return `>${format(99.99)}`;
  return format(value);
}

function format(value: number): string {
  const maximumFractionDigits = value < 1 || value > 99 ? 2 : 1;
  return new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits }).format(value / 100);
}
