/** The text alternative of HTML, for whoever must go on answering meanwhile: of a large letter it is made aside. */
import { textAside } from './aside.ts';
import { htmlToPlainText } from './html-text.ts';

/** So much takes a few hundredths of a second. */
const LARGE_LENGTH = 256 * 1024;

/** Empty where it takes too long, or too much memory: what is so large is read as HTML or not at all. */
export async function makeLetterText(html: string): Promise<string> {
  return html.length <= LARGE_LENGTH ? htmlToPlainText(html) : textAside(html).catch(() => '');
}
