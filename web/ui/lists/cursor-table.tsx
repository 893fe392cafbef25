/**
 * A list of any length: only the visible rows are in the page, and the next page is fetched before its end is visible.
 * It scrolls with the window, so that the page has one scrollbar.
 */
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type CSSProperties, type ReactNode } from 'react';
import type { CursorPage } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { classes } from '../classes.ts';
import { tracksOf, type Column } from './columns.tsx';
import { ErrorState, SkeletonRows } from '../states.tsx';

type CursorQuery<Item> = UseInfiniteQueryResult<InfiniteData<CursorPage<Item>>>;

interface CursorTableProps<Item> {
  label: string;
  query: CursorQuery<Item>;
  columns: readonly Column<Item>[];
  /** The default is its ID. */
  keyOf?(item: Item): string;
  /** The keys of items that have just arrived. */
  fresh?: ReadonlySet<string>;
  empty: ReactNode;
}

const ROW_PX = 48;
const FETCH_AHEAD_ROWS = 25;

export function CursorTable<Item>(props: CursorTableProps<Item>) {
  const { label, query, columns, keyOf = idOf, fresh, empty } = props;
  const body = useRef<HTMLDivElement>(null);
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: body.current?.offsetTop ?? 0,
  });
  const inView = rows.getVirtualItems();
  useNextPage(query, items.length, inView.at(-1)?.index ?? 0);

  const { hasNextPage, isError } = query;
  // A page of search results may be empty and still have a next page.
  const isLooking = items.length === 0 && hasNextPage && !isError;
  if (query.isPending || isLooking) return <SkeletonRows />;
  if (isError && items.length === 0) {
    return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  }
  if (items.length === 0) return empty;
  const tracks = { '--narrow': tracksOf(columns, true), '--wide': tracksOf(columns, false) } as object;
  return (
    <>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={hasNextPage ? -1 : items.length + 1}
        style={tracks}
        className="rounded-xl border border-line"
      >
        <HeadRow columns={columns} />
        <div ref={body} role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
          {inView.map(({ index, start }) => (
            <BodyRow
              key={keyOf(items[index]!)}
              index={index}
              item={items[index]!}
              columns={columns}
              isFresh={fresh?.has(keyOf(items[index]!)) ?? false}
              style={{
                height: ROW_PX,
                transform: `translateY(${start - rows.options.scrollMargin}px)`,
              }}
            />
          ))}
        </div>
      </div>
      <p role="status" className="h-8 pt-2 text-center text-xs text-soft">
        {query.isFetchingNextPage ? texts.common.loading : ''}
      </p>
    </>
  );
}

/** Fetches the next page while the last row in view is near the end. */
function useNextPage<Item>(query: CursorQuery<Item>, count: number, last: number): void {
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isError, isPlaceholderData } = query;
  useEffect(() => {
    const isNear = last + FETCH_AHEAD_ROWS >= count;
    const mayFetch = hasNextPage && !isFetchingNextPage && !isError && !isPlaceholderData;
    if (isNear && mayFetch) void fetchNextPage();
  }, [last, count, hasNextPage, isFetchingNextPage, isError, isPlaceholderData, fetchNextPage]);
}

const rowClasses =
  'grid items-center gap-x-4 px-4 max-sm:gap-x-3 [grid-template-columns:var(--narrow)] sm:[grid-template-columns:var(--wide)]';

function HeadRow<Item>({ columns }: { columns: readonly Column<Item>[] }) {
  return (
    <div role="rowgroup">
      <div role="row" className={classes(rowClasses, 'h-9 border-b border-line text-xs text-soft')}>
        {columns.map(({ name, wideOnly, forActions, head }) => (
          <div key={name} role="columnheader" className={classes('min-w-0', wideOnly && 'max-sm:hidden')}>
            {head ?? <span className={forActions ? 'sr-only' : undefined}>{name}</span>}
          </div>
        ))}
      </div>
    </div>
  );
}

interface BodyRowProps<Item> {
  index: number;
  item: Item;
  columns: readonly Column<Item>[];
  isFresh: boolean;
  style: CSSProperties;
}

function BodyRow<Item>({ index, item, columns, isFresh, style }: BodyRowProps<Item>) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes(
        rowClasses,
        'absolute inset-x-0 top-0 border-b border-line last:border-b-0 hover:bg-hover/60',
        isFresh && 'bg-tint',
      )}
      style={style}
    >
      {columns.map(({ name, wideOnly, forActions, cell }) => (
        <div
          key={name}
          role="cell"
          className={classes(
            // The link is as high as the row, so that it is easy to hit with a finger.
            'min-w-0 truncate pointer-coarse:content-center pointer-coarse:self-stretch',
            wideOnly && 'max-sm:hidden',
            forActions && '-mr-2.5 text-right',
          )}
        >
          {cell(item)}
        </div>
      ))}
    </div>
  );
}

function idOf(item: unknown): string {
  return (item as { id: string }).id;
}
