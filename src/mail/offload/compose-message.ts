/** Composes a message without blocking the event loop: small ones here, large ones in a worker thread. */
import { composeInThread } from './thread-pool.ts';
import { composeMessage, type MessageContent } from '../mime/compose/compose.ts';
import { runYielding } from '../../platform/concurrency/run-yielding.ts';

/** Characters of HTML and text that take about 10 ms. Attachments cost little. */
const SMALL_LENGTH = 64 * 1024;
/** Takes about 50 ms. */
const MEDIUM_LENGTH = 256 * 1024;

/** Throws when the thread runs out of time or memory. Composing here would block the event loop. */
export async function composeOffLoop(message: MessageContent): Promise<Buffer> {
  const length = (message.html?.length ?? 0) + (message.text?.length ?? 0);
  const composeHere = () => runYielding(length, () => composeMessage(message));
  if (length <= SMALL_LENGTH) return composeHere();
  const composed = composeInThread(message);
  // Composing a medium message fails only if the thread itself fails, so it can be repeated here.
  return length <= MEDIUM_LENGTH ? composed.catch(composeHere) : composed;
}
