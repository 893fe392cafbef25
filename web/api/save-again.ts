/** When what is edited is saved again after a failure. */
import { ApiError } from './client.ts';

const FIRST_GAP_MS = 1_000;
const LONGEST_GAP_MS = 30_000;

/** Returns how long to wait before the next attempt after a number of failures. */
export function gapAfterMs(failures: number): number {
  return Math.min(FIRST_GAP_MS * 2 ** failures, LONGEST_GAP_MS);
}

/**
 * The same value would be rejected again. A request that failed because of the session or the rate limit may succeed
 * later.
 */
export function isRefusal(error: unknown): boolean {
  const status = error instanceof ApiError ? error.status : 0;
  return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}

/**
 * Calls `save` when the connection is back, and when the tab is hidden: it may be closed next, and phones do not ask
 * before that. Returns a function that stops it.
 */
export function onSaveNow(save: () => void): () => void {
  const onHidden = () => document.visibilityState === 'hidden' && save();
  window.addEventListener('online', save);
  document.addEventListener('visibilitychange', onHidden);
  return () => {
    window.removeEventListener('online', save);
    document.removeEventListener('visibilitychange', onHidden);
  };
}
