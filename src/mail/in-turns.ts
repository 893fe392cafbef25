/**
 * Work that takes some milliseconds, of as many callers as there are: a hundred letters of one request would otherwise
 * be composed in one go. It is done piece after piece, and the event loop answers others in between.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Of text; so much takes about a millisecond and is worked on at once. */
const SMALL_LENGTH = 16 * 1024;
const TURN_MS = 20;

let last: Promise<unknown> = Promise.resolve();
let turnEndsAt = 0;

/** `length` is that of the text that is worked on. */
export async function inTurns<Result>(length: number, work: () => Result): Promise<Result> {
  if (length <= SMALL_LENGTH) return work();
  const done = last.then(async () => {
    if (performance.now() >= turnEndsAt) {
      await nextTurn();
      turnEndsAt = performance.now() + TURN_MS;
    }
    return work();
  });
  last = done.catch(() => {});
  return done;
}
