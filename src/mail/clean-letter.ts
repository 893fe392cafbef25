/** Cleaning for whoever must go on answering meanwhile: a small letter is cleaned at once, a large one aside. */
import { cleanAside } from './aside.ts';
import { cleanHtml, showAsText } from './clean-html.ts';

/** So much takes a tenth of a second at the worst. */
const LARGE_LENGTH = 256 * 1024;

/** The same as `cleanHtml` gives. */
export async function cleanLetter(html: string): Promise<string> {
  if (html.length <= LARGE_LENGTH) return cleanHtml(html);
  try {
    return await cleanAside(html);
  } catch {
    // It took too long or too much memory there.
    return showAsText(html);
  }
}
