/** Cleaning for whoever must go on answering meanwhile: a small letter is cleaned at once, others aside. */
import { cleanAside } from './aside.ts';
import { cleanHtml } from './clean-html.ts';

/** So much takes a hundredth of a second at the worst. */
const SMALL_LENGTH = 16 * 1024;
/** So much takes a twentieth of a second at the worst. */
const MIDDLE_LENGTH = 64 * 1024;

/** The same as `cleanHtml` gives; throws where that takes too long, or too much memory. */
export async function cleanLetter(html: string): Promise<string> {
  if (html.length <= SMALL_LENGTH) return cleanHtml(html);
  const cleaned = cleanAside(html);
  // One that is not large fails there only when the thread itself does, and can be cleaned here.
  return html.length <= MIDDLE_LENGTH ? cleaned.catch(() => cleanHtml(html)) : cleaned;
}
