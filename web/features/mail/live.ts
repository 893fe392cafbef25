/**
 * What happens in a mailbox, as it happens. The line is the browser's own EventSource, which comes back by itself after
 * a cut. It does not notice that the machine slept and the line is dead, so the server says something every 15 seconds,
 * and who hears nothing for longer begins anew with the last id that was heard. A page that nobody looks at gives its
 * line back, since a browser has only few of them for all its tabs.
 */
import { useEffect, useState } from 'react';
import { apiUrl } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { draftsQuery, foldersQuery, threadQuery, threadsKey, waitingQuery } from './mail-api.ts';
import { changeRows, markStale, type ThreadRows } from './thread-rows.ts';
import type { ThreadWithMessages } from '../../../src/features/threads/threads.schema.ts';

const EVENTS = ['message.received', 'thread.changed', 'message.left', 'message.taken_back'];
const GATHER_MS = 120;
/** However much happens, it is asked for no more often than this. */
const PAUSE_MS = 1_000;
const MANY = 20;
const COME_BACK_MS = 4_000;
const LOOK_MS = 5_000;
const SILENCE_MS = 35_000;
const HIDDEN_MS = 60_000;

/** Whether the line is up. */
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
    window.addEventListener('online', () => this.#comeBack(), { signal });
    window.addEventListener('offline', () => onUp(false), { signal });
    // A page that the browser had put aside comes back as it was, but without its line.
    window.addEventListener('pageshow', ({ persisted }) => persisted && this.#comeBack(), { signal });
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
      // It comes back by itself after a cut, but not after an answer that was no stream.
      if (source.readyState === EventSource.CLOSED)
        this.#again = window.setTimeout(() => this.#open(), COME_BACK_MS);
    });
    for (const name of EVENTS)
      source.addEventListener(name, (event: MessageEvent<string>) => {
        hear(event);
        this.#gather((JSON.parse(event.data) as { thread_id: string }).thread_id);
      });
  }

  #onVisibility(): void {
    const isHidden = document.visibilityState === 'hidden';
    this.#hiddenAt = isHidden ? Date.now() : null;
    if (!isHidden) this.#comeBack();
  }

  /** Somebody looks again, or the network is there again. */
  #comeBack(): void {
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

  #gather(threadId: string): void {
    this.#changed.add(threadId);
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
  // A list brings its top by itself; what changed below that is asked for where somebody looks at it.
  changeLists(mailboxId, (list) => markStale(list, threadIds));
  void queryClient.invalidateQueries({ queryKey: threadsKey(mailboxId) });
  if (threadIds.size > MANY) await queryClient.invalidateQueries({ queryKey: ['mail', mailboxId, 'thread'] });
  else await Promise.all([...threadIds].map((id) => refreshThread(mailboxId, id)));
}

/** Only where it is on the screen or was: what is not here is fetched when it is wanted. */
async function refreshThread(mailboxId: string, threadId: string): Promise<void> {
  const { queryKey } = threadQuery(mailboxId, threadId);
  if (!queryClient.getQueryData(queryKey)) return;
  await queryClient.invalidateQueries({ queryKey });
  const thread = queryClient.getQueryData<ThreadWithMessages>(queryKey);
  if (!thread) return;
  const { messages: _, ...fresh } = thread;
  changeLists(mailboxId, (list) => changeRows(list, new Set([threadId]), () => fresh));
}

function changeLists(mailboxId: string, change: (list: ThreadRows) => ThreadRows): void {
  queryClient.setQueriesData<ThreadRows>({ queryKey: threadsKey(mailboxId) }, (list) => list && change(list));
}
