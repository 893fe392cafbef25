/** Maps the columns of a file to fields: recognised as the server does, then chosen by the user. */
import {
  CONTACT_FIELDS,
  recogniseField,
  SUBSCRIPTION_FIELDS,
  toVariableName,
} from '../../../src/features/audience/contacts/imports/column-names.ts';
import { findName } from '../../../src/mail/html/tag-names.ts';

export const TARGETS = [...CONTACT_FIELDS, 'property', 'skip'] as const;
export type Target = (typeof TARGETS)[number];

const PREFIX = 'property:';
/** Columns of our own export. */
const SKIPPED = ['unsubscribeReason', 'createdAt'];

/** True for a target that several columns can have. */
export function isShared(target: Target): boolean {
  return target === 'property' || target === 'skip' || isSubscription(target);
}

/** True for a column that says whether someone is subscribed. */
export function isSubscription(target: Target): boolean {
  return SUBSCRIPTION_FIELDS.some((field) => field === target);
}

/** The first column that looks like a field gets it. `rows` are the first rows of the file. */
export function guessTargets(columns: string[], rows: string[][] = []): Target[] {
  const taken = new Set<Target>();
  return columns.map((column, index) => {
    if (column === '' || SKIPPED.includes(column)) return 'skip';
    const values = rows.map((cells) => cells[index] ?? '');
    const guess: Target = recogniseField(column, values) ?? 'property';
    if (taken.has(guess)) return 'property';
    if (!isShared(guess)) taken.add(guess);
    return guess;
  });
}

/**
 * The mapping in the form of the API: the name of a field or property, or null. Columns without a name are left
 * out.
 */
export function toMapping(columns: string[], targets: Target[], variables: readonly string[]): string {
  const entries = columns.flatMap((column, index) => {
    const target = targets[index]!;
    if (column === '') return [];
    if (target === 'skip') return [[column, null]];
    return [[column, target === 'property' ? `${PREFIX}${propertyOf(column, variables)}` : target]];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/**
 * Returns a name that two columns have, unless both are skipped. The server tells columns apart by their names.
 */
export function findDoubled(columns: string[], targets: Target[]): string | undefined {
  const used = columns.filter((column, index) => column !== '' && targets[index] !== 'skip');
  return used.find((column) => columns.indexOf(column) !== columns.lastIndexOf(column));
}

/** Returns the property that two columns would fill, such as `City` for the columns City and city. */
export function findDoubledProperty(columns: string[], targets: Target[]): string | undefined {
  const properties: string[] = [];
  for (const [index, column] of columns.entries()) {
    if (column === '' || targets[index] !== 'property') continue;
    const property = propertyOf(column, []);
    if (findName(properties, property) !== undefined) return column;
    properties.push(property);
  }
  return undefined;
}

/** A column City is the book's variable `city`, and a column Sign-up date the new variable `Sign_up_date`. */
export function propertyOf(column: string, variables: readonly string[]): string {
  if (column.startsWith(PREFIX)) return column.slice(PREFIX.length);
  const name = toVariableName(column) ?? column;
  return findName(variables, name) ?? name;
}
