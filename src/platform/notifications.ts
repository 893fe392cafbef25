/**
 * One connection per process that LISTENs. A notification is a hint to look again, never the only copy of
 * anything. While the connection is gone hints may be missed: `onGap` tells every listener to trust nothing
 * that it remembers, both when the connection breaks and when it is back.
 */
import pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';

export interface Listener {
  channel: string;
  onNotification: (payload: string) => void;
  onGap: () => void;
}

export interface Notifications {
  /** False while hints may be missed. */
  isListening(): boolean;
  close(): Promise<void>;
}

const RECONNECT_MS = 250;
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * A connection that is cut off without a word looks like one on which nothing happens: so often it is asked, and so
 * long it has to answer.
 */
const ASK_MS = 10_000;
/** The second one is for whoever had not committed yet when the first went out. */
const HINT_DELAYS_MS = [20, 300];

/**
 * Sends a hint soon, and only one for many calls: a notification takes a lock of the whole database for its commit,
 * which at thousands of messages a second would be the limit of everything.
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

/** Passes hints on to those who come and go. */
export function createHintHub(channel: string): {
  listener: Listener;
  subscribe(onHint: () => void): () => void;
} {
  const subscribers = new Set<() => void>();
  const tellAll = () => {
    for (const onHint of subscribers) onHint();
  };
  return {
    listener: { channel, onNotification: tellAll, onGap: tellAll },
    subscribe(onHint) {
      subscribers.add(onHint);
      return () => void subscribers.delete(onHint);
    },
  };
}

export interface NotificationOptions {
  /** The connection was lost, or could not be opened again yet. */
  onError: (error: Error) => void;
  /** A listener threw. */
  onListenerError: (error: unknown) => void;
  askMs?: number;
}

export async function startNotifications(
  url: string,
  listeners: Listener[],
  { onError, onListenerError, askMs = ASK_MS }: NotificationOptions,
): Promise<Notifications> {
  let client: pg.Client | null = null;
  let closed = false;

  /** An error of one listener must not keep a hint from the others, or end the process. */
  function tell(listener: Listener, hint: (listener: Listener) => void): void {
    try {
      hint(listener);
    } catch (error) {
      onListenerError(error);
    }
  }

  function announceGap(): void {
    for (const listener of listeners) tell(listener, ({ onGap }) => onGap());
  }

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'posthorn-listen',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: askMs,
      // In this mode a connection ends with a statement that gets no answer.
      pipeline: true,
      keepAlive: true,
    });
    next.on('notification', ({ channel, payload }) => {
      for (const listener of listeners) {
        if (listener.channel === channel)
          tell(listener, ({ onNotification }) => onNotification(payload ?? ''));
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
    // Closed while it was on its way: nobody else knows of it.
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
  const asking = setInterval(() => void client?.query('select 1').catch(() => {}), askMs).unref();
  return {
    isListening: () => client !== null,
    async close() {
      closed = true;
      clearInterval(asking);
      const last = client;
      client = null;
      await last?.end();
    },
  };
}
