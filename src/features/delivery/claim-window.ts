/**
 * Decides how many deliveries to claim ahead: as many as start in 200 ms, between 50 and 400. Large claims save queries
 * when thousands leave per second. At a low rate, a small claim prevents urgent mail from waiting behind deliveries
 * that are already claimed. The functions are pure; the caller keeps the value and passes the time.
 */
export interface ClaimWindow {
  readonly ahead: number;
  /** Attempts started since `sinceMs`. */
  readonly begun: number;
  readonly sinceMs: number;
}

const MIN_AHEAD = 50;
const MAX_AHEAD = 400;
const AHEAD_MS = 200;
const MEASURE_INTERVAL_MS = 100;

export function createClaimWindow(nowMs: number): ClaimWindow {
  return { ahead: MIN_AHEAD, begun: 0, sinceMs: nowMs };
}

export function noteBegun(claimWindow: ClaimWindow): ClaimWindow {
  return { ...claimWindow, begun: claimWindow.begun + 1 };
}

/** Measures at most once per MEASURE_INTERVAL_MS. */
export function measureClaimWindow(claimWindow: ClaimWindow, nowMs: number): ClaimWindow {
  const elapsedMs = nowMs - claimWindow.sinceMs;
  if (elapsedMs < MEASURE_INTERVAL_MS) return claimWindow;
  const wanted = Math.round((claimWindow.begun * AHEAD_MS) / elapsedMs);
  return { ahead: Math.min(MAX_AHEAD, Math.max(MIN_AHEAD, wanted)), begun: 0, sinceMs: nowMs };
}
