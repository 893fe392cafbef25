/**
 * Live updates of a mailbox. EventSource reconnects by itself after a lost connection, but does not notice a dead one,
 * for example after the machine slept. So the server sends a heartbeat every 15 seconds, and after a longer silence we
 * reconnect with the last event ID. A hidden page closes its connection, because a browser allows only a few for all
 * tabs.
 */
import { useEffect, useState } from 'react';
import { apiUrl } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { changeLists, draftsQuery, foldersQuery, threadQuery, threadsKey, waitingQuery } from './mail-api.ts';
import { changeRows, markStale } from './thread-rows.ts';
import type { ThreadWithMessages } from '../../../../src/features/mailboxes/reading/threads.schema.ts';

const EVENTS = [
  'message.received',
  'thread.changed',
  'message.left',
  'message.taken_back',
  'folders.changed',
];
const GATHER_MS = 120;
/** Refetches at most this often, however many events arrive. */
const PAUSE_MS = 1_000;
const MANY = 20;
const COME_BACK_MS = 4_000;
const LOOK_MS = 5_000;
const SILENCE_MS = 35_000;
const HIDDEN_MS = 60_000;

/** Returns whether the connection is up. */
export function useLiveMailbox(mailboxId: string): boolean {
  const [isUp, setIsUp] = useState(true);
  useEffect(() => {
    const line = new MailboxLine(mailboxId, setIsUp);
    return () => line.close();
  }, [mailboxId]);
  return isUp;
}

class MailboxLine {
  readonly #mailboxId: string;
  readonly #onUp: (isUp: boolean) => void;
  readonly #ending = new AbortController();
  readonly #looking: number;
  #source: EventSource | null = null;
  #lastId = '';
  #heardAt = Date.now();
  #lookedAt = Date.now();
  #hiddenAt: number | null = null;
  #changed = new Set<string>();
  #refreshedAt = 0;
  #gathering: number | undefined;
  #again: number | undefined;

  constructor(mailboxId: string, onUp: (isUp: boolean) => void) {
    this.#mailboxId = mailboxId;
    this.#onUp = onUp;
    const { signal } = this.#ending;
    document.addEventListener('visibilitychange', () => this.#onVisibility(), { signal });
    window.addEventListener('online', () => this.#reconnect(), { signal });
    window.addEventListener('offline', () => onUp(false), { signal });
    // A page that is restored from the back-forward cache has lost its connection.
    window.addEventListener('pageshow', ({ persisted }) => persisted && this.#reconnect(), { signal });
    this.#looking = window.setInterval(() => this.#look(), LOOK_MS);
    this.#open();
  }

  close(): void {
    this.#ending.abort();
    this.#hangUp();
    window.clearInterval(this.#looking);
    window.clearTimeout(this.#gathering);
  }

  #hangUp(): void {
    this.#source?.close();
    this.#source = null;
    window.clearTimeout(this.#again);
  }

  #open(): void {
    this.#hangUp();
    this.#heardAt = Date.now();
    const query = { last_event_id: this.#lastId };
    const source = new EventSource(apiUrl(`/mailboxes/${this.#mailboxId}/events`, query));
    this.#source = source;
    const hear = (event: MessageEvent<string>) => {
      this.#heardAt = Date.now();
      this.#lastId = event.lastEventId || this.#lastId;
      this.#onUp(true);
    };
    source.addEventListener('ping', hear);
    source.addEventListener('error', () => {
      if (this.#source !== source) return;
      this.#onUp(false);
      // EventSource reconnects after a lost connection, but not after a response that is not an event stream.
      if (source.readyState === EventSource.CLOSED)
        this.#again = window.setTimeout(() => this.#open(), COME_BACK_MS);
    });
    for (const name of EVENTS)
      source.addEventListener(name, (event: MessageEvent<string>) => {
        hear(event);
        const { thread_id: threadId } = JSON.parse(event.data) as { thread_id: string | null };
        this.#gather(threadId);
      });
  }

  #onVisibility(): void {
    const isHidden = document.visibilityState === 'hidden';
    this.#hiddenAt = isHidden ? Date.now() : null;
    if (!isHidden) this.#reconnect();
  }

  /** Called when the page is visible again, or the network is back. */
  #reconnect(): void {
    if (document.visibilityState === 'hidden') return;
    const isDead = this.#source?.readyState !== EventSource.OPEN || Date.now() - this.#heardAt > SILENCE_MS;
    if (isDead) this.#open();
    refreshAll(this.#mailboxId);
  }

  #look(): void {
    const now = Date.now();
    const hasSlept = now - this.#lookedAt > 4 * LOOK_MS;
    this.#lookedAt = now;
    if (this.#hiddenAt !== null) {
      if (now - this.#hiddenAt > HIDDEN_MS) this.#hangUp();
    } else if (hasSlept) {
      this.#open();
      refreshAll(this.#mailboxId);
    } else if (this.#source?.readyState === EventSource.OPEN && now - this.#heardAt > SILENCE_MS) {
      this.#onUp(false);
      this.#open();
    }
  }

  /** Null means that the folders changed. */
  #gather(threadId: string | null): void {
    if (threadId !== null) this.#changed.add(threadId);
    this.#gathering ??= window.setTimeout(
      () => {
        this.#gathering = undefined;
        this.#refreshedAt = Date.now();
        const ids = this.#changed;
        this.#changed = new Set();
        void refresh(this.#mailboxId, ids);
      },
      Math.max(GATHER_MS, this.#refreshedAt + PAUSE_MS - Date.now()),
    );
  }
}

function refreshAll(mailboxId: string): void {
  changeLists(mailboxId, (list) => markStale(list));
  void queryClient.invalidateQueries({ queryKey: ['mail', mailboxId] });
}

async function refresh(mailboxId: string, threadIds: ReadonlySet<string>): Promise<void> {
  for (const { queryKey } of [foldersQuery(mailboxId), waitingQuery(mailboxId), draftsQuery(mailboxId)])
    void queryClient.invalidateQueries({ queryKey });
  // The list refetches its first page. Changed rows below it are loaded when they are visible.
  changeLists(mailboxId, (list) => markStale(list, threadIds));
  void queryClient.invalidateQueries({ queryKey: threadsKey(mailboxId) });
  if (threadIds.size > MANY) await queryClient.invalidateQueries({ queryKey: ['mail', mailboxId, 'thread'] });
  else await Promise.all([...threadIds].map((id) => refreshThread(mailboxId, id)));
}

/** Refetches the thread only if it is cached; otherwise it is fetched when it is needed. */
async function refreshThread(mailboxId: string, threadId: string): Promise<void> {
  const { queryKey } = threadQuery(mailboxId, threadId);
  if (!queryClient.getQueryData(queryKey)) return;
  await queryClient.invalidateQueries({ queryKey });
  const thread = queryClient.getQueryData<ThreadWithMessages>(queryKey);
  if (!thread) return;
  const { messages: _, ...fresh } = thread;
  changeLists(mailboxId, (list) => changeRows(list, new Set([threadId]), () => fresh));
}
