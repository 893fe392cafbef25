/** Composing for whoever must go on answering meanwhile: a small letter is composed at once, a large one aside. */
import { composeAside } from './aside.ts';
import { composeMessage, type OutgoingMessage } from './compose.ts';
import { inTurns } from './in-turns.ts';

/** Of HTML and text; files cost little. So much takes a few hundredths of a second. */
const LARGE_LENGTH = 256 * 1024;

/** Throws where the other thread takes too long or too much memory: here the same letter would hold up everybody. */
export async function composeLetter(message: OutgoingMessage): Promise<Buffer> {
  const length = (message.html?.length ?? 0) + (message.text?.length ?? 0);
  return length <= LARGE_LENGTH ? inTurns(length, () => composeMessage(message)) : composeAside(message);
}
