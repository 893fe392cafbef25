/**
 * Checks the number of list items and object keys before the contents are validated, so that rejecting a list of a
 * million invalid items is cheap.
 */
import { z } from 'zod';
import type { Issue } from '../../platform/errors.ts';
import { isObject } from '../../platform/is-object.ts';

/** Returns the first list or object with more entries than its shape allows. */
type Counter = (value: unknown, path: PropertyKey[]) => Excess | null;
type Excess = { path: PropertyKey[] } & Pick<Issue, 'message'>;

const counters = new WeakMap<z.ZodType, { count: Counter | null }>();

export function findExcess(schema: z.ZodType, value: unknown): Excess | null {
  return counterOf(schema)?.(value, []) ?? null;
}

export function maxItems(schema: z.ZodArray): number {
  const limits = (schema.def.checks ?? []).map(({ _zod: { def } }) =>
    'maximum' in def ? (def.maximum as number) : Infinity,
  );
  return Math.min(Infinity, ...limits);
}

/** Null if the shape contains nothing to count. */
function counterOf(schema: z.ZodType): Counter | null {
  let known = counters.get(schema);
  if (!known) {
    known = { count: makeCounter(schema) };
    counters.set(schema, known);
  }
  return known.count;
}

function makeCounter(schema: z.ZodType): Counter | null {
  if (schema instanceof z.ZodArray) return countItems(maxItems(schema), schema.element as z.ZodType);
  if (schema instanceof z.ZodRecord) {
    const most = (schema.meta()?.maxProperties as number | undefined) ?? Infinity;
    return countEntries(most, schema.valueType as z.ZodType);
  }
  if (schema instanceof z.ZodObject) return countFields(schema.shape);
  if (schema instanceof z.ZodUnion) return countFirst(schema.options as z.ZodType[]);
  if (schema instanceof z.ZodPipe) return counterOf(schema.in as z.ZodType);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return counterOf(schema.unwrap() as z.ZodType);
  return null;
}

function countItems(most: number, element: z.ZodType): Counter {
  const inner = counterOf(element);
  return (value, path) => {
    if (!Array.isArray(value)) return null;
    if (value.length > most) return { path, message: `must have at most ${most} items` };
    return inner && findIn(value.entries(), inner, path);
  };
}

function countEntries(most: number, entry: z.ZodType): Counter {
  const inner = counterOf(entry);
  return (value, path) => {
    if (!isObject(value)) return null;
    const names = Object.keys(value);
    if (names.length > most) return { path, message: `must have at most ${most} entries` };
    return inner && findIn(Object.entries(value), inner, path);
  };
}

function countFields(shape: Record<string, z.ZodType>): Counter | null {
  const fields = Object.entries(shape).flatMap(([name, schema]) => {
    const count = counterOf(schema);
    return count ? [{ name, count }] : [];
  });
  if (fields.length === 0) return null;
  return (value, path) => {
    if (!isObject(value)) return null;
    for (const { name, count } of fields) {
      const excess = Object.hasOwn(value, name) ? count(value[name], [...path, name]) : null;
      if (excess) return excess;
    }
    return null;
  };
}

function countFirst(options: z.ZodType[]): Counter | null {
  const counts = options.flatMap((option) => counterOf(option) ?? []);
  if (counts.length === 0) return null;
  return (value, path) => {
    for (const count of counts) {
      const excess = count(value, path);
      if (excess) return excess;
    }
    return null;
  };
}

function findIn(
  entries: Iterable<[PropertyKey, unknown]>,
  count: Counter,
  path: PropertyKey[],
): Excess | null {
  for (const [name, value] of entries) {
    const excess = count(value, [...path, name]);
    if (excess) return excess;
  }
  return null;
}
