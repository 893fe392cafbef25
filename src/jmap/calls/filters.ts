/** Reads the filter and the sort order of a /query call (RFC 8620 section 5.5). Invalid ones are method errors. */
import { MethodError, type Arguments } from './tools.ts';

export type Filter<Condition> =
  { operator: 'AND' | 'OR' | 'NOT'; conditions: Filter<Condition>[] } | { condition: Condition };

export interface Comparator<Property extends string> {
  property: Property;
  isAscending: boolean;
}

const MAX_DEPTH = 20;
const MAX_CONDITIONS = 200;
const MAX_COMPARATORS = 10;

/** A missing filter becomes an empty condition, which matches everything. */
export function readFilter<Condition>(
  value: unknown,
  readCondition: (filter: Arguments) => Condition,
  depth = 0,
): Filter<Condition> {
  if (value === null || value === undefined) return { condition: readCondition({}) };
  if (typeof value !== 'object' || Array.isArray(value) || depth > MAX_DEPTH)
    throw new MethodError(
      'unsupportedFilter',
      `A filter must be an object with at most ${MAX_DEPTH} levels.`,
    );
  const filter = value as Arguments;
  if (!Object.hasOwn(filter, 'operator')) return { condition: readCondition(filter) };
  const { operator, conditions } = filter;
  if (operator !== 'AND' && operator !== 'OR' && operator !== 'NOT')
    throw new MethodError('invalidArguments', 'operator must be AND, OR or NOT.');
  if (!Array.isArray(conditions) || conditions.length > MAX_CONDITIONS)
    throw new MethodError('unsupportedFilter', `conditions must be a list of at most ${MAX_CONDITIONS}.`);
  return { operator, conditions: conditions.map((each) => readFilter(each, readCondition, depth + 1)) };
}

/** For objects in memory. */
export function matchesFilter<Value>(value: Value, filter: Filter<(value: Value) => boolean>): boolean {
  if ('condition' in filter) return filter.condition(value);
  const { operator, conditions } = filter;
  if (operator === 'AND') return conditions.every((each) => matchesFilter(value, each));
  return conditions.some((each) => matchesFilter(value, each)) === (operator === 'OR');
}

export function unsupportedFilter(name: string): MethodError {
  return new MethodError('unsupportedFilter', `The filter ${name.slice(0, 100)} is not supported.`);
}

/** Returns an empty list if there is no sort order. */
export function readSort<Property extends string>(
  value: unknown,
  properties: readonly Property[],
): Comparator<Property>[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value) || value.length > MAX_COMPARATORS)
    throw new MethodError('invalidArguments', `sort must be a list of at most ${MAX_COMPARATORS}.`);
  return value.map((each: unknown) => {
    const { property, isAscending = true } = (
      typeof each === 'object' && each !== null ? each : {}
    ) as Arguments;
    if (typeof property !== 'string' || typeof isAscending !== 'boolean')
      throw new MethodError(
        'invalidArguments',
        'A comparator must have a property. isAscending must be true or false.',
      );
    const known = properties.find((name) => name === property);
    if (known === undefined)
      throw new MethodError('unsupportedSort', `The results can be sorted by ${properties.join(', ')}.`);
    return { property: known, isAscending };
  });
}
