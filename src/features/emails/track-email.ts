import { inTurns } from '../../mail/in-turns.ts';
import { trackHtml } from '../../mail/track-html.ts';
import type { EmailRef, PublicLinks } from '../tracking/links.ts';
import type { EmailInput } from './emails.schema.ts';
import type { Sender } from './require-sender.ts';

/** Counted links and the pixel in its HTML, as the email wants it or else its domain. Its text has neither. */
export async function trackEmail(
  email: EmailInput,
  sender: Sender,
  links: PublicLinks,
  ref: EmailRef,
): Promise<EmailInput> {
  const tracksOpens = email.tracking?.opens ?? sender.tracksOpens;
  const tracksClicks = email.tracking?.clicks ?? sender.tracksClicks;
  const written = email.html;
  if (!written || (!tracksOpens && !tracksClicks)) return email;
  const html = await inTurns(written.length, () =>
    trackHtml(written, {
      click: tracksClicks ? (url) => links.click(ref, url) : null,
      pixel: tracksOpens ? links.open(ref) : null,
    }),
  );
  return { ...email, html };
}
