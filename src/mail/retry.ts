/**
 * When a message that was put off is tried again: soon at first, because greylisting and short outages end within
 * minutes, then ever more slowly up to four hours, and given up after four days (RFC 5321 section 4.5.4.1 asks for
 * four to five). Pure: time and chance come from the caller.
 */

export interface Attempts {
  /** How many were made, the failed one included: at least 1. */
  attempt: number;
  firstTriedAt: Date;
  now: Date;
  /** Between 0 and 1, as Math.random. */
  random: () => number;
}

const MINUTE_MS = 60_000;
const WAIT_MINUTES = [1, 5, 15, 30, 60, 120, 240];
// A fifth up or down, so that what failed together does not come back together.
const JITTER = 0.2;
const GIVE_UP_AFTER_MS = 4 * 24 * 60 * MINUTE_MS;

/** Null: give up. */
export function nextAttemptAt({ attempt, firstTriedAt, now, random }: Attempts): Date | null {
  const step = Math.min(Math.max(attempt, 1), WAIT_MINUTES.length) - 1;
  const waitMs = WAIT_MINUTES[step]! * MINUTE_MS * (1 - JITTER + 2 * JITTER * random());
  const nextMs = Math.round(now.getTime() + waitMs);
  return nextMs > firstTriedAt.getTime() + GIVE_UP_AFTER_MS ? null : new Date(nextMs);
}
