/**
 * Who is alive, told by the database: a name stands for an advisory lock that ends with its owner's connection, so
 * with its process, however that ends. What a dead one held can be taken over at once.
 *
 * A connection may also end alone, and all of them end when the database is restarted. So whoever is alive shows
 * itself again at once, and nobody judges others in the moment after that: two would send the same letters.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { lockNumber } from './database.ts';

export interface Presence {
  /** Shows the names as alive, until the end. Showing one again does no harm. */
  show(names: string[]): Promise<void>;
  /** Which of these nobody shows. Takes a second or more where there are any. */
  findDead(names: string[]): Promise<string[]>;
  close(): void;
}

const SHOW_AGAIN_MS = 250;
/** So long everybody has to show himself again after the database was away. */
const GRACE_MS = 3_000;
/** A dead one is dead twice. */
const LOOK_AGAIN_MS = 1_000;

export function createPresence(pool: pg.Pool): Presence {
  const shown = new Set<string>();
  const connection = createConnection(pool, () => void showAgain());
  const closing = new AbortController();
  let lostAtMs = -Infinity;

  async function show(names: string[]): Promise<void> {
    if (closing.signal.aborted) return;
    for (const name of names) shown.add(name);
    const connected = await connection.reach();
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

  /** Ends early when all is to end. */
  async function pause(ms: number): Promise<void> {
    await wait(ms, null, { ref: false, signal: closing.signal }).catch(() => {});
  }

  /** Waits until everybody has had the time to show himself again. */
  async function waitForOthers(): Promise<void> {
    const { rows } = await pool.query<{ ms: number }>(
      `select (extract(epoch from clock_timestamp() - pg_postmaster_start_time()) * 1000)::float8 as ms`,
    );
    // A clock that was set back shows a start that is still to come.
    const quietMs = Math.min(Math.max(0, rows[0]!.ms), performance.now() - lostAtMs);
    if (quietMs < GRACE_MS) await pause(GRACE_MS - quietMs);
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
      await pause(LOOK_AGAIN_MS);
      const dead = await findUnshown(unshown);
      return performance.now() - lostAtMs < GRACE_MS ? [] : dead;
    },
    close() {
      closing.abort();
      connection.close();
    },
  };
}

/** One connection of the pool, kept for as long as it lasts: the locks end with it. */
function createConnection(
  pool: pg.Pool,
  onLost: () => void,
): { reach(): Promise<pg.PoolClient>; close(): void } {
  let client: Promise<pg.PoolClient> | null = null;

  async function connect(): Promise<pg.PoolClient> {
    const connected = await pool.connect();
    const own = client;
    // Given back when it breaks: the pool waits for all its connections before it ends.
    connected.once('end', () => {
      if (client !== own) return;
      client = null;
      connected.release(true);
      onLost();
    });
    return connected;
  }

  return {
    reach() {
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
