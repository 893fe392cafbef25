/**
 * Live updates of a mailbox. EventSource reconnects by itself after a lost connection, but does not notice a dead one,
 * for example after the machine slept. So the server sends a heartbeat every 15 seconds, and after a longer silence we
 * reconnect with the last event ID. A hidden page closes its connection, because a browser allows only a few for all
 * tabs.
 */
import { useEffect, useState } from 'react';
import { apiUrl } from '../../../api/client.ts';
import { queryClient, refresh as refreshQueries, refreshWhere } from '../../../api/query-client.ts';
import { changeLists, draftsQuery, foldersQuery, threadQuery, threadsKey, waitingQuery } from './mail-api.ts';
import { changeRows, markStale } from './thread-rows.ts';
import type { ThreadWithMessages } from '../../../../src/features/mailboxes/reading/threads.schema.ts';

const EVENTS = [
  'message.received',
  'thread.changed',
  'message.left',
  'message.taken_back',
  'folders.changed',
  'presence.changed',
  'approvals.changed',
];
/** Events that arrive together cause one refetch. */
const COLLECT_MS = 120;
/** Refetches at most this often, however many events arrive. */
const PAUSE_MS = 1_000;
/** When more threads have changed, all cached ones are refetched as they are needed. */
const MAX_SINGLE_REFETCHES = 20;
const REOPEN_MS = 4_000;
const CHECK_MS = 5_000;
/** Longer than two heartbeats. */
const SILENCE_MS = 35_000;
const HIDDEN_MS = 60_000;

/** Returns whether the connection is up. */
export function useLiveMailbox(mailboxId: string): boolean {
  const [isUp, setIsUp] = useState(true);
  useEffect(() => {
    const connection = new MailboxConnection(mailboxId, setIsUp);
    return () => connection.close();
  }, [mailboxId]);
  return isUp;
}

class MailboxConnection {
  readonly #mailboxId: string;
  readonly #onUp: (isUp: boolean) => void;
  readonly #closing = new AbortController();
  readonly #checkTimer: number;
  #source: EventSource | null = null;
  #lastId = '';
  #lastEventAt = Date.now();
  #checkedAt = Date.now();
  #hiddenAt: number | null = null;
  #changed = new Set<string>();
  #refreshedAt = 0;
  #refreshTimer: number | undefined;
  #reopenTimer: number | undefined;

  constructor(mailboxId: string, onUp: (isUp: boolean) => void) {
    this.#mailboxId = mailboxId;
    this.#onUp = onUp;
    const { signal } = this.#closing;
    document.addEventListener('visibilitychange', () => this.#onVisibility(), { signal });
    window.addEventListener('online', () => this.#catchUp(), { signal });
    window.addEventListener('offline', () => onUp(false), { signal });
    // A page that is restored from the back-forward cache has lost its connection.
    window.addEventListener('pageshow', ({ persisted }) => persisted && this.#catchUp(), { signal });
    this.#checkTimer = window.setInterval(() => this.#check(), CHECK_MS);
    this.#open();
  }

  close(): void {
    this.#closing.abort();
    this.#disconnect();
    window.clearInterval(this.#checkTimer);
    window.clearTimeout(this.#refreshTimer);
  }

  #disconnect(): void {
    this.#source?.close();
    this.#source = null;
    window.clearTimeout(this.#reopenTimer);
  }

  #open(): void {
    this.#disconnect();
    this.#lastEventAt = Date.now();
    const query = { last_event_id: this.#lastId };
    const source = new EventSource(apiUrl(`/mailboxes/${this.#mailboxId}/events`, query));
    this.#source = source;
    const noteEvent = (event: MessageEvent<string>) => {
      this.#lastEventAt = Date.now();
      this.#lastId = event.lastEventId || this.#lastId;
      this.#onUp(true);
    };
    source.addEventListener('ping', noteEvent);
    source.addEventListener('error', () => {
      if (this.#source !== source) return;
      this.#onUp(false);
      // EventSource reconnects after a lost connection, but not after a response that is not an event stream.
      if (source.readyState === EventSource.CLOSED)
        this.#reopenTimer = window.setTimeout(() => this.#open(), REOPEN_MS);
    });
    for (const name of EVENTS)
      source.addEventListener(name, (event: MessageEvent<string>) => {
        noteEvent(event);
        if (name === 'approvals.changed') void refreshQueries('approvals');
        const { thread_id: threadId } = JSON.parse(event.data) as { thread_id: string | null };
        this.#refreshSoon(threadId);
      });
  }

  #onVisibility(): void {
    const isHidden = document.visibilityState === 'hidden';
    this.#hiddenAt = isHidden ? Date.now() : null;
    if (!isHidden) this.#catchUp();
  }

  /** Called when the page is visible again, or the network is back. */
  #catchUp(): void {
    if (document.visibilityState === 'hidden') return;
    const isDead =
      this.#source?.readyState !== EventSource.OPEN || Date.now() - this.#lastEventAt > SILENCE_MS;
    if (isDead) this.#open();
    refreshAll(this.#mailboxId);
  }

  #check(): void {
    const now = Date.now();
    const hasSlept = now - this.#checkedAt > 4 * CHECK_MS;
    this.#checkedAt = now;
    if (this.#hiddenAt !== null) {
      if (now - this.#hiddenAt > HIDDEN_MS) this.#disconnect();
    } else if (hasSlept) {
      this.#open();
      refreshAll(this.#mailboxId);
    } else if (this.#source?.readyState === EventSource.OPEN && now - this.#lastEventAt > SILENCE_MS) {
      this.#onUp(false);
      this.#open();
    }
  }

  /** `threadId` is null when the folders have changed. */
  #refreshSoon(threadId: string | null): void {
    if (threadId !== null) this.#changed.add(threadId);
    this.#refreshTimer ??= window.setTimeout(
      () => {
        this.#refreshTimer = undefined;
        this.#refreshedAt = Date.now();
        const ids = this.#changed;
        this.#changed = new Set();
        void refresh(this.#mailboxId, ids);
      },
      Math.max(COLLECT_MS, this.#refreshedAt + PAUSE_MS - Date.now()),
    );
  }
}

function refreshAll(mailboxId: string): void {
  changeLists(mailboxId, (list) => markStale(list));
  void refreshQueries('mail', mailboxId);
  void refreshQueries('approvals');
}

async function refresh(mailboxId: string, threadIds: ReadonlySet<string>): Promise<void> {
  for (const { queryKey } of [foldersQuery(mailboxId), waitingQuery(mailboxId), draftsQuery(mailboxId)])
    void refreshWhere({ queryKey });
  // The list refetches its first page. Changed rows below it are loaded when they are visible.
  changeLists(mailboxId, (list) => markStale(list, threadIds));
  void refreshQueries(...threadsKey(mailboxId));
  if (threadIds.size > MAX_SINGLE_REFETCHES) await refreshQueries('mail', mailboxId, 'thread');
  else await Promise.all([...threadIds].map((id) => refreshThread(mailboxId, id)));
}

/** Refetches the thread only if it is cached; otherwise it is fetched when it is needed. */
async function refreshThread(mailboxId: string, threadId: string): Promise<void> {
  const { queryKey } = threadQuery(mailboxId, threadId);
  if (!queryClient.getQueryState(queryKey)) return;
  await refreshWhere({ queryKey });
  const thread = queryClient.getQueryData<ThreadWithMessages>(queryKey);
  if (!thread) return;
  const { messages: _, ...fresh } = thread;
  changeLists(mailboxId, (list) => changeRows(list, new Set([threadId]), () => fresh));
}
