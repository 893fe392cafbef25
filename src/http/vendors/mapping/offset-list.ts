/** Lists with an offset, as some vendors have them, built from our pages with a cursor. */
import type { Page } from '../../../platform/pages.ts';

const MAX_PAGE = 1_000;
/** The search stops here, so that a request with a rare filter ends. */
const MAX_PAGES = 20;

export interface OffsetQuery {
  offset: number;
  count: number;
}

/** `total` is exact at the end of the list. Before that it is more than `offset + count`, so that clients continue. */
export async function collect<Item>(
  { offset, count }: OffsetQuery,
  read: (page: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>,
  matches: (item: Item) => boolean = () => true,
): Promise<{ items: Item[]; total: number }> {
  const found: Item[] = [];
  // Without a filter, the first page is enough.
  let limit = Math.min(offset + count + 1, MAX_PAGE);
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && found.length <= offset + count; page++) {
    const { items, next_cursor } = await read({ limit, cursor });
    found.push(...items.filter(matches));
    if (next_cursor === null) break;
    cursor = next_cursor;
    limit = MAX_PAGE;
  }
  return { items: found.slice(offset, offset + count), total: found.length };
}
