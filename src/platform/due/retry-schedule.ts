/**
 * Decides when something that failed is tried again: soon at first, because many faults end within minutes, then with
 * growing gaps. The function is pure; the caller passes time and randomness.
 */
export interface RetrySchedule {
  /** The wait after each failure. The last one repeats. */
  waitsMs: readonly number[];
  /** When to give up, counted from the first try. */
  giveUpAfterMs: number;
}

export interface TryState {
  /** Tries so far, with the one that failed: at least 1. */
  tries: number;
  firstTriedAt: Date;
  now: Date;
  /** The least wait that the other side has asked for. */
  leastWaitMs?: number | null;
  /** Returns a number from 0 to 1, like Math.random. */
  random: () => number;
}

/** A variation of 20 % either way, so that what failed together is not tried again together. */
const JITTER = 0.2;

/** Returns null to give up. */
export function nextTryAt(
  { waitsMs, giveUpAfterMs }: RetrySchedule,
  { tries, firstTriedAt, now, leastWaitMs, random }: TryState,
): Date | null {
  const step = Math.min(Math.max(tries, 1), waitsMs.length) - 1;
  const waitMs = waitsMs[step]! * (1 - JITTER + 2 * JITTER * random());
  const nextMs = Math.round(now.getTime() + Math.max(waitMs, leastWaitMs ?? 0));
  return nextMs > firstTriedAt.getTime() + giveUpAfterMs ? null : new Date(nextMs);
}
