/**
 * LISTEN and NOTIFY, on one connection per process. A notification is a hint to query again and carries no data that
 * is not in the tables. While the connection is down, notifications may be missed. So `onGap` tells every listener to
 * discard what it has cached, both when the connection breaks and when it is back.
 */
import type pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';
import { PrimaryClient, readDatabaseUrl } from './database-hosts.ts';

export interface Listener {
  channel: string;
  onNotification: (payload: string) => void;
  onGap: () => void;
}

export interface Notifications {
  /** False while notifications may be missed. */
  isListening(): boolean;
  close(): Promise<void>;
}

const RECONNECT_MS = 250;
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * A silently lost connection looks like an idle one, so it is checked with a query at this interval, which is also the
 * time limit for the reply.
 */
const CHECK_MS = 10_000;
/** The second hint covers callers that had not yet committed when the first was sent. */
const HINT_DELAYS_MS = [20, 300];

/**
 * Returns a function that sends a hint shortly after, once for many calls. NOTIFY takes a database-wide lock at commit,
 * which would limit throughput at thousands of messages a second.
 */
export function createHint(pool: pg.Pool, channel: string, onError: (error: Error) => void): () => void {
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    for (const [at, delayMs] of HINT_DELAYS_MS.entries()) {
      setTimeout(() => {
        if (at === 0) planned = false;
        if (pool.ending) return;
        pool.query('select pg_notify($1, $2)', [channel, '']).catch(onError);
      }, delayMs).unref();
    }
  };
}

/** Passes hints to subscribers, which may come and go. */
export function createHintHub(channel: string): {
  listener: Listener;
  subscribe(onHint: () => void): () => void;
} {
  const subscribers = new Set<() => void>();
  const notifyAll = () => {
    for (const onHint of subscribers) onHint();
  };
  return {
    listener: { channel, onNotification: notifyAll, onGap: notifyAll },
    subscribe(onHint) {
      subscribers.add(onHint);
      return () => void subscribers.delete(onHint);
    },
  };
}

export interface NotificationOptions {
  /** Called when the connection is lost or cannot be reopened yet. */
  onError: (error: Error) => void;
  onListenerError: (error: unknown) => void;
  checkMs?: number;
}

export async function startNotifications(
  url: string,
  listeners: Listener[],
  { onError, onListenerError, checkMs = CHECK_MS }: NotificationOptions,
): Promise<Notifications> {
  let client: pg.Client | null = null;
  let closed = false;

  /** An error in one listener must not affect the others or end the process. */
  function callListener(listener: Listener, call: (listener: Listener) => void): void {
    try {
      call(listener);
    } catch (error) {
      onListenerError(error);
    }
  }

  function announceGap(): void {
    for (const listener of listeners) callListener(listener, ({ onGap }) => onGap());
  }

  async function connect(): Promise<void> {
    const next = new PrimaryClient({
      ...readDatabaseUrl(url),
      application_name: 'posthorn-listen',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: checkMs,
      // In pipeline mode a query that times out ends the connection.
      pipeline: true,
      keepAlive: true,
    });
    next.on('notification', ({ channel, payload }) => {
      for (const listener of listeners) {
        if (listener.channel === channel)
          callListener(listener, ({ onNotification }) => onNotification(payload ?? ''));
      }
    });
    next.on('error', onError);
    next.on('end', () => {
      if (client !== next) return;
      client = null;
      announceGap();
      void reconnect();
    });
    try {
      await next.connect();
      for (const listener of listeners) await next.query(`listen ${next.escapeIdentifier(listener.channel)}`);
    } catch (error) {
      next.end().catch(onError);
      throw error;
    }
    // close() was called during the connect and did not see this client.
    if (closed) return next.end();
    client = next;
    announceGap();
  }

  async function reconnect(): Promise<void> {
    await wait(RECONNECT_MS, undefined, { ref: false });
    if (closed) return;
    await connect().catch((error: Error) => {
      onError(error);
      return reconnect();
    });
  }

  await connect();
  const checking = setInterval(() => void client?.query('select 1').catch(() => {}), checkMs).unref();
  return {
    isListening: () => client !== null,
    async close() {
      closed = true;
      clearInterval(checking);
      const last = client;
      client = null;
      await last?.end();
    },
  };
}
