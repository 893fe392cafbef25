/** Deletes many rows a batch at a time, with a pause after each, so that other work does not notice it. */
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 50;

/** `deleteSome` deletes at most `limit` rows and returns their number. Returns the number of all deleted rows. */
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
