/**
 * A list of any length: only the rows in sight are in the page, and the next page is fetched before its end comes
 * into sight. It scrolls with the window, so that nothing has two scrollbars.
 */
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';
import type { CursorPage } from '../api/pages.ts';
import { texts } from '../texts/en.ts';
import { classes } from './classes.ts';
import { ErrorState, SkeletonRows } from './states.tsx';

interface Column<Item> {
  name: string;
  /** A track of the grid, as `minmax(0, 2fr)`. */
  width: string;
  /** Another one on a phone. */
  narrowWidth?: string;
  /** Left out on a phone. */
  wideOnly?: boolean;
  /** Holds buttons: its name is only read out. */
  forActions?: boolean;
  cell(item: Item): ReactNode;
}

interface CursorTableProps<Item> {
  label: string;
  query: UseInfiniteQueryResult<InfiniteData<CursorPage<Item>>>;
  columns: readonly Column<Item>[];
  keyOf(item: Item): string;
  empty: ReactNode;
}

const ROW_PX = 48;
const FETCH_AHEAD_ROWS = 25;

export function CursorTable<Item>({ label, query, columns, keyOf, empty }: CursorTableProps<Item>) {
  const body = useRef<HTMLDivElement>(null);
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: body.current?.offsetTop ?? 0,
  });
  const inSight = rows.getVirtualItems();
  const last = inSight.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isError, isPlaceholderData } = query;
  useEffect(() => {
    const near = last + FETCH_AHEAD_ROWS >= items.length;
    const mayFetch = hasNextPage && !isFetchingNextPage && !isError && !isPlaceholderData;
    if (near && mayFetch) void fetchNextPage();
  }, [last, items.length, hasNextPage, isFetchingNextPage, isError, isPlaceholderData, fetchNextPage]);

  // A page of a search may be empty and lead on.
  const isLooking = items.length === 0 && hasNextPage && !isError;
  if (query.isPending || isLooking) return <SkeletonRows />;
  if (query.isError && items.length === 0) {
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
        <div role="rowgroup">
          <div role="row" className={classes(rowClasses, 'h-9 border-b border-line text-xs text-soft')}>
            {columns.map(({ name, wideOnly, forActions }) => (
              <div key={name} role="columnheader" className={classes('min-w-0', wideOnly && 'max-sm:hidden')}>
                <span className={forActions ? 'sr-only' : undefined}>{name}</span>
              </div>
            ))}
          </div>
        </div>
        <div ref={body} role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
          {inSight.map((row) => {
            const item = items[row.index]!;
            return (
              <div
                key={keyOf(item)}
                role="row"
                aria-rowindex={row.index + 2}
                className={classes(
                  rowClasses,
                  'absolute inset-x-0 top-0 border-b border-line last:border-b-0 hover:bg-hover/60',
                )}
                style={{
                  height: ROW_PX,
                  transform: `translateY(${row.start - rows.options.scrollMargin}px)`,
                }}
              >
                {columns.map(({ name, wideOnly, forActions, cell }) => (
                  <div
                    key={name}
                    role="cell"
                    className={classes(
                      'min-w-0 truncate',
                      wideOnly && 'max-sm:hidden',
                      forActions && '-mr-2.5 text-right',
                    )}
                  >
                    {cell(item)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      <p role="status" className="h-8 pt-2 text-center text-xs text-soft">
        {isFetchingNextPage ? texts.common.loading : ''}
      </p>
    </>
  );
}

const rowClasses =
  'grid items-center gap-4 px-4 [grid-template-columns:var(--narrow)] sm:[grid-template-columns:var(--wide)]';

function tracksOf<Item>(columns: readonly Column<Item>[], narrow: boolean): string {
  return columns
    .filter(({ wideOnly }) => !(narrow && wideOnly))
    .map(({ width, narrowWidth }) => (narrow && narrowWidth) || width)
    .join(' ');
}
