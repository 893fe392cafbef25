/**
 * Moving and marking threads: seen at once, told to the server after that, and put back with a message where it says
 * no. What is on the screen is the cache of lists, so that is what is changed.
 */
import type { QueryKey } from '@tanstack/react-query';
import type {
  FolderCount,
  ManyThreadsUpdated,
  Thread,
  ThreadUpdate,
  ThreadWithMessages,
  TrashEmptied,
} from '../../../src/features/threads/threads.schema.ts';
import { sendJson } from '../../api/client.ts';
import { describeError } from '../../api/describe-error.ts';
import { queryClient } from '../../api/query-client.ts';
import { mailTexts } from '../../texts/en/mail.ts';
import { hideToast, showToast } from '../../ui/toasts.ts';
import { foldersQuery, threadQuery, threadsKey } from './mail-api.ts';
import { changeRows, type ThreadRows } from './thread-rows.ts';

type Folder = NonNullable<ThreadUpdate['folder']>;

const t = mailTexts.actions;
/** As many as the server takes. */
const AT_ONCE = 1_000;
const TRIES = 5;
const AGAIN_MS = 500;

/** The newest notes that offer to undo a move, and of what. */
const undoable = new Map<number, readonly string[]>();
const MOST_NOTES = 4;

/** Moves threads with a note that can undo it. */
export async function moveThreads(
  mailboxId: string,
  threads: readonly Thread[],
  folder: Folder,
): Promise<void> {
  const moved = threads.filter((thread) => thread.folder !== folder);
  if (moved.length === 0) return;
  const done = changeThreads(mailboxId, moved, { folder });
  const toast = showToast(t.done[folder](moved.length), {
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

/** What moved on since is not moved back by a note about the time before. */
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
    // The views are no places; a thread that was only in one of them goes to the archive.
    const place = folder === 'inbox' || folder === 'trash' || folder === 'spam' ? folder : 'archive';
    byFolder.set(place, [...(byFolder.get(place) ?? []), { ...thread, folder: from }]);
  }
  for (const [folder, group] of byFolder) await changeThreads(mailboxId, group, { folder });
  await queryClient.invalidateQueries({ queryKey: threadsKey(mailboxId) });
}

/** The ids of those that the server has taken. */
export async function changeThreads(
  mailboxId: string,
  threads: readonly Thread[],
  update: ThreadUpdate,
): Promise<Set<string>> {
  if (update.folder !== undefined) withdrawUndo(threads);
  // A list that is on its way would bring back what was before.
  await queryClient.cancelQueries({ queryKey: threadsKey(mailboxId) });
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
  if (gone > 0) {
    showToast(t.gone(gone), { tone: 'bad' });
    void queryClient.invalidateQueries({ queryKey: threadsKey(mailboxId) });
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
  void queryClient.invalidateQueries({ queryKey: foldersQuery(mailboxId).queryKey });
  return taken;
}

/** For good; only from the trash. */
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
    await queryClient.invalidateQueries({ queryKey: ['mail', mailboxId] });
  }
  if (gone < threads.length) showToast(t.deleted);
  if (gone > 0) showToast(t.gone(gone), { tone: 'bad' });
}

/**
 * So many of the trash as were there when it was asked for, or until it is stopped. Returns how many are left then. The
 * server passes over what somebody else has in hand at the moment: that is tried again a few times.
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
    await queryClient.invalidateQueries({ queryKey: ['mail', mailboxId] });
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
  for (const [key, list] of queryClient.getQueriesData<ThreadRows>({ queryKey: threadsKey(mailboxId) })) {
    if (list) queryClient.setQueryData(key, changeList(list, ids, update, placeOf(key)));
  }
  for (const { id } of threads) {
    const { queryKey } = threadQuery(mailboxId, id);
    queryClient.setQueryData<ThreadWithMessages>(queryKey, (thread) => thread && changeWhole(thread, update));
  }
  queryClient.setQueryData<FolderCount[]>(foldersQuery(mailboxId).queryKey, (counts) =>
    counts?.map((count) => recount(count, threads, update)),
  );
}

/** Which threads a list holds: the last part of its key is what it asks the server. */
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
    const isFolder = place === 'inbox' || place === 'archive' || place === 'trash' || place === 'spam';
    return isFolder ? folder === place : folder !== 'trash' && folder !== 'spam';
  };
  return changeRows(list, ids, (thread) => {
    const changed = changeOne(thread, update);
    return update.folder === undefined || stays(changed) ? changed : null;
  });
}

function changeOne<Any extends Thread>(thread: Any, { read, folder }: ThreadUpdate): Any {
  return { ...thread, unread: read === undefined ? thread.unread : !read, folder: folder ?? thread.folder };
}

/** Who reads a conversation has read its messages: the next time it opens at the newest. */
function changeWhole(thread: ThreadWithMessages, update: ThreadUpdate): ThreadWithMessages {
  const changed = changeOne(thread, update);
  if (update.read !== true) return changed;
  return { ...changed, messages: changed.messages.map((message) => ({ ...message, read: true })) };
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
