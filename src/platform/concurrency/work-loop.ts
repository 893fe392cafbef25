import { growingGapMs, type GapLimits } from './growing-gap.ts';
import type { WakeableTimer } from './wakeable-timer.ts';

interface WorkLoop {
  timer: Pick<WakeableTimer, 'sleep'>;
  isClosing: () => boolean;
  afterError: GapLimits;
  onFailure(failure: { err: unknown; failures: number }): void;
}

/**
 * The loop of a worker. `work` returns how long to sleep in milliseconds, or 0 when there may be more to do now. After a
 * failure the loop waits with growing gaps, and works again.
 */
export async function runUntilClosed(
  work: () => Promise<number>,
  { timer, isClosing, afterError, onFailure }: WorkLoop,
): Promise<void> {
  let failures = 0;
  while (!isClosing()) {
    try {
      const sleepMs = await work();
      failures = 0;
      if (sleepMs > 0) await timer.sleep(sleepMs);
    } catch (err) {
      failures += 1;
      onFailure({ err, failures });
      await timer.sleep(growingGapMs(failures, afterError));
    }
  }
}
