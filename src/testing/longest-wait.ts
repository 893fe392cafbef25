/**
 * A request that takes a larger share of the work's time than this was delayed by it. Delays on a busy machine are
 * shorter.
 */
export const HELD_UP = 0.8;

/** Returns the time of the slowest of many small requests as a fraction of the time that the work took. */
export async function longestWait(work: Promise<unknown>, ask: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let isDone = false;
  const ending = work.finally(() => (isDone = true));
  let longest = 0;
  while (!isDone) {
    const askedAt = performance.now();
    await ask();
    longest = Math.max(longest, performance.now() - askedAt);
  }
  await ending;
  return longest / (performance.now() - startedAt);
}
