/**
 * How many deliveries to claim ahead: as many as begin in a moment. Claiming many saves work while thousands leave each
 * second. Where they leave one by one a few are enough, and urgent mail does not wait behind those already claimed.
 * Pure: the caller keeps the value and gives the time.
 */
export interface Reach {
  readonly ahead: number;
  /** How many have begun since `sinceMs`. */
  readonly begun: number;
  readonly sinceMs: number;
}

const LEAST = 50;
const MOST = 400;
const MOMENT_MS = 200;
const LOOK_MS = 100;

export function createReach(nowMs: number): Reach {
  return { ahead: LEAST, begun: 0, sinceMs: nowMs };
}

export function noteBegun(reach: Reach): Reach {
  return { ...reach, begun: reach.begun + 1 };
}

/** Measures anew at most every LOOK_MS. */
export function measureReach(reach: Reach, nowMs: number): Reach {
  const passedMs = nowMs - reach.sinceMs;
  if (passedMs < LOOK_MS) return reach;
  const inMoment = Math.round((reach.begun * MOMENT_MS) / passedMs);
  return { ahead: Math.min(MOST, Math.max(LEAST, inMoment)), begun: 0, sinceMs: nowMs };
}
