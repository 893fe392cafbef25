/**
 * Decides when to retry a deferred message: soon at first, because greylisting and short outages end within
 * minutes, then with growing delays up to four hours. Gives up after four days (RFC 5321 section 4.5.4.1
 * recommends four to five). The function is pure; the caller passes time and randomness.
 */
import { nextTryAt, type RetrySchedule, type TryState } from '../../platform/due/retry-schedule.ts';
import { MINUTE_MS } from '../../platform/durations.ts';

export interface RetryState extends Omit<TryState, 'tries' | 'leastWaitMs'> {
  /** Number of attempts including the failed one; at least 1. */
  attempt: number;
}

const SCHEDULE: RetrySchedule = {
  waitsMs: [1, 5, 15, 30, 60, 120, 240].map((minutes) => minutes * MINUTE_MS),
  giveUpAfterMs: 4 * 24 * 60 * MINUTE_MS,
};

/** Returns null to give up. */
export function nextAttemptAt({ attempt, ...state }: RetryState): Date | null {
  return nextTryAt(SCHEDULE, { ...state, tries: attempt });
}
