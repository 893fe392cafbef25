/**
 * The content of a campaign made fit for mail, once: styles put into their elements, the preview text hidden in front,
 * a way to unsubscribe, a text part. Everything that differs between recipients is still a merge tag in it.
 */
import { renderEditorHtml } from '../../mail/editor-html.ts';
import { escapeHtml } from '../../mail/html-entities.ts';
import { tagNames } from '../../mail/merge-tags.ts';
import { styleLetter } from '../../mail/style-letter.ts';
import { UNSUBSCRIBE_TAGS } from '../../mail/tag-names.ts';
import { textOfLetter } from '../../mail/text-letter.ts';
import { trackHtml } from '../../mail/track-html.ts';

export const OPEN_TAG = 'ph.open';
export const CLICK_TAG = 'ph.click.';

const FOOT =
  '<p style="margin:32px 0 0;font-family:Helvetica,Arial,sans-serif;font-size:12px;line-height:1.5;color:#6b7280">' +
  '<a href="{{unsubscribeUrl}}" style="color:#6b7280">Unsubscribe</a></p>';
// Behind the preview text, so that the inbox does not fill up its line with the beginning of the mail.
const FILLER = '&#847;&zwnj;&nbsp;'.repeat(80);
const BODY_START = /<body\b/i;
const TAG_IN_LINK = /(\shref\s*=\s*["'])\s*(\{\{[^{}]*\}\})/gi;
const STAND_IN = /https:\/\/tag\.invalid\/(\d+)/g;

export interface PreparedContent {
  html: string;
  text: string;
}

/** Null when there is nothing that can be shown. */
export async function prepareContent(campaign: {
  teamId: number;
  html: string | null;
  content: string | null;
  previewText: string | null;
}): Promise<PreparedContent | null> {
  const written = campaign.html ?? (campaign.content && renderEditorHtml(campaign.content));
  if (!written) return null;
  const styled = await styleLetter(written, campaign.teamId);
  const hasLink = tagNames(withoutComments(styled)).some((name) => UNSUBSCRIBE_TAGS.has(name));
  const html = hasLink ? styled : insertAtEnd(styled, FOOT);
  return { html: insertPreview(html, campaign.previewText), text: await toText(html) };
}

export interface TrackedContent {
  html: string;
  /** The targets of the click tags, by their numbers. */
  targets: string[];
}

/** With tags in place of the links that are counted, and of the pixel. */
export function trackContent(html: string, tracking: { opens: boolean; clicks: boolean }): TrackedContent {
  const numbers = new Map<string, number>();
  const click = (url: string): string => {
    // What is different for everyone cannot be told apart by its number.
    if (url.includes('{{')) return url;
    const number = numbers.get(url) ?? numbers.size;
    numbers.set(url, number);
    return `{{${CLICK_TAG}${number}}}`;
  };
  const tracked = trackHtml(html, {
    click: tracking.clicks ? click : null,
    pixel: tracking.opens ? `{{${OPEN_TAG}}}` : null,
  });
  return { html: tracked, targets: [...numbers.keys()] };
}

/** A link that was commented out is none: nobody sees it. */
function withoutComments(html: string): string {
  let shown = '';
  let from = 0;
  for (let open = html.indexOf('<!--'); open !== -1; open = html.indexOf('<!--', from)) {
    shown += html.slice(from, open);
    const end = html.indexOf('-->', open);
    if (end === -1) return shown;
    from = end + '-->'.length;
  }
  return shown + html.slice(from);
}

function insertPreview(html: string, previewText: string | null): string {
  if (!previewText) return html;
  const block =
    '<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all">' +
    `${escapeHtml(previewText)}${FILLER}</div>`;
  const body = html.search(BODY_START);
  const at = body === -1 ? 0 : html.indexOf('>', body) + 1;
  return html.slice(0, at) + block + html.slice(at);
}

function insertAtEnd(html: string, inserted: string): string {
  const bodyEnd = html.toLowerCase().lastIndexOf('</body');
  const at = bodyEnd === -1 ? html.length : bodyEnd;
  return html.slice(0, at) + inserted + html.slice(at);
}

/** A tag that is the address of a link is no address yet: something that is one stands in while the text is made. */
async function toText(html: string): Promise<string> {
  const tags: string[] = [];
  const standing = html.replaceAll(TAG_IN_LINK, (_, start: string, tag: string) => {
    tags.push(tag);
    return `${start}https://tag.invalid/${tags.length - 1}`;
  });
  const text = await textOfLetter(standing);
  return text.replaceAll(STAND_IN, (whole, number: string) => tags[Number(number)] ?? whole);
}
