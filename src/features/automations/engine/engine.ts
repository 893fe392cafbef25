/**
 * The engine of automations. It reads the event stream, moves runs that are due, and once a minute looks at triggers by
 * segment and date. Any number of processes may run it: rows are claimed by their locks (run-due.ts, read-stream.ts).
 */
import { createWakeableTimer } from '../../../platform/concurrency/wakeable-timer.ts';
import { growingGapMs } from '../../../platform/concurrency/growing-gap.ts';
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
  const { sleep, wake } = createWakeableTimer();

  /** Returns how long to sleep in milliseconds. */
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

  async function work(): Promise<void> {
    let failures = 0;
    while (!closing) {
      try {
        const sleepMs = await workOnce();
        failures = 0;
        if (sleepMs > 0) await sleep(sleepMs);
      } catch (error) {
        failures += 1;
        log.error({ err: error, failures }, 'automations: cannot continue yet');
        await sleep(growingGapMs(failures, AFTER_ERROR));
      }
    }
  }

  const working = work();
  return {
    wake,
    async close() {
      closing = true;
      wake();
      await working;
    },
  };
}
