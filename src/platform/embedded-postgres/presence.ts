/**
 * The presence of this process: one connection that holds the presence lock. It ends with the process, even after a
 * kill. A process that leaves while no other holds the lock stops the server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { readPostmaster, stopPostmaster } from './postmaster.ts';
import { connect, presenceLock, connectOrStart } from './connect-or-start.ts';
import type { Server } from './connect-or-start.ts';

const LONGEST_PAUSE_MS = 10_000;
const CHECKS_FOR_OTHERS = 5;
const BETWEEN_CHECKS_MS = 60;
const LOOK_MS = 5_000;
/** Longer than processes that were stopped together with the server need for their last requests. */
const STOPPING_MS = 15_000;

/** The types of pg lack these methods, which control whether the connection keeps the process alive. */
type Holding = Client & { ref(): void; unref(): void };

/** Keeps a connection from `connectOrStart` and replaces it when it is lost. Returns a function that leaves. */
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
      if (!leaving.signal.aborted) returning = restoreConnection();
    });
  }

  /**
   * Called when the connection is lost because the server crashed or was stopped. Starts the server again, because
   * this process needs it.
   */
  async function restoreConnection(): Promise<void> {
    for (let pauseMs = 100; !leaving.signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return hold(await connectOrStart(server, leaving.signal, true));
      } catch {
        // Queries of this process report the failure, and postgres.log has the reason.
        await sleep(pauseMs, undefined, { ref: false, signal: leaving.signal }).catch(() => {});
      }
    }
  }

  async function leave(): Promise<void> {
    leaving.abort();
    // Returning does not keep the process alive, which would end here without a word of what went wrong.
    const alive = setInterval(() => {}, LONGEST_PAUSE_MS);
    await returning;
    clearInterval(alive);
    const client = held ?? ((await reconnect(server)) as Holding | undefined);
    if (!client) return;
    client.ref();
    try {
      if (await isLast(client)) await stopPostmaster(server.home.clusterDir, server.machine.nativeDir);
    } finally {
      await client.end().catch(() => {});
    }
  }

  const endWatch = watchForStop(server, () => held !== undefined);
  hold(first);
  return () => {
    endWatch();
    return (left ??= leave());
  };
}

/**
 * Somebody may send the server SIGTERM, for which it accepts no new connection and waits until all others have ended. Ours
 * never end, so it would wait for ever. Stops it, after which the lost connections start it again.
 */
function watchForStop({ home, machine }: Server, isHeld: () => boolean): () => void {
  let stoppingSince: number | undefined;
  async function look(): Promise<void> {
    const postmaster = await readPostmaster(home.clusterDir);
    if (!postmaster?.isStopping || !isHeld()) return void (stoppingSince = undefined);
    stoppingSince ??= performance.now();
    if (performance.now() - stoppingSince < STOPPING_MS) return;
    await stopPostmaster(home.clusterDir, machine.nativeDir);
  }
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS).unref();
  return () => clearInterval(timer);
}

/** If true, this connection keeps the lock exclusively, so that no process joins while the server stops. */
async function isLast(client: Client): Promise<boolean> {
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [presenceLock]);
    for (let attempt = 1; ; attempt++) {
      const { rows } = await client.query('select pg_try_advisory_lock($1) as last', [presenceLock]);
      if (rows[0].last || attempt === CHECKS_FOR_OTHERS) return rows[0].last;
      // The server may not have noticed yet that another process was killed.
      await sleep(BETWEEN_CHECKS_MS);
    }
  } catch {
    // The server has already stopped.
    return false;
  }
}

async function reconnect(server: Server): Promise<Client | undefined> {
  const postmaster = await readPostmaster(server.home.clusterDir);
  if (!postmaster?.isReady) return undefined;
  return connect(server, postmaster).catch(() => undefined);
}
