/**
 * Runs many pieces of synchronous work one after another and yields to the event loop in between. Each piece takes
 * a few milliseconds, such as composing one of the hundred messages of a request.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Text up to this length takes about a millisecond and is processed without waiting. */
const SMALL_LENGTH = 16 * 1024;
const SLICE_MS = 20;

let last: Promise<unknown> = Promise.resolve();
let sliceEndsAt = 0;

/** `length` is the length of the text that `work` processes. */
export async function runYielding<Result>(length: number, work: () => Result): Promise<Result> {
  if (length <= SMALL_LENGTH) return work();
  const done = last.then(async () => {
    if (performance.now() >= sliceEndsAt) {
      await yieldToEventLoop();
      sliceEndsAt = performance.now() + SLICE_MS;
    }
    return work();
  });
  last = done.catch(() => {});
  return done;
}
