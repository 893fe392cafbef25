/**
 * Tests LISTEN and NOTIFY. They and session locks need a database connection that stays the same, which a pooler such
 * as PgBouncer provides only in session mode. With DATABASE_DIRECT_URL they bypass the pooler.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { startNotifications } from '../../platform/database/notifications.ts';

const WAIT_MS = 3_000;

/** Returns false if a notification did not arrive. */
export async function probeNotifications(url: string, pool: pg.Pool): Promise<boolean> {
  const channel = `doctor_${process.pid}`;
  const controller = new AbortController();
  const listener = { channel, onNotification: () => controller.abort(), onGap: () => {} };
  const notifications = await startNotifications(url, [listener], {
    onError: () => {},
    onListenerError: () => {},
  });
  try {
    await pool.query('select pg_notify($1, $2)', [channel, '']);
    await wait(WAIT_MS, undefined, { signal: controller.signal }).catch(() => {});
    return controller.signal.aborted;
  } finally {
    await notifications.close();
  }
}
