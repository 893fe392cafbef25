/** A list of cards in columns, which is loaded page by page when somebody asks for more. */
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { CursorPage } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../button.tsx';
import { ErrorState, Skeleton } from '../states.tsx';

interface CardGridProps<Item> {
  label: string;
  query: UseInfiniteQueryResult<InfiniteData<CursorPage<Item>>>;
  /** What stands there while the first cards are loaded. */
  skeleton: { count: number; className: string };
  empty: ReactNode;
  /** The words on the button that fetches more. */
  more: string;
  /** Returns an `li` with a key. */
  children: (item: Item) => ReactNode;
}

const GRID = 'grid grid-cols-2 gap-4 sm:grid-cols-3 lg:grid-cols-4 empty:hidden';

export function CardGrid<Item>({ label, query, skeleton, empty, more, children }: CardGridProps<Item>) {
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {query.isPending && (
        <div role="status" className={GRID}>
          <span className="sr-only">{texts.common.loading}</span>
          {Array.from({ length: skeleton.count }, (_, index) => (
            <Skeleton key={index} className={skeleton.className} />
          ))}
        </div>
      )}
      {query.isError && <ErrorState error={query.error} retry={() => void query.refetch()} />}
      {query.isSuccess && items.length === 0 && empty}
      <ul aria-label={label} className={GRID}>
        {items.map(children)}
      </ul>
      {query.hasNextPage && (
        <Button className="mt-4" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {more}
        </Button>
      )}
    </>
  );
}
