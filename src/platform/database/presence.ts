/**
 * Detects dead processes through the database. A process holds an advisory lock for each name that it shows. The
 * lock ends with the connection, and so with the process, even after a kill. Others can then take over its work
 * immediately.
 *
 * A connection may also be lost while its process is alive, and a restart of the database ends all connections. So
 * a process takes its locks again right away, and no process is declared dead during a grace period after a loss.
 * Otherwise two processes would send the same messages.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { lockNumber } from './database.ts';

export interface Presence {
  /** Shows the names as alive until `close` is called. Showing a name twice is harmless. */
  show(names: string[]): Promise<void>;
  /** Returns the names that no process shows. Takes a second or more if there are any. */
  findDead(names: string[]): Promise<string[]>;
  close(): void;
}

const SHOW_AGAIN_MS = 250;
/** How long processes have to show their names again after a loss. */
const GRACE_MS = 3_000;
/** A name is checked twice before it is declared dead. */
const CHECK_AGAIN_MS = 1_000;

export function createPresence(pool: pg.Pool): Presence {
  const shown = new Set<string>();
  const connection = createConnection(pool, () => void showAgain());
  const closing = new AbortController();
  // A process that has just started cannot know whether a standby became the primary a moment ago, when all others
  // lost their locks. The start time of the server does not show it, because the standby was running before.
  let lostAtMs = performance.now();

  async function show(names: string[]): Promise<void> {
    if (closing.signal.aborted) return;
    for (const name of names) shown.add(name);
    const connected = await connection.get();
    await connected.query('select pg_advisory_lock_shared(key) from unnest($1::bigint[]) as key', [
      names.map(lockOf),
    ]);
  }

  async function showAgain(): Promise<void> {
    while (!closing.signal.aborted) {
      lostAtMs = performance.now();
      try {
        return await show([...shown]);
      } catch {
        await pause(SHOW_AGAIN_MS);
      }
    }
  }

  /** Ends early on `close`. */
  async function pause(ms: number): Promise<void> {
    await wait(ms, null, { ref: false, signal: closing.signal }).catch(() => {});
  }

  /** Waits until all processes have had the time to show their names again. */
  async function waitForOthers(): Promise<void> {
    const { rows } = await pool.query<{ ms: number }>(
      `select (extract(epoch from clock_timestamp() - pg_postmaster_start_time()) * 1000)::float8 as ms`,
    );
    // After the clock was set back, the start time may lie in the future.
    const sinceLossMs = Math.min(Math.max(0, rows[0]!.ms), performance.now() - lostAtMs);
    if (sinceLossMs < GRACE_MS) await pause(GRACE_MS - sinceLossMs);
  }

  async function findUnshown(names: string[]): Promise<string[]> {
    if (closing.signal.aborted) return [];
    const { rows } = await pool.query<{ name: string }>(
      `select name from unnest($1::text[], $2::bigint[]) as n (name, key) where pg_try_advisory_xact_lock(key)`,
      [names, names.map(lockOf)],
    );
    return rows.map(({ name }) => name);
  }

  return {
    show,
    async findDead(names) {
      if (names.length === 0) return [];
      await waitForOthers();
      const unshown = await findUnshown(names);
      if (unshown.length === 0) return [];
      await pause(CHECK_AGAIN_MS);
      const dead = await findUnshown(unshown);
      return performance.now() - lostAtMs < GRACE_MS ? [] : dead;
    },
    close() {
      closing.abort();
      connection.close();
    },
  };
}

/** Keeps one connection of the pool for as long as it lives, because the locks end with it. */
function createConnection(
  pool: pg.Pool,
  onLost: () => void,
): { get(): Promise<pg.PoolClient>; close(): void } {
  let client: Promise<pg.PoolClient> | null = null;

  async function connect(): Promise<pg.PoolClient> {
    const connected = await pool.connect();
    const own = client;
    // Release it when it breaks, because pool.end() waits for all connections.
    connected.once('end', () => {
      if (client !== own) return;
      client = null;
      connected.release(true);
      onLost();
    });
    return connected;
  }

  return {
    get() {
      if (client) return client;
      const connecting = connect();
      client = connecting;
      connecting.catch(() => {
        if (client === connecting) client = null;
      });
      return connecting;
    },
    close() {
      const last = client;
      client = null;
      void last?.then(
        (connected) => connected.release(true),
        () => {},
      );
    },
  };
}

function lockOf(name: string): string {
  return lockNumber(`presence ${name}`);
}
