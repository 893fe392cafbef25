/**
 * Handles uncaught errors. Such an error usually belongs to one connection, request or timer, so it is logged and
 * counted, and the process continues. The process stops if its state is unknown: when Node.js reports a failed internal
 * check, or when there are very many errors.
 */
import type { UnexpectedErrors } from '../platform/telemetry/unexpected-errors.ts';
import { MINUTE_MS } from '../platform/durations.ts';

const MOST_IN_A_MINUTE = 1_000;
/** Error codes of Node.js for an inconsistent internal state. */
const BROKEN_STATE = new Set(['ERR_INTERNAL_ASSERTION', 'ERR_MEMORY_ALLOCATION_FAILED']);

export function watchUncaughtErrors(
  errors: UnexpectedErrors,
  stop: (reason: string) => void,
  now: () => number = Date.now,
): void {
  let count = 0;
  let countingSince = now();
  // Unhandled promise rejections arrive here too; `origin` tells them apart.
  process.on('uncaughtException', (error: NodeJS.ErrnoException | null | undefined, origin) => {
    errors.report('uncaught', error, { origin });
    if (BROKEN_STATE.has(error?.code ?? '')) return stop('an internal check of Node.js failed');
    if (now() - countingSince > MINUTE_MS) {
      count = 0;
      countingSince = now();
    }
    count += 1;
    if (count > MOST_IN_A_MINUTE) stop(`more than ${MOST_IN_A_MINUTE} uncaught errors in a minute`);
  });
}
