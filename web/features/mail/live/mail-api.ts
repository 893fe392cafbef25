/** The queries of webmail. All data of a mailbox is below the key `['mail', mailboxId]`. */
import { keepPreviousData, queryOptions, useQuery, type QueryKey } from '@tanstack/react-query';
import type { SavedReply } from '../../../../src/features/mailboxes/saved-replies/saved-replies.schema.ts';
import type { WaitingMessage } from '../../../../src/features/mailboxes/writing/sending.schema.ts';
import type {
  FolderCount,
  Message,
  PersonToWriteTo,
  Thread,
  ThreadWithMessages,
} from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { getJson } from '../../../api/client.ts';
import type { CursorPage } from '../../../api/pages.ts';
import { queryClient } from '../../../api/query-client.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { beginRows, joinHead, PAGE_ROWS, type ThreadRows } from './thread-rows.ts';

/** The folders that every mailbox has, and the views, in the order of the navigation. `starred`, `mine` and `unassigned` exist only here. */
export const FOLDERS = [
  'inbox',
  'mine',
  'unassigned',
  'snoozed',
  'starred',
  'drafts',
  'scheduled',
  'sent',
  'archive',
  'spam',
  'trash',
] as const;
const VIEWS: readonly string[] = ['mine', 'unassigned', 'snoozed', 'starred', 'sent', 'drafts', 'scheduled'];

export function foldersQuery(mailboxId: string) {
  return queryOptions({
    queryKey: ['mail', mailboxId, 'folders'],
    queryFn: async () => (await getJson<{ items: FolderCount[] }>(`/mailboxes/${mailboxId}/folders`)).items,
  });
}

export function isListed(folder: string): folder is (typeof FOLDERS)[number] {
  return (FOLDERS as readonly string[]).includes(folder);
}

/** Returns the displayed name of a folder or view. */
export function useFolderName(mailboxId: string, folder: string): string {
  const { data } = useQuery(foldersQuery(mailboxId));
  if (isListed(folder)) return mailTexts.folders[folder];
  return data?.find(({ id }) => id === folder)?.name ?? '';
}

export interface ListPlace {
  folder: string;
  /** The search text, for all folders except trash and spam. If it is empty, the folder is listed. */
  q: string;
}

/** The queries of the views that exist only here. */
const PLACES: Record<string, Record<string, string>> = {
  starred: { starred: 'true' },
  mine: { folder: 'inbox', assignee: 'me' },
  unassigned: { folder: 'inbox', assignee: 'none' },
};

export function threadsQuery(mailboxId: string, { folder, q }: ListPlace) {
  const place = PLACES[folder] ?? { folder };
  const query =
    q === '' ? place : { q, folder: folder === 'trash' || folder === 'spam' ? folder : undefined };
  const queryKey = [...threadsKey(mailboxId), query];
  return queryOptions({
    queryKey,
    // A refetch loads only the first page. The rest is loaded when it is visible.
    async queryFn({ signal }): Promise<ThreadRows> {
      const path = `/mailboxes/${mailboxId}/threads`;
      const [head, total] = await Promise.all([
        getJson<CursorPage<Thread>>(path, { ...query, limit: PAGE_ROWS }, signal),
        q === '' ? countOf(mailboxId, folder) : null,
      ]);
      const known = queryClient.getQueryData<ThreadRows>(queryKey);
      return known ? joinHead(known, head) : beginRows(head, total);
    },
    structuralSharing: false,
  });
}

/** Views and own folders are counted in messages, which does not give the number of threads. */
async function countOf(mailboxId: string, folder: string): Promise<number | null> {
  if (VIEWS.includes(folder) || !isListed(folder)) return null;
  const counts = await queryClient.ensureQueryData(foldersQuery(mailboxId));
  return counts.find((count) => count.folder === folder)?.total ?? null;
}

export function threadsKey(mailboxId: string): QueryKey {
  return ['mail', mailboxId, 'threads'];
}

/** Changes the loaded lists. Queries that were invalidated stay invalidated, which setQueryData would forget. */
export function changeLists(
  mailboxId: string,
  change: (list: ThreadRows, queryKey: QueryKey) => ThreadRows,
): void {
  for (const query of queryClient.getQueryCache().findAll({ queryKey: threadsKey(mailboxId) })) {
    const { data, isInvalidated } = query.state;
    if (data === undefined) continue;
    query.setData(change(data as ThreadRows, query.queryKey));
    if (isInvalidated) query.invalidate();
  }
}

export function threadQuery(mailboxId: string, threadId: string) {
  return queryOptions({
    queryKey: ['mail', mailboxId, 'thread', threadId],
    queryFn: ({ signal }) => getJson<ThreadWithMessages>(`/threads/${threadId}`, {}, signal),
    staleTime: 30_000,
  });
}

/** Fetches a message whose body was left out of a large thread. */
export function messageQuery(messageId: string) {
  return queryOptions({
    queryKey: ['mail-message', messageId],
    queryFn: ({ signal }) => getJson<Message>(`/messages/${messageId}`, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
}

export function waitingQuery(mailboxId: string) {
  return queryOptions({
    queryKey: ['mail', mailboxId, 'waiting'],
    queryFn: async () =>
      (await getJson<{ items: WaitingMessage[] }>(`/mailboxes/${mailboxId}/scheduled`)).items,
  });
}

export function draftsQuery(mailboxId: string) {
  return queryOptions({
    queryKey: ['mail', mailboxId, 'drafts'],
    queryFn: async () => (await getJson<{ items: Message[] }>(`/mailboxes/${mailboxId}/drafts`)).items,
  });
}

/**
 * The threads that contain a draft. The list of drafts can be large, so it is fetched only when their number
 * changes.
 */
export function draftedThreadsQuery(mailboxId: string, draftCount: number) {
  return queryOptions({
    queryKey: ['mail', mailboxId, 'drafted-threads', draftCount],
    async queryFn(): Promise<ReadonlySet<string>> {
      const { items } = await getJson<{ items: Message[] }>(`/mailboxes/${mailboxId}/drafts`);
      return new Set(items.map(({ thread_id }) => thread_id));
    },
    enabled: draftCount > 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    structuralSharing: false,
  });
}

export function savedRepliesQuery(mailboxId: string) {
  return queryOptions({
    queryKey: ['mail', mailboxId, 'saved-replies'],
    queryFn: async () =>
      (await getJson<{ items: SavedReply[] }>(`/mailboxes/${mailboxId}/saved-replies`)).items,
    staleTime: 60_000,
  });
}

export function peopleQuery(mailboxId: string, q: string) {
  return queryOptions({
    queryKey: ['mail', mailboxId, 'people', q],
    queryFn: async ({ signal }) =>
      (await getJson<{ items: PersonToWriteTo[] }>(`/mailboxes/${mailboxId}/people`, { q }, signal)).items,
    staleTime: 60_000,
    enabled: q !== '',
  });
}

export function attachmentUrl(messageId: string, n: number): string {
  return `/api/v1/messages/${messageId}/attachments/${n}`;
}

export function rawUrl(messageId: string): string {
  return `/api/v1/messages/${messageId}/raw`;
}
