/**
 * Counts the errors that no code expected, by their source. Each error is logged, and ends only the connection,
 * request, message or timer that it belongs to. The counts are shown in /metrics.
 */
import type { Log } from '../log.ts';

/** `uncaught` is for errors that no component handled. */
type ErrorSource = 'http' | 'smtp' | 'imap' | 'jmap' | 'receiver' | 'notifications' | 'uncaught';

export interface UnexpectedErrors {
  report(source: ErrorSource, error: unknown, details?: object): void;
  counts(): Iterable<[ErrorSource, number]>;
}

export function createUnexpectedErrors(log: Log): UnexpectedErrors {
  // Every source starts at zero, so that an alert on an increase also sees the first error.
  const counts = new Map<ErrorSource, number>([
    ['http', 0],
    ['smtp', 0],
    ['imap', 0],
    ['jmap', 0],
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
