/**
 * When a call that failed is made again: within seconds at first, then ever more slowly up to eight hours, for about
 * three days. What the endpoint asks for (Retry-After) is waited for, within reason. Pure: time and chance come from
 * the caller.
 */

export interface Tries {
  /** How many were made, the failed one included: at least 1. */
  attempt: number;
  firstTriedAt: Date;
  now: Date;
  retryAfterMs: number | null;
  /** Between 0 and 1, as Math.random. */
  random: () => number;
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
const WAIT_SECONDS = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800];
// A fifth up or down, so that what failed together does not come back together.
const JITTER = 0.2;
const GIVE_UP_AFTER_MS = 72 * HOUR_MS;
const LONGEST_RETRY_AFTER_MS = 6 * HOUR_MS;

/** Null: give up. */
export function nextCallAt({ attempt, firstTriedAt, now, retryAfterMs, random }: Tries): Date | null {
  const step = Math.min(Math.max(attempt, 1), WAIT_SECONDS.length) - 1;
  const waitMs = WAIT_SECONDS[step]! * SECOND_MS * (1 - JITTER + 2 * JITTER * random());
  const nextMs = Math.round(now.getTime() + Math.max(waitMs, retryAfterMs ?? 0));
  return nextMs > firstTriedAt.getTime() + GIVE_UP_AFTER_MS ? null : new Date(nextMs);
}

/** RFC 9110, section 10.2.3: seconds or a date. Null when there is none that can be read. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  // What Date.parse would make of anything else is not meant.
  if (!/^(\d+|[A-Z][a-z]{2,8}, .*)$/.test(text)) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now.getTime();
  if (Number.isNaN(ms)) return null;
  return Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}
