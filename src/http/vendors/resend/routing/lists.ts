/**
 * Resend's lists: `{object: "list", has_more, data}`, newest first. `after` continues after an item, and `before` reads
 * the items directly before one.
 */
import { z } from 'zod';
import { badRequest } from '../../../../platform/errors.ts';
import type { Page, PageRequest } from '../../../../platform/pages.ts';
import { integerText, text } from '../../../../platform/schema.ts';

const cursor = text({ min: 1, max: 256 }).optional();
const listFields = { limit: integerText(1, 100).default(20), after: cursor, before: cursor };

/** A list with its own filters. */
export function listQueryWith<Filters extends z.ZodRawShape>(filters: Filters) {
  return z.object({ ...listFields, ...filters });
}
export const listQuery = listQueryWith({});

type ListQuery = z.output<typeof listQuery>;

export function toPageRequest({ limit, after, before }: ListQuery): PageRequest {
  if (after !== undefined && before !== undefined)
    throw badRequest('after and before cannot be used together.');
  return { limit, cursor: after, before };
}

export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ object: z.literal('list'), has_more: z.boolean(), data: z.array(item) });
}

export function toList<From, To>(page: Page<From>, present: (item: From) => To) {
  return { object: 'list' as const, has_more: page.next_cursor !== null, data: page.items.map(present) };
}

/** Returns a page of a list that is read as a whole, because it is short. */
export function pageOf<Item>(all: Item[], query: ListQuery, idOf: (item: Item) => string): Page<Item> {
  const { limit, cursor: after, before } = toPageRequest(query);
  const at = after ?? before;
  const found = at === undefined ? -1 : all.findIndex((item) => idOf(item) === at);
  if (at !== undefined && found === -1) throw badRequest('The cursor is not valid for this list.');
  const begin = before === undefined ? found + 1 : Math.max(0, found - limit);
  const end = before === undefined ? begin + limit : found;
  const items = all.slice(begin, end);
  const hasMore = before === undefined ? end < all.length : begin > 0;
  const last = before === undefined ? items.at(-1) : items[0];
  return { items, next_cursor: hasMore && last !== undefined ? idOf(last) : null };
}
