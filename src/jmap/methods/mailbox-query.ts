/** The filter and the order of Mailbox/query (RFC 8621 section 2.3). A mailbox has few folders, so it is done in memory. */
import { MethodError } from '../calls/tools.ts';
import type { MailboxObject } from './mailbox-objects.ts';

export type MailboxFilter = (mailbox: MailboxObject) => boolean;

export interface MailboxSort {
  property: 'name' | 'sortOrder' | 'parentId';
  isAscending: boolean;
}

const MAX_DEPTH = 20;
const MAX_CONDITIONS = 200;
const DEFAULT_SORT: MailboxSort[] = [
  { property: 'sortOrder', isAscending: true },
  { property: 'name', isAscending: true },
];

export function readMailboxFilter(value: unknown, depth = 0): MailboxFilter {
  if (value === null || value === undefined) return () => true;
  if (typeof value !== 'object' || Array.isArray(value) || depth > MAX_DEPTH)
    throw new MethodError('unsupportedFilter', 'A filter must be an object with few levels.');
  const filter = value as Record<string, unknown>;
  if (Object.hasOwn(filter, 'operator')) {
    const { operator, conditions } = filter;
    if (!Array.isArray(conditions) || conditions.length > MAX_CONDITIONS)
      throw new MethodError('unsupportedFilter', `conditions must be a list of at most ${MAX_CONDITIONS}.`);
    const filters = conditions.map((each) => readMailboxFilter(each, depth + 1));
    if (operator === 'AND') return (mailbox) => filters.every((matches) => matches(mailbox));
    if (operator === 'OR') return (mailbox) => filters.some((matches) => matches(mailbox));
    if (operator === 'NOT') return (mailbox) => !filters.some((matches) => matches(mailbox));
    throw new MethodError('invalidArguments', 'operator must be AND, OR or NOT.');
  }
  const conditions = Object.entries(filter).map(([name, each]) => readCondition(name, each));
  return (mailbox) => conditions.every((matches) => matches(mailbox));
}

function readCondition(name: string, value: unknown): MailboxFilter {
  const isTextOrNull = value === null || typeof value === 'string';
  if (name === 'parentId' && isTextOrNull) return ({ parentId }) => parentId === value;
  if (name === 'role' && isTextOrNull) return ({ role }) => role === value;
  if (name === 'name' && typeof value === 'string') {
    const wanted = value.toLowerCase();
    return (mailbox) => mailbox.name.toLowerCase().includes(wanted);
  }
  if (name === 'hasAnyRole' && typeof value === 'boolean') return ({ role }) => (role !== null) === value;
  if (name === 'isSubscribed' && typeof value === 'boolean')
    return ({ isSubscribed }) => isSubscribed === value;
  const isKnown = ['parentId', 'role', 'name', 'hasAnyRole', 'isSubscribed'].includes(name);
  throw isKnown
    ? new MethodError('invalidArguments', `The value of ${name} has a wrong type.`)
    : new MethodError('unsupportedFilter', `The filter ${name.slice(0, 100)} is not supported.`);
}

export function readMailboxSort(value: unknown): MailboxSort[] {
  if (value === null || value === undefined) return DEFAULT_SORT;
  if (!Array.isArray(value) || value.length > 10)
    throw new MethodError('invalidArguments', 'sort must be a list of at most 10.');
  return value.map((each: unknown) => {
    const { property, isAscending = true } = (
      typeof each === 'object' && each !== null ? each : {}
    ) as Record<string, unknown>;
    if (typeof property !== 'string' || typeof isAscending !== 'boolean')
      throw new MethodError('invalidArguments', 'A comparator has a property and isAscending.');
    if (property !== 'name' && property !== 'sortOrder' && property !== 'parentId')
      throw new MethodError('unsupportedSort', `Sorting by ${property.slice(0, 100)} is not supported.`);
    return { property, isAscending };
  });
}

/** The ids in order. */
export function matchMailboxes(
  all: readonly MailboxObject[],
  filter: MailboxFilter,
  sort: readonly MailboxSort[],
  { sortAsTree, filterAsTree }: { sortAsTree: boolean; filterAsTree: boolean },
): string[] {
  const byId = new Map(all.map((mailbox) => [mailbox.id, mailbox]));
  const matches = (mailbox: MailboxObject): boolean => {
    if (!filter(mailbox)) return false;
    const parent = filterAsTree && mailbox.parentId !== null ? byId.get(mailbox.parentId) : undefined;
    return !parent || matches(parent);
  };
  const sorted = all.toSorted((a, b) => compare(a, b, sort));
  const ordered = sortAsTree ? asTree(sorted, null) : sorted;
  return ordered.filter(matches).map(({ id }) => id);
}

function asTree(sorted: readonly MailboxObject[], parentId: string | null): MailboxObject[] {
  return sorted
    .filter((mailbox) => mailbox.parentId === parentId)
    .flatMap((mailbox) => [mailbox, ...asTree(sorted, mailbox.id)]);
}

function compare(a: MailboxObject, b: MailboxObject, sort: readonly MailboxSort[]): number {
  for (const { property, isAscending } of sort) {
    const order =
      property === 'sortOrder'
        ? a.sortOrder - b.sortOrder
        : compareText(a[property] ?? '', b[property] ?? '');
    if (order !== 0) return isAscending ? order : -order;
  }
  return compareText(a.id, b.id);
}

const collator = new Intl.Collator('en', { sensitivity: 'base' });

function compareText(a: string, b: string): number {
  return collator.compare(a, b);
}
