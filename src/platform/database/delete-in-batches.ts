/** Deletes many rows in batches with a pause after each, so that other work is not slowed down. */
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 50;

/**
 * `deleteSome` deletes at most `limit` rows and returns their number. The result is the total number of deleted
 * rows.
 */
export async function deleteInBatches(
  limit: number,
  deleteSome: (limit: number) => Promise<number>,
): Promise<number> {
  for (let total = 0; ;) {
    const deleted = await deleteSome(limit);
    total += deleted;
    if (deleted < limit) return total;
    await sleep(PAUSE_MS);
  }
}
