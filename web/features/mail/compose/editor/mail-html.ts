/**
 * Images in a message that is being written. In the message they are parts with a `cid:` reference. In the editor they
 * need an address that the browser can load. `data-cid` keeps the ID of the part.
 */
import type { Message } from '../../../../../src/features/mailboxes/reading/threads.schema.ts';
import { attachmentUrl } from '../../live/mail-api.ts';

export function toEditorHtml(
  html: string,
  draftId: string | null,
  attachments: Message['attachments'],
): string {
  if (draftId === null || !html.includes('cid:')) return html;
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  for (const image of parsed.querySelectorAll('img[src^="cid:"]')) {
    const cid = image.getAttribute('src')!.slice(4);
    const part = attachments.find(({ content_id }) => content_id === cid);
    if (!part) continue;
    image.setAttribute('data-cid', cid);
    image.setAttribute('src', attachmentUrl(draftId, part.n));
  }
  return parsed.body.innerHTML;
}

export function toMailHtml(html: string): string {
  if (!html.includes('data-cid')) return html;
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  for (const image of parsed.querySelectorAll('img[data-cid]')) {
    image.setAttribute('src', `cid:${image.getAttribute('data-cid')}`);
    image.removeAttribute('data-cid');
  }
  return parsed.body.innerHTML;
}
