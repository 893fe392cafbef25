/** Converts HTML to text without blocking the event loop: small documents here, large ones in a worker thread. */
import { toTextInThread } from './thread-pool.ts';
import { htmlToPlainText } from '../html/text.ts';
import { runYielding } from '../../platform/concurrency/run-yielding.ts';

/** Takes at most about 10 ms. */
const LARGE_LENGTH = 64 * 1024;

export async function htmlToTextOffLoop(html: string): Promise<string> {
  if (html.length <= LARGE_LENGTH) return runYielding(html.length, () => htmlToPlainText(html));
  // The thread ran out of time or memory. The start of the text is better than nothing.
  return toTextInThread(html).catch(() => htmlToPlainText(html.slice(0, LARGE_LENGTH)));
}
