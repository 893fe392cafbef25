import { infiniteQueryOptions } from '@tanstack/react-query';
import { getJson } from './client.ts';

export interface CursorPage<Item> {
  items: Item[];
  next_cursor: string | null;
}

const PAGE_SIZE = 100;

/** A paginated list that loads the next page as the user scrolls. */
export function cursorList<Item>(
  key: readonly unknown[],
  path: string,
  query: Record<string, string | number | boolean | undefined> = {},
  limit = PAGE_SIZE,
) {
  return infiniteQueryOptions({
    queryKey: [...key, query],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      getJson<CursorPage<Item>>(path, { ...query, limit, cursor: pageParam }, signal),
    getNextPageParam: (page) => page.next_cursor,
  });
}

interface ListState {
  state: { data?: { pages: readonly unknown[] } | undefined };
}

/** Refetches only while there is one page, because refetching a long list is too expensive. */
export function whileShort(everyMs: number): (list: ListState) => number | false {
  return ({ state: { data } }) => (data && data.pages.length > 1 ? false : everyMs);
}

/** Fetches all pages of a paginated list, for a choice among all items. */
export async function getAll<Item>(path: string, query: Record<string, string> = {}): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: CursorPage<Item> = await getJson(path, { ...query, limit: PAGE_SIZE, cursor });
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}
