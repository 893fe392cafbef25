/**
 * Cursor pagination by ID, newest first. The cursor is the ID of the last item of the previous page. With `before`,
 * a page is read backwards: it has the items directly before that item, which are newer, in the same order as other
 * pages.
 */
import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import { badRequest } from './errors.ts';
import { decodeId, type IdPrefix } from './ids.ts';

export interface Page<Item> {
  items: Item[];
  /** The ID to continue with in the same direction; null at the end. */
  next_cursor: string | null;
}

/** Which page of a list to read. At most one of `cursor` and `before` is set. */
export interface PageRequest {
  limit: number;
  cursor?: string | undefined;
  before?: string | undefined;
}

export interface PageStart {
  /** The key after which the page begins; null for the first page. */
  key: string | null;
  comparison: '<' | '>';
  /** The order in which the rows must be queried. `toPage` reverses it if needed. */
  order: 'desc' | 'asc';
}

export function readPageStart(prefix: IdPrefix, { cursor, before }: PageRequest): PageStart {
  const isBackward = before !== undefined;
  return {
    key: readCursor(prefix, before ?? cursor),
    comparison: isBackward ? '>' : '<',
    order: isBackward ? 'asc' : 'desc',
  };
}

/** Returns the condition of the page as SQL. */
export function fromStart({ key, comparison }: PageStart, column: string): RawBuilder<boolean> {
  return key === null ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} ${sql.raw(comparison)} ${key}`;
}

/** Adds the condition, order and limit to a query of the builder: `.$call(onPage(start, page))`. */
export function onPage(start: PageStart, { limit }: PageRequest) {
  return <Db, Table extends keyof Db, Found>(query: SelectQueryBuilder<Db, Table, Found>) =>
    query
      .where(fromStart(start, 'id'))
      .orderBy(sql.ref('id'), start.order)
      .limit(limit + 1);
}

/** Returns `desc` or `asc` as SQL. */
export function orderOf({ order }: PageStart): RawBuilder<unknown> {
  return sql.raw(order);
}

/** Returns the key after which the page begins; null for the first page. */
export function readCursor(prefix: IdPrefix, cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const key = decodeId(prefix, cursor);
  if (!key) throw badRequest('The cursor is not valid for this list.');
  return key;
}

/** `rows` must be queried with `limit + 1`: an extra row means that there is a next page. */
export function toPage<Row, Item extends { id: string }>(
  rows: Row[],
  { limit, before }: PageRequest,
  present: (row: Row) => Item,
): Page<Item> {
  const items = rows.slice(0, limit).map(present);
  const next_cursor = rows.length > limit ? items.at(-1)!.id : null;
  return { items: before === undefined ? items : items.toReversed(), next_cursor };
}
