/** Reports jobs in threads that failed or were late. */
import type { Log } from '../../platform/log.ts';

/** A job that failed, or that took long, including its wait for a thread. */
export interface ThreadTrouble {
  /** E.g. `parse`. */
  job: string;
  bytes: number;
  ms: number;
  /** Null if the job succeeded, but late. */
  reason: string | null;
}

/** Most callers do not need the result of a job and continue without it. Only this reports that it is missing. */
const listeners = new Set<(trouble: ThreadTrouble) => void>();

/** Returns a function that ends the subscription. */
export function onThreadTrouble(listener: (trouble: ThreadTrouble) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function reportTrouble(trouble: ThreadTrouble): void {
  for (const tell of listeners) tell(trouble);
}

/** The mail log line of the message that the job belonged to has the same `bytes`. */
export function logTrouble(log: Log, { reason, ...trouble }: ThreadTrouble): void {
  if (reason === null) log.warn(trouble, 'threads: a large job took too long');
  else log.warn({ ...trouble, reason }, 'threads: a large job failed, so its result is incomplete');
}
