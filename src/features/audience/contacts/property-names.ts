/**
 * The names of properties. They compare by `propertyKey`. A property that is a variable of the book is stored under the
 * variable's name, any other under the name by which the contact got it first (`merge_properties` in
 * migrations/functions.sql).
 */
import { propertyKey } from '../../../mail/html/tag-names.ts';

type Properties<Value> = Record<string, Value>;

/** Merges properties in order: the last value of a key wins, under its first name. */
export function mergeProperties<Value>(...all: (Properties<Value> | null | undefined)[]): Properties<Value> {
  const names = new Map<string, string>();
  const merged: [string, Value][] = [];
  for (const [name, value] of all.flatMap((each) => Object.entries(each ?? {}))) {
    const key = propertyKey(name);
    if (!names.has(key)) names.set(key, name);
    merged.push([names.get(key)!, value]);
  }
  return Object.fromEntries(merged);
}

/** Returns the value of the property, whatever its spelling. */
export function propertyOf<Value>(properties: Properties<Value>, name: string): Value | undefined {
  if (Object.hasOwn(properties, name)) return properties[name];
  const key = propertyKey(name);
  return Object.entries(properties).find(([each]) => propertyKey(each) === key)?.[1];
}
