/**
 * What happens in a mailbox, as it happens. The browser's own EventSource comes back by itself with the last id that
 * it saw; after sleep or without a network that can take long, so waking up asks for everything anew.
 */
import type { InfiniteData } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Thread, ThreadWithMessages } from '../../../src/features/threads/threads.schema.ts';
import { apiUrl, getJson } from '../../api/client.ts';
import type { CursorPage } from '../../api/pages.ts';
import { queryClient } from '../../api/query-client.ts';
import { draftsQuery, foldersQuery, threadQuery, threadsKey, waitingQuery } from './mail-api.ts';

type List = InfiniteData<CursorPage<Thread>, string | null>;

const EVENTS = ['message.received', 'thread.changed', 'message.left', 'message.taken_back'];
const GATHER_MS = 120;
const MANY = 20;
const COME_BACK_MS = 4_000;

/** Whether the line is up. */
export function useLiveMailbox(mailboxId: string): boolean {
  const [isUp, setIsUp] = useState(true);
  useEffect(() => {
    const changed = new Set<string>();
    let timer: number | undefined;
    let again: number | undefined;
    let source: EventSource | null = null;
    const gather = (event: MessageEvent<string>) => {
      changed.add((JSON.parse(event.data) as { thread_id: string }).thread_id);
      timer ??= window.setTimeout(() => {
        timer = undefined;
        const ids = [...changed];
        changed.clear();
        void refresh(mailboxId, ids);
      }, GATHER_MS);
    };
    const open = () => {
      source?.close();
      source = new EventSource(apiUrl(`/mailboxes/${mailboxId}/events`));
      source.addEventListener('open', () => setIsUp(true));
      source.addEventListener('error', () => {
        setIsUp(false);
        // It comes back by itself after a cut, but not after an answer that was no stream.
        window.clearTimeout(again);
        if (source?.readyState === EventSource.CLOSED) again = window.setTimeout(open, COME_BACK_MS);
      });
      for (const name of EVENTS) source.addEventListener(name, gather);
    };
    const wake = () => {
      if (document.visibilityState !== 'visible') return;
      if (source?.readyState !== EventSource.OPEN) open();
      void queryClient.invalidateQueries({ queryKey: ['mail', mailboxId] });
    };
    open();
    document.addEventListener('visibilitychange', wake);
    window.addEventListener('online', wake);
    return () => {
      source?.close();
      window.clearTimeout(timer);
      window.clearTimeout(again);
      document.removeEventListener('visibilitychange', wake);
      window.removeEventListener('online', wake);
    };
  }, [mailboxId]);
  return isUp;
}

async function refresh(mailboxId: string, threadIds: readonly string[]): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: foldersQuery(mailboxId).queryKey });
  void queryClient.invalidateQueries({ queryKey: waitingQuery(mailboxId).queryKey });
  void queryClient.invalidateQueries({ queryKey: draftsQuery(mailboxId).queryKey });
  if (threadIds.length > MANY) {
    await queryClient.invalidateQueries({ queryKey: ['mail', mailboxId] });
    return;
  }
  await Promise.all([...threadIds.map((id) => refreshThread(mailboxId, id)), refreshHeads(mailboxId)]);
}

/** Only where it is on the screen or was: what is not here is fetched when it is wanted. */
async function refreshThread(mailboxId: string, threadId: string): Promise<void> {
  const { queryKey } = threadQuery(mailboxId, threadId);
  if (queryClient.getQueryData(queryKey)) await queryClient.invalidateQueries({ queryKey });
  const thread = queryClient.getQueryData<ThreadWithMessages>(queryKey);
  if (!thread) return;
  const { messages: _, ...fresh } = thread;
  queryClient.setQueriesData<List>(
    { queryKey: threadsKey(mailboxId) },
    (list) => list && mapItems(list, (item) => (item.id === threadId ? fresh : item)),
  );
}

function mapItems(list: List, change: (thread: Thread) => Thread): List {
  return { ...list, pages: list.pages.map((page) => ({ ...page, items: page.items.map(change) })) };
}

/**
 * The top of each list that is in sight, joined with what is loaded below it: refetching every page of a list that
 * somebody scrolled a long way down would take as many requests as it has pages.
 */
async function refreshHeads(mailboxId: string): Promise<void> {
  const queries = queryClient.getQueryCache().findAll({ queryKey: threadsKey(mailboxId) });
  for (const query of queries) {
    const list = query.state.data as List | undefined;
    if (!query.isActive() || !list || list.pages.length < 2) {
      void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
      continue;
    }
    const asked = query.queryKey.at(-1) as Record<string, string | undefined>;
    const head = await getJson<CursorPage<Thread>>(`/mailboxes/${mailboxId}/threads`, {
      ...asked,
      limit: list.pages[0]!.items.length || 50,
    });
    queryClient.setQueryData<List>(query.queryKey, (now) => now && joinHead(now, head));
  }
}

function joinHead(list: List, head: CursorPage<Thread>): List {
  const last = head.items.at(-1);
  const known = list.pages.flatMap(({ items }) => items);
  const isIn = new Set(head.items.map(({ id }) => id));
  const end = known.findIndex(({ id }) => id === last?.id);
  // So much came in that the two do not touch: what is below is fetched again when somebody scrolls there.
  if (!last || head.next_cursor === null || end < 0) return { pages: [head], pageParams: [null] };
  const below = known.slice(end + 1).filter(({ id }) => !isIn.has(id));
  const items = [...head.items, ...below];
  return { pages: [{ items, next_cursor: list.pages.at(-1)!.next_cursor }], pageParams: [null] };
}
