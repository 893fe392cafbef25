/**
 * The filter and the order of Mailbox/query (RFC 8621 section 2.3). A mailbox has few folders, so both are applied in
 * memory.
 */
import {
  matchesFilter,
  readFilter,
  readSort,
  unsupportedFilter,
  type Comparator,
  type Filter,
} from '../calls/filters.ts';
import { MethodError } from '../calls/tools.ts';
import type { MailboxObject } from './mailbox-objects.ts';

type MailboxCondition = (mailbox: MailboxObject) => boolean;
export type MailboxFilter = Filter<MailboxCondition>;
export type MailboxSort = Comparator<(typeof SORTED_BY)[number]>;

const SORTED_BY = ['name', 'sortOrder', 'parentId'] as const;
const DEFAULT_SORT: MailboxSort[] = [
  { property: 'sortOrder', isAscending: true },
  { property: 'name', isAscending: true },
];

export function readMailboxFilter(value: unknown): MailboxFilter {
  return readFilter(value, (filter) => {
    const conditions = Object.entries(filter).map(([name, each]) => readCondition(name, each));
    return (mailbox) => conditions.every((matches) => matches(mailbox));
  });
}

function readCondition(name: string, value: unknown): MailboxCondition {
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
    ? new MethodError('invalidArguments', `The value of ${name} has the wrong type.`)
    : unsupportedFilter(name);
}

export function readMailboxSort(value: unknown): MailboxSort[] {
  return value === null || value === undefined ? DEFAULT_SORT : readSort(value, SORTED_BY);
}

/** Returns the IDs in order. */
export function matchMailboxes(
  all: readonly MailboxObject[],
  filter: MailboxFilter,
  sort: readonly MailboxSort[],
  { sortAsTree, filterAsTree }: { sortAsTree: boolean; filterAsTree: boolean },
): string[] {
  const byId = new Map(all.map((mailbox) => [mailbox.id, mailbox]));
  const matches = (mailbox: MailboxObject): boolean => {
    if (!matchesFilter(mailbox, filter)) return false;
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
