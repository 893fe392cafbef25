/**
 * Decides when to retry a deferred message: soon at first, because greylisting and short outages end within
 * minutes, then with growing delays up to four hours. Gives up after four days (RFC 5321 section 4.5.4.1
 * recommends four to five). The function is pure; the caller passes time and randomness.
 */
import { MINUTE_MS } from '../../platform/durations.ts';

export interface RetryState {
  /** Number of attempts including the failed one; at least 1. */
  attempt: number;
  firstTriedAt: Date;
  now: Date;
  /** Returns a number from 0 to 1, like Math.random. */
  random: () => number;
}

const WAIT_MINUTES = [1, 5, 15, 30, 60, 120, 240];
// A variation of 20 %, so that messages that failed together are not retried together.
const JITTER = 0.2;
const GIVE_UP_AFTER_MS = 4 * 24 * 60 * MINUTE_MS;

/** Returns null to give up. */
export function nextAttemptAt({ attempt, firstTriedAt, now, random }: RetryState): Date | null {
  const step = Math.min(Math.max(attempt, 1), WAIT_MINUTES.length) - 1;
  const waitMs = WAIT_MINUTES[step]! * MINUTE_MS * (1 - JITTER + 2 * JITTER * random());
  const nextMs = Math.round(now.getTime() + waitMs);
  return nextMs > firstTriedAt.getTime() + GIVE_UP_AFTER_MS ? null : new Date(nextMs);
}
