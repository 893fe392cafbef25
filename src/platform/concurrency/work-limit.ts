/**
 * A time limit for work in a thread of this process. It counts processor time, so that work is not aborted because
 * other processes used the processor.
 *
 * The processor time of a single thread cannot be read in all supported versions of Node.js, so the time of the
 * whole process counts, which is never less. On an idle machine the limit is plain time.
 */

/** How many times the limit may pass as plain time, for work that waits without using the processor. */
const MOST_LIMITS = 6;
const SHORTEST_LOOK_MS = 100;

/** Calls `onOver` once, when the work has used up its limit. Returns a function that cancels the limit. */
export function limitWork(limitMs: number, onOver: () => void): () => void {
  const begunMs = performance.now();
  const begunCpu = process.cpuUsage();
  const look = (): void => {
    const { user, system } = process.cpuUsage(begunCpu);
    const worked = { passedMs: performance.now() - begunMs, workedMs: (user + system) / 1000 };
    const restMs = restOfLimit(limitMs, worked);
    if (restMs > 0) timer = setTimeout(look, restMs);
    else onOver();
  };
  let timer = setTimeout(look, limitMs);
  return () => clearTimeout(timer);
}

/** Returns the milliseconds until the limit can be used up at the earliest; 0 if it is used up. */
export function restOfLimit(limitMs: number, worked: { passedMs: number; workedMs: number }): number {
  const restMs = Math.min(limitMs - worked.workedMs, limitMs * MOST_LIMITS - worked.passedMs);
  if (worked.passedMs < limitMs) return Math.max(limitMs - worked.passedMs, restMs);
  return restMs <= 0 ? 0 : Math.max(restMs, SHORTEST_LOOK_MS);
}
