/** The text of HTML for whoever must go on answering meanwhile: of a small letter at once, of a large one in a thread. */
import { toTextAside } from './aside.ts';
import { htmlToPlainText } from './html-text.ts';
import { inTurns } from './in-turns.ts';

/** So much takes a hundredth of a second at the worst. */
const LARGE_LENGTH = 64 * 1024;

export async function textOfLetter(html: string): Promise<string> {
  if (html.length <= LARGE_LENGTH) return inTurns(html.length, () => htmlToPlainText(html));
  // It took too long or too much memory there: its beginning is better than nothing.
  return toTextAside(html).catch(() => htmlToPlainText(html.slice(0, LARGE_LENGTH)));
}
