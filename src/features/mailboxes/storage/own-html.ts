/** Sanitises HTML that people write. Call it before taking locks, because large messages take a while. */
import { cleanHtmlOffLoop } from '../../../mail/offload/clean-html.ts';
import { AppError, invalidField } from '../../../platform/errors.ts';
import { hasAtMost } from '../../../platform/schema.ts';
import { MAX_BODY_LENGTH } from '../../sending/emails/emails.schema.ts';

/** The limit also applies to the result, so that what was read can be sent back. */
export async function withCleanHtml<Input extends { html?: string | null }>(
  input: Input,
  maxLength = MAX_BODY_LENGTH,
): Promise<Input> {
  if (!input.html) return input;
  const html = await cleanOwnHtml(input.html);
  if (!hasAtMost(html, maxLength))
    throw invalidField('html', `must have at most ${maxLength} characters after it was sanitized`);
  return { ...input, html };
}

export async function cleanOwnHtml(html: string): Promise<string> {
  try {
    return await cleanHtmlOffLoop(html);
  } catch (error) {
    // Fail rather than store something other than what the person wrote.
    throw new AppError('UNAVAILABLE', 'The HTML cannot be processed right now. Try again in a moment.', {
      cause: error,
    });
  }
}
