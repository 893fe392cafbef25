/** The list of threads. Only visible rows are in the DOM. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Inbox, Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { hasFailed } from '../../../api/has-failed.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { draftedThreadsQuery, foldersQuery, isListed, useFolderName } from '../live/mail-api.ts';
import { RowLoader } from './row-loader.ts';
import { useShortcuts } from '../parts/shortcuts.ts';
import { ThreadRow } from './thread-row.tsx';
import { placeOf, type ThreadRows } from '../live/thread-rows.ts';

const t = mailTexts.list;
const ROW_PX = 78;

interface ThreadListProps {
  query: UseQueryResult<ThreadRows>;
  mailboxId: string;
  folder: string;
  q: string;
  openId: string | undefined;
  cursorId: string | undefined;
  selected: ReadonlySet<string>;
  select(threadId: string, range: boolean): void;
}

export function ThreadList(props: ThreadListProps) {
  const { query, folder, q } = props;
  if (query.data && query.data.rows.length > 0) return <Rows {...props} list={query.data} />;
  if (query.isPending) return <ListSkeleton />;
  if (hasFailed(query)) return <ListError query={query} />;
  return <EmptyList folder={folder} q={q} />;
}

function Rows(props: ThreadListProps & { list: ThreadRows }) {
  const { list, mailboxId, folder, q, openId, cursorId, selected, select } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [loader] = useState(() => new RowLoader(mailboxId, { folder, q }));
  const { rows, isCounted } = list;
  const name = useFolderName(mailboxId, folder);
  const { data: counts } = useQuery(foldersQuery(mailboxId));
  const draftCount = counts?.find((count) => count.folder === 'drafts')?.total ?? 0;
  const { data: drafted } = useQuery(draftedThreadsQuery(mailboxId, draftCount));
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: rowHeight,
    overscan: 8,
  });
  const inSight = virtual.getVirtualItems();
  const first = inSight[0]?.index ?? 0;
  const last = inSight.at(-1)?.index ?? 0;
  useEffect(() => loader.show(first, last), [loader, first, last, list]);
  const shownId = cursorId ?? openId;
  useEffect(() => {
    const index = placeOf(rows, shownId);
    if (index >= 0) virtual.scrollToIndex(index, { align: 'auto' });
    // Scroll only when another thread is opened, not whenever the list changes.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [shownId]);
  const home = () => scroller.current?.scrollTo({ top: 0 });
  const end = () => scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  useShortcuts(openId === undefined ? { Home: home, End: end } : {});

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
      <ul aria-label={t.label(name)} className="relative" style={{ height: virtual.getTotalSize() }}>
        {inSight.map(({ index, start }) => {
          const thread = rows[index];
          return (
            <li
              key={thread?.id ?? index}
              aria-setsize={isCounted ? rows.length : -1}
              aria-posinset={index + 1}
              aria-busy={thread ? undefined : true}
              className="absolute inset-x-0 top-0"
              style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
            >
              {thread ? (
                <ThreadRow
                  thread={thread}
                  mailboxId={mailboxId}
                  folder={folder}
                  q={q}
                  isOpen={thread.id === openId}
                  isAtCursor={thread.id === cursorId}
                  isSelected={selected.has(thread.id)}
                  hasDraft={draftCount > 0 && drafted?.has(thread.id) === true}
                  select={select}
                />
              ) : (
                <RowSkeleton />
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function rowHeight(): number {
  return ROW_PX;
}

/** The placeholder of a row that is being loaded. */
function RowSkeleton() {
  return (
    <div aria-hidden className="h-full space-y-2.5 border-b border-line py-3.5 pr-4 pl-9">
      <div className="h-3 w-2/5 rounded bg-hover" />
      <div className="h-3 w-4/5 rounded bg-hover" />
    </div>
  );
}

export function EmptyList({ folder, q }: { folder: string; q: string }) {
  const Icon = q === '' ? Inbox : Search;
  const kind = isListed(folder) ? folder : 'own';
  return (
    <div className="flex flex-col items-center px-8 py-16 text-center">
      <Icon aria-hidden className="mb-3 size-7 text-soft" strokeWidth={1.5} />
      <p className="font-semibold">{q === '' ? t.emptyTitle[kind] : t.nothingFound}</p>
      <p className="mt-1 text-soft">{q === '' ? t.emptyText[kind] : t.nothingFoundText}</p>
    </div>
  );
}

export function ListError({ query }: { query: Pick<UseQueryResult, 'error' | 'refetch'> }) {
  return (
    <div className="p-4">
      <ErrorState error={query.error} retry={() => void query.refetch()} />
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
