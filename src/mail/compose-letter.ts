/** Composing for whoever must go on answering meanwhile: a small letter is composed at once, a large one aside. */
import { composeAside } from './aside.ts';
import { composeMessage, type OutgoingMessage } from './compose.ts';
import { inTurns } from './in-turns.ts';

/** Of HTML and text; files cost little. So much takes a hundredth of a second. */
const SMALL_LENGTH = 64 * 1024;
/** So much takes a twentieth of a second. */
const MIDDLE_LENGTH = 256 * 1024;

/** Throws where the other thread takes too long or too much memory: here the same letter would hold up everybody. */
export async function composeLetter(message: OutgoingMessage): Promise<Buffer> {
  const length = (message.html?.length ?? 0) + (message.text?.length ?? 0);
  const composeHere = () => inTurns(length, () => composeMessage(message));
  if (length <= SMALL_LENGTH) return composeHere();
  const composed = composeAside(message);
  // One that is not large fails there only when the thread itself does, and can be composed here.
  return length <= MIDDLE_LENGTH ? composed.catch(composeHere) : composed;
}
