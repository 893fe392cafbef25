/**
 * Tells the database's time without a query for each use: the database is queried every few seconds, and the
 * monotonic clock of this process continues in between. So all processes agree on the time, even if the clock of a
 * machine is wrong.
 *
 * When the database's own clock is set back, work that was due lies in the future again. `onSetBack` must make it
 * due. It is also called at the start, because the clock may have been set back while no process was running.
 */
import { databaseNow, type Db } from './database.ts';
import type { Log } from '../log.ts';

export interface DatabaseClock {
  now(): Date;
  close(): Promise<void>;
}

const ASK_EVERY_MS = 2_000;
/** A smaller difference comes from a clock adjustment or a slow reply. */
const SET_BACK_MS = 3_000;
/** A slower reply is too imprecise: the query may have waited for a connection. */
const MAX_ROUND_TRIP_MS = 1_000;

export async function startDatabaseClock(
  db: Db,
  log: Log,
  onSetBack: () => Promise<void>,
): Promise<DatabaseClock> {
  let offsetMs = (await findOffset(db)) ?? (await databaseNow(db)).getTime() - performance.now();
  await onSetBack();

  async function ask(): Promise<void> {
    try {
      const before = offsetMs;
      offsetMs = (await findOffset(db)) ?? before;
      if (offsetMs > before - SET_BACK_MS) return;
      log.warn(
        { seconds: Math.round((before - offsetMs) / 1000) },
        'clock: the time of the database was set back',
      );
      await onSetBack();
    } catch (error) {
      log.warn({ err: error }, 'clock: the time of the database is not known');
    }
  }

  let asking: Promise<void> | null = null;
  const timer = setInterval(() => {
    asking ??= ask().finally(() => (asking = null));
  }, ASK_EVERY_MS);
  return {
    now: () => new Date(Math.round(performance.now() + offsetMs)),
    async close() {
      clearInterval(timer);
      await asking;
    },
  };
}

async function findOffset(db: Db): Promise<number | null> {
  const askedAtMs = performance.now();
  const now = await databaseNow(db);
  const answeredAtMs = performance.now();
  if (answeredAtMs - askedAtMs > MAX_ROUND_TRIP_MS) return null;
  return now.getTime() - (askedAtMs + answeredAtMs) / 2;
}
