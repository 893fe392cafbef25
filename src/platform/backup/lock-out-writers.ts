/**
 * Begins the transaction of a restore with all tables locked, so that every other transaction is entirely before or
 * entirely after it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { listTables, quote, STEADY_SETTINGS } from './catalog.ts';
import { listBusyJobs } from './jobs.ts';

/** Shorter than PostgreSQL's deadlock_timeout, so that we give up before another transaction is aborted. */
const LOCK_TIMEOUT_MS = 250;
const PAUSE_MS = 100;
const GIVE_UP_AFTER_MS = 30_000;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

export async function lockOutWriters(client: pg.ClientBase, othersAreHere: boolean): Promise<void> {
  const deadline = Date.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    const obstacle = await tryToBegin(client, othersAreHere);
    if (!obstacle) return;
    await client.query('rollback');
    if (Date.now() > deadline) {
      throw new Error(`${obstacle} Nothing was changed. Try again later, or stop the server first.`);
    }
    await sleep(PAUSE_MS);
  }
}

/** Returns null if it succeeded, otherwise the reason; the caller must then roll back. */
async function tryToBegin(client: pg.ClientBase, othersAreHere: boolean): Promise<string | null> {
  await client.query('begin');
  await client.query(STEADY_SETTINGS);
  await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  const tables = (await listTables(client)).map(({ name }) => quote(name));
  try {
    if (tables.length > 0) await client.query(`lock table ${tables.join(', ')} in access exclusive mode`);
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) throw error;
    return 'A long transaction is using the tables.';
  }
  await client.query('set local lock_timeout = 0');
  // A running job would continue with data that it read before the restore.
  const busy = othersAreHere ? await listBusyJobs(client) : [];
  return busy.length > 0 ? `The server is running a job (${busy.join(', ')}).` : null;
}
