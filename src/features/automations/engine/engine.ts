/**
 * The engine of automations. It reads the event stream, moves runs that are due, and once a minute looks at triggers by
 * segment and date. Any number of processes may run it: rows are claimed by their locks (run-due.ts, read-stream.ts).
 */
import { createWakeableTimer } from '../../../platform/concurrency/wakeable-timer.ts';
import { runUntilClosed } from '../../../platform/concurrency/work-loop.ts';
import { MINUTE_MS } from '../../../platform/durations.ts';
import { lookAtContacts } from './look-at-contacts.ts';
import { readStream } from './read-stream.ts';
import { runDue, untilNextRun, type EngineTools } from './run-due.ts';

const LONGEST_SLEEP_MS = 1_000;
const AFTER_ERROR = { firstMs: 500, longestMs: 30_000 };

export interface AutomationEngine {
  wake(): void;
  close(): Promise<void>;
}

/** Calls `wakeDeliveryWorkers` when a run has sent an email. */
export function startAutomationEngine(
  tools: EngineTools & { mustWait: () => Promise<boolean> },
  wakeDeliveryWorkers: () => void,
): AutomationEngine {
  const { db, log } = tools;
  let closing = false;
  let lookedAt = 0;
  const timer = createWakeableTimer();

  /** Returns how long to sleep in milliseconds, or 0 when there may be more to do now. */
  async function workOnce(): Promise<number> {
    if (await tools.mustWait()) return LONGEST_SLEEP_MS;
    const read = await readStream(db, log);
    const { moved, hasSent } = await runDue(tools);
    if (hasSent) wakeDeliveryWorkers();
    if (Date.now() - lookedAt >= MINUTE_MS) {
      lookedAt = Date.now();
      await lookAtContacts(db, log);
    }
    if (moved > 0 || (read ?? 0) > 0) return 0;
    return Math.max(50, await untilNextRun(db, LONGEST_SLEEP_MS));
  }

  const working = runUntilClosed(workOnce, {
    timer,
    isClosing: () => closing,
    afterError: AFTER_ERROR,
    onFailure: (failure) => log.error(failure, 'automations: cannot continue yet'),
  });
  return {
    wake: timer.wake,
    async close() {
      closing = true;
      timer.wake();
      await working;
    },
  };
}
