/** What time it is on the server: what leaves there at a certain second must not be counted on a clock that is wrong. */
let offsetMs = 0;

/** Answers tell their time in whole seconds; a difference within that is none. */
const EXACT_TO_MS = 1_500;

export function noteServerTime(date: string | null): void {
  const difference = Date.parse(date ?? '') + 500 - Date.now();
  if (!Number.isNaN(difference)) offsetMs = Math.abs(difference) > EXACT_TO_MS ? difference : 0;
}

export function serverNow(): number {
  return Date.now() + offsetMs;
}
