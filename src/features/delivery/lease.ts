/**
 * Decides whether this worker's leases may have ended. Another worker takes over a delivery whose lease has
 * ended, so no claimed delivery may start after that. The function is pure; the caller keeps the time of the
 * last renewal.
 */

export const LEASE_SECONDS = 20;

/** No delivery starts this close to the end of its lease. */
const MARGIN_SECONDS = 3;

/** The monotonic clock stops while the computer sleeps, and the wall clock can be set back. The longer time counts. */
export interface Clocks {
  monotonicMs: number;
  wallMs: number;
}

export function readClocks(): Clocks {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

export function hasLapsed(renewedAt: Clocks, now: Clocks): boolean {
  const elapsedMs = Math.max(now.monotonicMs - renewedAt.monotonicMs, now.wallMs - renewedAt.wallMs);
  return elapsedMs >= (LEASE_SECONDS - MARGIN_SECONDS) * 1000;
}
