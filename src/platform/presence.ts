/**
 * Who is alive, told by the database: a name stands for an advisory lock that ends with its owner's connection, so
 * with its process, however that ends. What a dead one held can be taken over at once.
 */
import type pg from 'pg';
import { sha256 } from './crypto.ts';

export interface Presence {
  /** Shows the names as alive. Showing one again does no harm, and mends it after a lost connection. */
  show(names: string[]): Promise<void>;
  /** Which of these nobody shows. */
  findDead(names: string[]): Promise<string[]>;
  close(): void;
}

export function createPresence(pool: pg.Pool): Presence {
  let client: pg.PoolClient | null = null;

  async function connect(): Promise<pg.PoolClient> {
    const connected = await pool.connect();
    // Given back when it breaks: the pool waits for all its connections before it ends.
    connected.once('end', () => {
      if (client !== connected) return;
      client = null;
      connected.release(true);
    });
    client = connected;
    return connected;
  }

  return {
    async show(names) {
      const connected = client ?? (await connect());
      await connected.query('select pg_advisory_lock_shared(key) from unnest($1::bigint[]) as key', [
        names.map(lockOf),
      ]);
    },
    async findDead(names) {
      const { rows } = await pool.query<{ name: string }>(
        `select name from unnest($1::text[], $2::bigint[]) as n (name, key) where pg_try_advisory_xact_lock(key)`,
        [names, names.map(lockOf)],
      );
      return rows.map(({ name }) => name);
    },
    close() {
      const last = client;
      client = null;
      last?.release(true);
    },
  };
}

function lockOf(name: string): string {
  return sha256(`presence ${name}`).readBigInt64BE().toString();
}
