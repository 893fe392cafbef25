/**
 * The retry schedule of failed calls: the wait grows from seconds to eight hours, and retries end after three days.
 * Retry-After is respected up to six hours. Pure: the caller passes time and randomness.
 */
import { nextTryAt, type RetrySchedule, type TryState } from '../../platform/due/retry-schedule.ts';
import { HOUR_MS } from '../../platform/durations.ts';

export interface CallRetryState extends Omit<TryState, 'tries' | 'leastWaitMs'> {
  /** Attempts made so far, including the failed one: at least 1. */
  attempt: number;
  retryAfterMs: number | null;
}

const SECOND_MS = 1_000;
const SCHEDULE: RetrySchedule = {
  waitsMs: [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800].map((seconds) => seconds * SECOND_MS),
  giveUpAfterMs: 72 * HOUR_MS,
};
const LONGEST_RETRY_AFTER_MS = 6 * HOUR_MS;

/** Returns null to give up. */
export function nextCallAt({ attempt, retryAfterMs, ...state }: CallRetryState): Date | null {
  return nextTryAt(SCHEDULE, { ...state, tries: attempt, leastWaitMs: retryAfterMs });
}

/** Reads seconds or a date (RFC 9110, section 10.2.3). Returns null if the header is missing or unreadable. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  // Date.parse would accept other texts that are not HTTP dates.
  if (!/^(\d+|[A-Z][a-z]{2,8}, .*)$/.test(text)) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now.getTime();
  if (Number.isNaN(ms)) return null;
  return Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}
