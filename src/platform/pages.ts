/** Lists page by page along their ids: the cursor is the id of the last item of the page before. */
import { badRequest } from './errors.ts';
import { decodeId, type IdPrefix } from './ids.ts';

export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** The key behind which the page begins; null for the first one. */
export function readCursor(prefix: IdPrefix, cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const key = decodeId(prefix, cursor);
  if (!key) throw badRequest('cursor is not one that this list gave.');
  return key;
}

/** Of one row more than fits: whether it came tells whether there is a next page. */
export function toPage<Row, Item extends { id: string }>(
  rows: Row[],
  limit: number,
  present: (row: Row) => Item,
): Page<Item> {
  const items = rows.slice(0, limit).map(present);
  return { items, next_cursor: rows.length > limit ? items.at(-1)!.id : null };
}
