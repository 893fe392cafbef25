/**
 * The retry schedule of failed calls: the wait grows from seconds to eight hours, and retries end after three days.
 * Retry-After is respected up to six hours. Pure: the caller passes time and randomness.
 */
import { HOUR_MS } from '../../../platform/durations.ts';

export interface CallRetryState {
  /** Attempts made so far, including the failed one: at least 1. */
  attempt: number;
  firstTriedAt: Date;
  now: Date;
  retryAfterMs: number | null;
  /** Between 0 and 1, as Math.random. */
  random: () => number;
}

const SECOND_MS = 1_000;
const WAIT_SECONDS = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800];
// 20% either way, so that calls that failed together are not retried together.
const JITTER = 0.2;
const GIVE_UP_AFTER_MS = 72 * HOUR_MS;
const LONGEST_RETRY_AFTER_MS = 6 * HOUR_MS;

/** Returns null to give up. */
export function nextCallAt({
  attempt,
  firstTriedAt,
  now,
  retryAfterMs,
  random,
}: CallRetryState): Date | null {
  const step = Math.min(Math.max(attempt, 1), WAIT_SECONDS.length) - 1;
  const waitMs = WAIT_SECONDS[step]! * SECOND_MS * (1 - JITTER + 2 * JITTER * random());
  const nextMs = Math.round(now.getTime() + Math.max(waitMs, retryAfterMs ?? 0));
  return nextMs > firstTriedAt.getTime() + GIVE_UP_AFTER_MS ? null : new Date(nextMs);
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
