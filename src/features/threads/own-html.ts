/** HTML that somebody writes here. Cleaned before anything is locked: a large letter takes its time. */
import { cleanLetter } from '../../mail/clean-letter.ts';
import { AppError } from '../../platform/errors.ts';

export async function withCleanHtml<Input extends { html?: string | null }>(input: Input): Promise<Input> {
  if (!input.html) return input;
  try {
    return { ...input, html: await cleanLetter(input.html) };
  } catch (error) {
    // Better than to keep something else than what was written.
    throw new AppError('UNAVAILABLE', 'The html cannot be cleaned right now. Try again in a moment.', {
      cause: error,
    });
  }
}
