/**
 * Decides whether the leases of this process may have ended, and which leases it has forgotten. Another process takes
 * over a row whose lease has ended, so nothing may begin after that. The functions are pure; lease-holder.ts keeps the
 * times.
 */

export const LEASE_SECONDS = 20;

/** Nothing begins this close to the end of its lease. */
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

/** The renewal of all leases of a process, and the claims that run meanwhile. */
export interface RenewalState {
  /** The time that the last renewal counts from. */
  readonly renewedAt: Clocks;
  /** When each running claim began. */
  readonly claims: readonly Clocks[];
}

/**
 * A renewal counts from the time before its statements were sent. It does not cover the rows of a claim that is still
 * running, so then it counts from the time before that claim.
 */
export function countsFrom({ claims }: RenewalState, now: Clocks): Clocks {
  return claims.reduce((first, claim) => (claim.monotonicMs < first.monotonicMs ? claim : first), now);
}

export function beginClaim(state: RenewalState, claim: Clocks): RenewalState {
  return { ...state, claims: [...state.claims, claim] };
}

export function endClaim(state: RenewalState, claim: Clocks): RenewalState {
  return { ...state, claims: state.claims.filter((one) => one !== claim) };
}
