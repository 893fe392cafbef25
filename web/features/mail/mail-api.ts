/** What webmail asks the server. Everything of a mailbox stands below `['mail', mailboxId]`. */
import { keepPreviousData, queryOptions, type QueryKey } from '@tanstack/react-query';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes.schema.ts';
import type { SavedReply } from '../../../src/features/saved-replies/saved-replies.schema.ts';
import type { WaitingMessage } from '../../../src/features/threads/sending.schema.ts';
import type {
  FolderCount,
  FolderOrView,
  Message,
  PersonToWriteTo,
  Thread,
  ThreadWithMessages,
} from '../../../src/features/threads/threads.schema.ts';
import { getJson } from '../../api/client.ts';
import { getAll, type CursorPage } from '../../api/pages.ts';
import { queryClient } from '../../api/query-client.ts';
import { beginRows, joinHead, PAGE_ROWS, type ThreadRows } from './thread-rows.ts';

export const FOLDERS = ['inbox', 'drafts', 'scheduled', 'sent', 'archive', 'spam', 'trash'] as const;

export const mailboxesQuery = queryOptions({
  queryKey: ['mailboxes'],
  queryFn: () => getAll<Mailbox>('/mailboxes'),
  staleTime: 60_000,
});

export function foldersQuery(mailboxId: string) {
  return queryOptions({
    queryKey: ['mail', mailboxId, 'folders'],
    queryFn: async () => (await getJson<{ items: FolderCount[] }>(`/mailboxes/${mailboxId}/folders`)).items,
  });
}

export interface ListPlace {
  folder: FolderOrView;
  /** What is searched for, in all folders but trash and spam; empty: the folder. */
  q: string;
}

export function threadsQuery(mailboxId: string, { folder, q }: ListPlace) {
  const query =
    q === '' ? { folder } : { q, folder: folder === 'trash' || folder === 'spam' ? folder : undefined };
  const queryKey = [...threadsKey(mailboxId), query];
  return queryOptions({
    queryKey,
    // Asking anew brings the top of the list; what is below it comes when somebody looks at it.
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

/** The views are counted in messages, which tells nothing about their threads. */
async function countOf(mailboxId: string, folder: FolderOrView): Promise<number | null> {
  if (folder === 'sent' || folder === 'drafts' || folder === 'scheduled') return null;
  const counts = await queryClient.ensureQueryData(foldersQuery(mailboxId));
  return counts.find((count) => count.folder === folder)?.total ?? null;
}

export function threadsKey(mailboxId: string): QueryKey {
  return ['mail', mailboxId, 'threads'];
}

export function threadQuery(mailboxId: string, threadId: string) {
  return queryOptions({
    queryKey: ['mail', mailboxId, 'thread', threadId],
    queryFn: ({ signal }) => getJson<ThreadWithMessages>(`/threads/${threadId}`, {}, signal),
    staleTime: 30_000,
  });
}

/** For one whose body stayed behind in a large conversation. */
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

/** Which conversations hold one. A list of drafts may be large: it is asked for when there are more or fewer of them. */
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
