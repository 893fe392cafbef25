/**
 * Counts the errors that no code expected, by where they came from. Each error is logged, and ends only the connection,
 * request, message or timer that it belongs to. The counts are shown in /metrics.
 */
import type { Log } from './log.ts';

/** `uncaught` is for errors that reached the top of the process: no part of the program handled them. */
type ErrorSource = 'http' | 'smtp' | 'receiver' | 'notifications' | 'uncaught';

export interface UnexpectedErrors {
  report(source: ErrorSource, error: unknown, details?: object): void;
  counts(): Iterable<[ErrorSource, number]>;
}

export function createUnexpectedErrors(log: Log): UnexpectedErrors {
  // Every source is shown from the start, so that an alert on an increase sees the first error too.
  const counts = new Map<ErrorSource, number>([
    ['http', 0],
    ['smtp', 0],
    ['receiver', 0],
    ['notifications', 0],
    ['uncaught', 0],
  ]);
  return {
    report(source, error, details = {}) {
      counts.set(source, counts.get(source)! + 1);
      log.error({ ...details, err: error }, `unexpected error (${source})`);
    },
    counts: () => counts.entries(),
  };
}
