/** Lengths of time such as `3 days`, as the API writes them, for a field with a number and one with a unit. */
export const UNITS = ['seconds', 'minutes', 'hours', 'days', 'weeks'] as const;
export type Unit = (typeof UNITS)[number];

export interface DurationParts {
  count: string;
  unit: Unit;
}

export function readDuration(text: string): DurationParts {
  const [, count = '', unit = 'day'] = /^(\d*) ?([a-z]+?)s?$/.exec(text.trim().toLowerCase()) ?? [];
  return { count, unit: UNITS.find((each) => each === `${unit}s`) ?? 'days' };
}

export function writeDuration({ count, unit }: DurationParts): string {
  return `${count} ${Number(count) === 1 ? unit.slice(0, -1) : unit}`;
}
