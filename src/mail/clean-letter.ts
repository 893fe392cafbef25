/** Cleaning for whoever must go on answering meanwhile: a small letter is cleaned at once, a large one aside. */
import { cleanAside } from './aside.ts';
import { cleanHtml } from './clean-html.ts';
import { inTurns } from './in-turns.ts';

/** So much takes a twentieth of a second at the worst. */
const LARGE_LENGTH = 64 * 1024;

/** The same as `cleanHtml` gives; throws where that takes too long, or too much memory. */
export async function cleanLetter(html: string): Promise<string> {
  return html.length <= LARGE_LENGTH ? inTurns(html.length, () => cleanHtml(html)) : cleanAside(html);
}
