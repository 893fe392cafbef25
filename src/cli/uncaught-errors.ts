/**
 * What becomes of an error that no part of the program caught. One such error belongs to one connection, request or
 * timer, so the process logs and counts it and goes on. It stops where its state is unknown: Node.js itself reports that
 * an internal check failed, or errors come in such numbers that more is broken than one connection.
 */
import type { UnexpectedErrors } from '../platform/unexpected-errors.ts';

const MOST_IN_A_MINUTE = 1_000;
const MINUTE_MS = 60_000;
/** Codes by which Node.js says that it found its own state to be wrong. */
const BROKEN_STATE = new Set(['ERR_INTERNAL_ASSERTION', 'ERR_MEMORY_ALLOCATION_FAILED']);

export function watchUncaughtErrors(
  errors: UnexpectedErrors,
  stop: (reason: string) => void,
  now: () => number = Date.now,
): void {
  let count = 0;
  let countingSince = now();
  // A rejected promise that nobody handles is raised as an uncaught exception too; `origin` tells which it was.
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
