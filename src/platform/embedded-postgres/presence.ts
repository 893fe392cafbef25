/**
 * This process's share in the server: one connection that holds the presence lock. It goes with the process, even
 * with one that is killed; whoever leaves and finds no other share stops the server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { readPostmaster, stopPostmaster } from './postmaster.ts';
import { connect, presenceLock, reach } from './reach.ts';
import type { Server } from './reach.ts';

const longestPauseMs = 10_000;
const looksForOthers = 5;
const lookEveryMs = 60;

/** Not in the types of pg: whether the connection alone keeps the process alive. */
type Holding = Client & { ref(): void; unref(): void };

/** Takes a connection that reach() gave, and replaces it when it is lost. Returns how to leave. */
export function holdPresence(server: Server, first: Client): () => Promise<void> {
  const leaving = new AbortController();
  let held: Holding | undefined;
  let returning: Promise<void> | undefined;
  let left: Promise<void> | undefined;

  function hold(client: Client): void {
    held = client as Holding;
    held.unref();
    held.once('end', () => {
      held = undefined;
      if (!leaving.signal.aborted) returning = comeBack();
    });
  }

  /** The server crashed and recovers, or was stopped by hand, and is started again: without it we are nothing. */
  async function comeBack(): Promise<void> {
    for (let pauseMs = 100; !leaving.signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return hold(await reach(server, leaving.signal, true));
      } catch {
        // Whoever uses the database sees that it is gone, and postgres.log says why.
        await sleep(pauseMs, undefined, { ref: false, signal: leaving.signal }).catch(() => {});
      }
    }
  }

  async function leave(): Promise<void> {
    leaving.abort();
    await returning;
    const client = held ?? ((await reconnect(server)) as Holding | undefined);
    if (!client) return;
    client.ref();
    try {
      if (await isLast(client)) await stopPostmaster(server.home.clusterDir, server.machine.nativeDir);
    } finally {
      await client.end().catch(() => {});
    }
  }

  hold(first);
  return () => (left ??= leave());
}

/** The lock then stays with us, so that nobody comes in while the server stops. */
async function isLast(client: Client): Promise<boolean> {
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [presenceLock]);
    for (let attempt = 1; ; attempt++) {
      const { rows } = await client.query('select pg_try_advisory_lock($1) as last', [presenceLock]);
      if (rows[0].last || attempt === looksForOthers) return rows[0].last;
      // Another one may have been killed just now, and the server not have noticed yet.
      await sleep(lookEveryMs);
    }
  } catch {
    // The server went away by itself.
    return false;
  }
}

async function reconnect(server: Server): Promise<Client | undefined> {
  const postmaster = await readPostmaster(server.home.clusterDir);
  if (!postmaster?.isReady) return undefined;
  return connect(server, postmaster).catch(() => undefined);
}
