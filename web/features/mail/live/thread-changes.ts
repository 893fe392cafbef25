/**
 * Moves and marks threads. A change is shown immediately, then sent to the server, and undone with a message if the
 * server rejects it. It is applied to the cached lists, which the screen shows.
 */
import { hashKey, type QueryKey } from '@tanstack/react-query';
import type {
  FolderCount,
  ManyThreadsUpdated,
  Message,
  MessageUpdate,
  Thread,
  ThreadUpdate,
  ThreadWithMessages,
  TrashEmptied,
} from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { describeError } from '../../../api/describe-error.ts';
import { queryClient, refresh, refreshWhere } from '../../../api/query-client.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { hideToast, showToast } from '../../../ui/toasts.ts';
import { changeLists, foldersQuery, threadQuery, threadsKey } from './mail-api.ts';
import { changeRows, type ThreadRows } from './thread-rows.ts';

type Folder = NonNullable<ThreadUpdate['folder']>;

const t = mailTexts.actions;
/** The maximum number of threads that the server accepts in one request. */
const AT_ONCE = 1_000;
const TRIES = 5;
/** Views show threads of any folder. */
const VIEWS = ['sent', 'drafts', 'scheduled'];
const AGAIN_MS = 500;

/** The newest toasts that offer to undo a move, with the IDs of their threads. */
const undoable = new Map<number, readonly string[]>();
const MOST_NOTES = 4;

/** Moves threads and shows a toast that can undo it. */
export async function moveThreads(
  mailboxId: string,
  threads: readonly Thread[],
  folder: Folder,
  name: string = folder,
): Promise<void> {
  const moved = threads.filter((thread) => thread.folder !== folder);
  if (moved.length === 0) return;
  const done = changeThreads(mailboxId, moved, { folder });
  const text = isListed(folder) ? t.done[folder](moved.length) : t.movedTo(moved.length, name);
  const toast = showToast(text, {
    action: { label: t.undo, run: () => void done.then((ids) => putBack(mailboxId, moved, ids, folder)) },
  });
  undoable.set(
    toast,
    moved.map(({ id }) => id),
  );
  if (undoable.size > MOST_NOTES) undoable.delete([...undoable.keys()][0]!);
  const taken = await done;
  if (taken.size === 0) hideToast(toast);
}

function isListed(folder: Folder): folder is keyof typeof t.done {
  return folder in t.done;
}

/** Removes the undo toasts of threads that were moved again. */
function withdrawUndo(threads: readonly Thread[]): void {
  const ids = new Set(threads.map(({ id }) => id));
  for (const [toast, moved] of undoable) {
    if (!moved.some((id) => ids.has(id))) continue;
    hideToast(toast);
    undoable.delete(toast);
  }
}

async function putBack(
  mailboxId: string,
  threads: readonly Thread[],
  ids: Set<string>,
  from: Folder,
): Promise<void> {
  const byFolder = new Map<Folder, Thread[]>();
  for (const thread of threads.filter(({ id }) => ids.has(id))) {
    const { folder } = thread;
    // Views are not folders. A thread that was only in a view goes to the archive.
    const place = folder === 'sent' || folder === 'drafts' || folder === 'scheduled' ? 'archive' : folder;
    byFolder.set(place, [...(byFolder.get(place) ?? []), { ...thread, folder: from }]);
  }
  for (const [folder, group] of byFolder) await changeThreads(mailboxId, group, { folder });
  await refresh(...threadsKey(mailboxId));
}

/** Returns the IDs of the threads that the server changed. */
export async function changeThreads(
  mailboxId: string,
  threads: readonly Thread[],
  update: ThreadUpdate,
): Promise<Set<string>> {
  if (update.folder !== undefined) withdrawUndo(threads);
  const interrupted = await interruptFetches(mailboxId, threads);
  const before = takeSnapshot(mailboxId, threads);
  apply(mailboxId, threads, update);
  const taken = new Set<string>();
  let failure: unknown = null;
  let gone = 0;
  for (let at = 0; at < threads.length; at += AT_ONCE) {
    const ids = threads.slice(at, at + AT_ONCE).map(({ id }) => id);
    try {
      const answer = await sendJson<ManyThreadsUpdated>('PATCH', `/mailboxes/${mailboxId}/threads`, {
        ids,
        ...update,
      });
      gone += answer.not_found.length;
      for (const id of ids) taken.add(id);
    } catch (error) {
      failure = error;
    }
  }
  for (const hash of await interruptFetches(mailboxId, threads)) interrupted.add(hash);
  if (gone > 0) {
    showToast(t.gone(gone), { tone: 'bad' });
    void refresh(...threadsKey(mailboxId));
  }
  if (taken.size < threads.length) {
    for (const [key, data] of before) queryClient.setQueryData(key, data);
    apply(
      mailboxId,
      threads.filter(({ id }) => taken.has(id)),
      update,
    );
    showToast(t.failed(threads.length - taken.size, describeError(failure)), { tone: 'bad' });
  }
  // A list of the target folder that was loaded before lacks the moved threads.
  void refreshWhere({
    queryKey: threadsKey(mailboxId),
    predicate: ({ queryKey }) => update.folder !== undefined && placeOf(queryKey) === update.folder,
  });
  void refreshWhere({ predicate: ({ queryHash }) => interrupted.has(queryHash) });
  void refresh(...foldersQuery(mailboxId).queryKey);
  return taken;
}

/**
 * Cancels running fetches of the lists and of these threads, because the responses would restore the state before the
 * change. Returns the hashes of the queries, which have to be fetched again after the change.
 */
async function interruptFetches(mailboxId: string, threads: readonly Thread[]): Promise<Set<string>> {
  const whole = new Set(threads.map(({ id }) => hashKey(threadQuery(mailboxId, id).queryKey)));
  const fetching = queryClient
    .getQueryCache()
    .findAll({ queryKey: ['mail', mailboxId], fetchStatus: 'fetching' })
    .filter(({ queryKey, queryHash }) => queryKey[2] === 'threads' || whole.has(queryHash));
  await Promise.all(fetching.map(({ queryKey }) => queryClient.cancelQueries({ queryKey, exact: true })));
  return new Set(fetching.map(({ queryHash }) => queryHash));
}

/** Changes one message. */
export async function changeMessage(
  mailboxId: string,
  message: Message,
  update: MessageUpdate,
): Promise<void> {
  const { queryKey } = threadQuery(mailboxId, message.thread_id);
  queryClient.setQueryData<ThreadWithMessages>(queryKey, (thread) => {
    if (!thread) return thread;
    const messages = thread.messages.map((each) => (each.id === message.id ? { ...each, ...update } : each));
    return { ...thread, starred: messages.some(({ starred }) => starred), messages };
  });
  try {
    await sendJson('PATCH', `/messages/${message.id}`, update);
  } catch (error) {
    showToast(t.failed(1, describeError(error)), { tone: 'bad' });
  }
  await refresh('mail', mailboxId);
}

/** Deletes threads permanently, only from the trash. */
export async function deleteThreads(mailboxId: string, threads: readonly Thread[]): Promise<void> {
  let gone = 0;
  withdrawUndo(threads);
  try {
    for (let at = 0; at < threads.length; at += AT_ONCE) {
      const ids = threads.slice(at, at + AT_ONCE).map(({ id }) => id);
      const path = `/mailboxes/${mailboxId}/threads`;
      gone += (await sendJson<ManyThreadsUpdated>('DELETE', path, { ids })).not_found.length;
    }
  } finally {
    await refresh('mail', mailboxId);
  }
  if (gone < threads.length) showToast(t.deleted);
  if (gone > 0) showToast(t.gone(gone), { tone: 'bad' });
}

/**
 * Deletes as many threads as were in the trash when the user confirmed, until `signal` stops it. Returns how many
 * are left. The server skips threads that are locked at the moment; they are retried a few times.
 */
export async function emptyTrash(mailboxId: string, count: number, signal: AbortSignal): Promise<number> {
  let deleted = 0;
  let left = count;
  try {
    for (let tries = 0; deleted < count && left > 0 && tries < TRIES && !signal.aborted;) {
      const answer = await sendJson<TrashEmptied>('DELETE', `/mailboxes/${mailboxId}/trash`);
      deleted += answer.deleted;
      left = answer.left;
      tries = answer.deleted > 0 ? 0 : tries + 1;
      if (answer.deleted === 0 && left > 0) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  } finally {
    await refresh('mail', mailboxId);
  }
  return left;
}

function takeSnapshot(mailboxId: string, threads: readonly Thread[]): [QueryKey, unknown][] {
  return [
    ...queryClient.getQueriesData({ queryKey: threadsKey(mailboxId) }),
    ...queryClient.getQueriesData({ queryKey: foldersQuery(mailboxId).queryKey }),
    ...threads.flatMap(({ id }) =>
      queryClient.getQueriesData({ queryKey: threadQuery(mailboxId, id).queryKey }),
    ),
  ];
}

function apply(mailboxId: string, threads: readonly Thread[], update: ThreadUpdate): void {
  const ids = new Set(threads.map(({ id }) => id));
  changeLists(mailboxId, (list, queryKey) => changeList(list, ids, update, placeOf(queryKey)));
  for (const { id } of threads) {
    const { queryKey } = threadQuery(mailboxId, id);
    queryClient.setQueryData<ThreadWithMessages>(queryKey, (thread) => thread && changeWhole(thread, update));
  }
  queryClient.setQueryData<FolderCount[]>(foldersQuery(mailboxId).queryKey, (counts) =>
    counts?.map((count) => recount(count, threads, update)),
  );
}

/** Returns the folder of a list. The last part of its key is the query to the server. */
function placeOf(key: QueryKey): Thread['folder'] | undefined {
  return (key.at(-1) as { folder?: Thread['folder'] }).folder;
}

function changeList(
  list: ThreadRows,
  ids: Set<string>,
  update: ThreadUpdate,
  place: Thread['folder'] | undefined,
): ThreadRows {
  const stays = ({ folder }: Thread) => {
    const isFolder = place !== undefined && !VIEWS.includes(place);
    return isFolder ? folder === place : folder !== 'trash' && folder !== 'spam';
  };
  return changeRows(list, ids, (thread) => {
    const changed = changeOne(thread, update);
    return update.folder === undefined || stays(changed) ? changed : null;
  });
}

function changeOne<Any extends Thread>(thread: Any, { read, folder, starred }: ThreadUpdate): Any {
  return {
    ...thread,
    unread: read === undefined ? thread.unread : !read,
    starred: starred ?? thread.starred,
    folder: folder ?? thread.folder,
  };
}

/** A thread that was marked as read opens at its newest message the next time. A star is set on the newest message. */
function changeWhole(thread: ThreadWithMessages, update: ThreadUpdate): ThreadWithMessages {
  const changed = changeOne(thread, update);
  const newest = changed.messages.at(-1);
  return {
    ...changed,
    messages: changed.messages.map((message) => ({
      ...message,
      read: update.read === true || message.read,
      starred:
        update.starred === undefined
          ? message.starred
          : update.starred && (message.starred || message === newest),
    })),
  };
}

function recount(count: FolderCount, threads: readonly Thread[], update: ThreadUpdate): FolderCount {
  let { unread, total } = count;
  for (const thread of threads) {
    const after = changeOne(thread, update);
    if (thread.folder === count.folder) {
      total -= 1;
      unread -= thread.unread ? 1 : 0;
    }
    if (after.folder === count.folder) {
      total += 1;
      unread += after.unread ? 1 : 0;
    }
  }
  return { ...count, unread: Math.max(0, unread), total: Math.max(0, total) };
}
