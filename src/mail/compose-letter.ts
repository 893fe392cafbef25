/** Composing for whoever must go on answering meanwhile: a small letter is composed at once, a large one aside. */
import { composeAside } from './aside.ts';
import { composeMessage, type OutgoingMessage } from './compose.ts';

/** Of HTML and text; files cost little. So much takes a few hundredths of a second. */
const LARGE_LENGTH = 256 * 1024;

export async function composeLetter(message: OutgoingMessage): Promise<Buffer> {
  const length = (message.html?.length ?? 0) + (message.text?.length ?? 0);
  if (length <= LARGE_LENGTH) return composeMessage(message);
  // It took too long or too much memory there, and has to be sent all the same.
  return composeAside(message).catch(() => composeMessage(message));
}
