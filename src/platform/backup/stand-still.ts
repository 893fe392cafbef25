/**
 * Opens restore's transaction at a moment when nobody is in the middle of anything: all tables are locked at once,
 * so that every other transaction is either wholly before it or wholly after.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { hasJobs, listTables, quote, STEADY_SETTINGS } from './catalog.ts';
import { listBusyJobs } from './jobs.ts';

/** Shorter than PostgreSQL's deadlock_timeout: we step back before anyone is thrown out because of us. */
const LOCK_TIMEOUT_MS = 250;
const PAUSE_MS = 100;
const GIVE_UP_AFTER_MS = 30_000;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

export async function beginStandingStill(client: pg.ClientBase, othersAreHere: boolean): Promise<void> {
  const deadline = Date.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    const inTheWay = await tryToBegin(client, othersAreHere);
    if (!inTheWay) return;
    await client.query('rollback');
    if (Date.now() > deadline) {
      throw new Error(`${inTheWay} Nothing was changed. Try again later, or stop the server first.`);
    }
    await sleep(PAUSE_MS);
  }
}

/** Returns what is in the way; then the transaction is of no use. */
async function tryToBegin(client: pg.ClientBase, othersAreHere: boolean): Promise<string | null> {
  await client.query('begin');
  await client.query(STEADY_SETTINGS);
  await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  const tables = (await listTables(client)).map(({ name }) => quote(name));
  const withJobs = await hasJobs(client);
  if (withJobs) tables.push('graphile_worker._private_jobs');
  try {
    if (tables.length > 0) await client.query(`lock table ${tables.join(', ')} in access exclusive mode`);
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) throw error;
    return 'The tables are in use by a transaction that does not end.';
  }
  await client.query('set local lock_timeout = 0');
  // A job remembers what it read before: it would go on with that on the restored data.
  const busy = withJobs && othersAreHere ? await listBusyJobs(client) : [];
  return busy.length > 0 ? `The server is in the middle of a job (${busy.join(', ')}).` : null;
}
