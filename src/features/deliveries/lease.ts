/**
 * Whether this worker's leases may have ended. A delivery whose lease ends is taken over by another worker, so nothing
 * that is only claimed may begin after that. Pure: the caller keeps the clocks of the last renewal.
 */
import { LEASE_SECONDS } from './claim.ts';

/** No delivery begins this close to the end of its lease. */
const MARGIN_SECONDS = 3;

/** The monotonic clock stands still while the machine sleeps, the wall clock can be set back: the longer time counts. */
export interface Clocks {
  monotonicMs: number;
  wallMs: number;
}

export function readClocks(): Clocks {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

export function hasLapsed(renewedAt: Clocks, now: Clocks): boolean {
  const passedMs = Math.max(now.monotonicMs - renewedAt.monotonicMs, now.wallMs - renewedAt.wallMs);
  return passedMs >= (LEASE_SECONDS - MARGIN_SECONDS) * 1000;
}
