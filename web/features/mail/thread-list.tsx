/** The list of conversations: any length, only the rows in sight are in the page. */
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Inbox, Search } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { FolderOrView, Thread } from '../../../src/features/threads/threads.schema.ts';
import type { CursorPage } from '../../api/pages.ts';
import { mailTexts } from '../../texts/en/mail.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { ThreadRow } from './thread-row.tsx';

const t = mailTexts.list;
const ROW_PX = 78;
const FETCH_AHEAD_ROWS = 20;

interface ThreadListProps {
  query: UseInfiniteQueryResult<InfiniteData<CursorPage<Thread>>>;
  items: readonly Thread[];
  mailboxId: string;
  folder: FolderOrView;
  q: string;
  openId: string | undefined;
  cursorId: string | undefined;
  selected: ReadonlySet<string>;
  select(threadId: string, range: boolean): void;
}

export function ThreadList(props: ThreadListProps) {
  const { query, items, mailboxId, folder, q, openId, cursorId, selected, select } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => items[index]!.id,
    estimateSize: () => ROW_PX,
    overscan: 8,
  });
  const inSight = rows.getVirtualItems();
  const last = inSight.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isError } = query;
  useEffect(() => {
    const near = last + FETCH_AHEAD_ROWS >= items.length;
    if (near && hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [last, items.length, hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
  const shownId = cursorId ?? openId;
  useEffect(() => {
    const index = items.findIndex(({ id }) => id === shownId);
    if (index >= 0) rows.scrollToIndex(index, { align: 'auto' });
    // Only when another one is meant, not whenever the list changes around it.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [shownId]);

  if (query.isPending) return <ListSkeleton />;
  if (query.isError && items.length === 0) {
    return (
      <div className="p-4" children={<ErrorState error={query.error} retry={() => void query.refetch()} />} />
    );
  }
  if (items.length === 0) return <EmptyList folder={folder} q={q} />;
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
      <ul
        aria-label={t.label(mailTexts.folders[folder])}
        className="relative"
        style={{ height: rows.getTotalSize() }}
      >
        {inSight.map((row) => {
          const thread = items[row.index]!;
          return (
            <li
              key={thread.id}
              aria-setsize={hasNextPage ? -1 : items.length}
              aria-posinset={row.index + 1}
              className="absolute inset-x-0 top-0"
              style={{ height: ROW_PX, transform: `translateY(${row.start}px)` }}
            >
              <ThreadRow
                thread={thread}
                mailboxId={mailboxId}
                folder={folder}
                q={q}
                isOpen={thread.id === openId}
                isAtCursor={thread.id === cursorId}
                isSelected={selected.has(thread.id)}
                select={select}
              />
            </li>
          );
        })}
      </ul>
      <p role="status" className="py-2 text-center text-xs text-soft">
        {isFetchingNextPage ? t.more : ''}
      </p>
    </div>
  );
}

export function EmptyList({ folder, q }: { folder: FolderOrView; q: string }) {
  const Icon = q === '' ? Inbox : Search;
  return (
    <div className="flex flex-col items-center px-8 py-16 text-center">
      <Icon aria-hidden className="mb-3 size-7 text-soft" strokeWidth={1.5} />
      <p className="font-semibold">{q === '' ? t.emptyTitle[folder] : t.nothingFound}</p>
      <p className="mt-1 text-soft">{q === '' ? t.emptyText[folder] : t.nothingFoundText}</p>
    </div>
  );
}

export function ListSkeleton() {
  return (
    <div aria-hidden className="divide-y divide-line">
      {Array.from({ length: 8 }, (_, index) => (
        <div key={index} className="space-y-2 px-4 py-3">
          <Skeleton className="h-3.5 w-2/5" />
          <Skeleton className="h-3.5 w-4/5" />
        </div>
      ))}
    </div>
  );
}
