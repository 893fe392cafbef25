/**
 * An email of a campaign is stored with the outcome of its attempt. What answers it within that moment, such as a report
 * of a quick server, waits for the outcome instead of being lost.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';

const AGAIN_MS = 250;
const LONGEST_MS = 10_000;

/** Repeats `find` while the email may be on its way. Returns null for an unknown email. */
export async function findOnceRecorded<Found>(
  db: Db,
  emailId: string,
  find: () => Promise<Found | null>,
): Promise<Found | null> {
  for (let waited = 0; ; waited += AGAIN_MS) {
    const found = await find();
    if (found || waited >= LONGEST_MS || !(await isOnItsWay(db, emailId))) return found;
    await wait(AGAIN_MS);
  }
}

/** The ID begins with the time at which the batch of the email was taken. */
async function isOnItsWay(db: Db, emailId: string): Promise<boolean> {
  const { rows } = await sql`
    select from campaign_batches where leased_by is not null and released_at = uuid_time(${emailId}::uuid) limit 1
  `.execute(db);
  return rows.length > 0;
}
