/** Sanitises HTML that people write. Call it before taking locks, because large messages take a while. */
import { cleanHtmlOffLoop } from '../../../mail/offload/clean-html.ts';
import { AppError } from '../../../platform/errors.ts';

export async function withCleanHtml<Input extends { html?: string | null }>(input: Input): Promise<Input> {
  if (!input.html) return input;
  try {
    return { ...input, html: await cleanHtmlOffLoop(input.html) };
  } catch (error) {
    // Fail rather than store something other than what the person wrote.
    throw new AppError('UNAVAILABLE', 'The HTML cannot be processed right now. Try again in a moment.', {
      cause: error,
    });
  }
}
