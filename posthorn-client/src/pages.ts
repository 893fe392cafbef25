export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** A list that is read page by page. `for await` iterates over all its items. */
export interface Pages<Item> extends AsyncIterable<Item> {
  /** Reads one page: the first one, or the page at the cursor in the query. */
  page(): Promise<Page<Item>>;
}

export function createPages<Item>(
  readPage: (cursor: string | undefined) => Promise<Page<Item>>,
  cursor: string | undefined,
): Pages<Item> {
  return {
    page: () => readPage(cursor),
    async *[Symbol.asyncIterator]() {
      let next: string | null | undefined = cursor;
      do {
        const page: Page<Item> = await readPage(next ?? undefined);
        yield* page.items;
        next = page.next_cursor;
      } while (next !== null);
    },
  };
}
