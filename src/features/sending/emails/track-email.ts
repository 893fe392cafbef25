import { runYielding } from '../../../platform/concurrency/run-yielding.ts';
import { trackHtml } from '../../../mail/html/track-html.ts';
import type { EmailRef, PublicLinks } from '../../content/links/links.ts';
import type { EmailInput } from './emails.schema.ts';
import type { Sender } from './require-sender.ts';

/** Whether opens and clicks are tracked: opens if the email has a pixel, clicks if any of its links is tracked. */
export interface Tracked {
  opens: boolean;
  clicks: boolean;
}

export const UNTRACKED: Tracked = { opens: false, clicks: false };

/**
 * Adds tracking links and the tracking pixel to the HTML, as set by the email or its domain. The text stays
 * unchanged. Without `ref` the HTML stays unchanged too, and the result only says what would be tracked.
 */
export async function trackEmail(
  email: EmailInput,
  sender: Sender,
  links: PublicLinks,
  ref: EmailRef | null,
): Promise<{ email: EmailInput; tracked: Tracked }> {
  const tracksOpens = email.tracking?.opens ?? sender.tracksOpens;
  const tracksClicks = email.tracking?.clicks ?? sender.tracksClicks;
  const original = email.html;
  if (!original || (!tracksOpens && !tracksClicks)) return { email, tracked: UNTRACKED };
  const { open, click: track } = links.under(sender.linkHost);
  let clicks = false;
  const click = (url: string): string => {
    clicks = true;
    return ref ? track(ref, url) : url;
  };
  const html = await runYielding(original.length, () =>
    trackHtml(original, {
      click: tracksClicks ? click : null,
      pixel: tracksOpens && ref ? open(ref) : null,
    }),
  );
  return { email: { ...email, html }, tracked: { opens: tracksOpens, clicks } };
}
