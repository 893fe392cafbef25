/** Cleans HTML without blocking the event loop: small documents here, others in a worker thread. */
import { cleanInThread, cleanMailInThread } from './thread-pool.ts';
import { cleanHtml, showAsText } from '../html/clean-html.ts';
import { cleanMail, type CleanMail } from '../html/display/display-html.ts';

/** Takes at most about 10 ms. */
const SMALL_LENGTH = 16 * 1024;
/** Takes at most about 50 ms. */
const MEDIUM_LENGTH = 64 * 1024;

/** Returns the result of `cleanHtml`. Throws when the thread runs out of time or memory. */
export async function cleanHtmlOffLoop(html: string): Promise<string> {
  if (html.length <= SMALL_LENGTH) return cleanHtml(html);
  const cleaned = cleanInThread(html);
  // The cleaning of a medium document fails only if the thread itself fails, so it can be repeated here.
  return html.length <= MEDIUM_LENGTH ? cleaned.catch(() => cleanHtml(html)) : cleaned;
}

/** Cleans the HTML of a whole message. HTML that cannot be cleaned is shown as text; the raw message keeps it. */
export async function cleanMailOffLoop(html: string | null): Promise<CleanMail> {
  if (html === null) return { html: null, displayHtml: null };
  if (html.length <= SMALL_LENGTH / 2) return cleanMail(html);
  return cleanMailInThread(html).catch(async () => ({
    html: await cleanHtmlOffLoop(html).catch(() => showAsText(html)),
    displayHtml: null,
  }));
}
