/** The server's time. The server's clock decides when messages are sent, and the clock of this device may be wrong. */
let offsetMs = 0;

/** The Date header has only whole seconds, so smaller differences are ignored. */
const EXACT_TO_MS = 1_500;

export function noteServerTime(date: string | null): void {
  const difference = Date.parse(date ?? '') + 500 - Date.now();
  if (!Number.isNaN(difference)) offsetMs = Math.abs(difference) > EXACT_TO_MS ? difference : 0;
}

export function serverNow(): number {
  return Date.now() + offsetMs;
}
