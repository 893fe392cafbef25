/**
 * Prepares the content of a campaign once: inlines styles, adds the hidden preview text, an unsubscribe link
 * and a text part. Everything that differs between recipients stays a merge tag.
 */
import { renderEditorHtml } from '../../mail/html/editor/editor-html.ts';
import { escapeHtml } from '../../mail/html/entities.ts';
import { tagNames } from '../../mail/html/merge-tags.ts';
import { inlineStylesOffLoop } from '../../mail/offload/inline-styles.ts';
import { UNSUBSCRIBE_TAGS } from '../../mail/html/tag-names.ts';
import { htmlToTextOffLoop } from '../../mail/offload/html-to-text.ts';
import { trackHtml } from '../../mail/html/track-html.ts';

export const OPEN_TAG = 'ph.open';
export const CLICK_TAG = 'ph.click.';

/** The footer is as wide as emails from our editor and most others, so that the link is directly below the text. */
const UNSUBSCRIBE_FOOTER =
  '<div style="max-width:600px;margin:0 auto;padding:8px 16px 24px;font-family:Helvetica,Arial,sans-serif;font-size:12px;line-height:1.5;color:#6b7280">' +
  '<a href="{{unsubscribeUrl}}" style="color:#6b7280">Unsubscribe</a></div>';
// Follows the preview text, so that inboxes do not show the beginning of the body after it.
const FILLER = '&#847;&zwnj;&nbsp;'.repeat(80);
const BODY_START = /<body\b/i;
const TAG_IN_LINK = /(\shref\s*=\s*["'])\s*(\{\{[^{}]*\}\})/gi;
const PLACEHOLDER_URL = /https:\/\/tag\.invalid\/(\d+)/g;

export interface PreparedContent {
  html: string;
  text: string;
}

/** Returns null when the campaign has no usable content. */
export async function prepareContent(campaign: {
  teamId: number;
  html: string | null;
  plain?: string | null;
  content: string | null;
  previewText: string | null;
}): Promise<PreparedContent | null> {
  const source = campaign.html ?? (campaign.content && renderEditorHtml(campaign.content));
  if (!source) return null;
  const styled = await inlineStylesOffLoop(source, campaign.teamId);
  const hasLink = tagNames(withoutComments(styled)).some((name) => UNSUBSCRIBE_TAGS.has(name));
  const html = hasLink ? styled : insertAtEnd(styled, UNSUBSCRIBE_FOOTER);
  const text = campaign.plain ? withUnsubscribe(campaign.plain) : await toText(html);
  return { html: insertPreview(html, campaign.previewText), text };
}

export interface TrackedContent {
  html: string;
  /** The click tag with number n stands for `targets[n]`. */
  targets: string[];
}

/** Replaces links and the tracking pixel with tags. */
export function trackContent(html: string, tracking: { opens: boolean; clicks: boolean }): TrackedContent {
  const numbers = new Map<string, number>();
  const click = (url: string): string => {
    // A URL with merge tags differs per recipient, so it has no number.
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

/** A link inside a comment does not count because nobody sees it. */
function withoutComments(html: string): string {
  let visible = '';
  let from = 0;
  for (let open = html.indexOf('<!--'); open !== -1; open = html.indexOf('<!--', from)) {
    visible += html.slice(from, open);
    const end = html.indexOf('-->', open);
    if (end === -1) return visible;
    from = end + '-->'.length;
  }
  return visible + html.slice(from);
}

function withUnsubscribe(text: string): string {
  const hasLink = tagNames(text).some((name) => UNSUBSCRIBE_TAGS.has(name));
  return hasLink ? text : `${text}\n\nUnsubscribe: {{unsubscribeUrl}}\n`;
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

/** A merge tag is not a valid link target, so a placeholder URL replaces it while the HTML is converted to text. */
async function toText(html: string): Promise<string> {
  const tags: string[] = [];
  const withPlaceholders = html.replaceAll(TAG_IN_LINK, (_, start: string, tag: string) => {
    tags.push(tag);
    return `${start}https://tag.invalid/${tags.length - 1}`;
  });
  const text = await htmlToTextOffLoop(withPlaceholders);
  return text.replaceAll(PLACEHOLDER_URL, (whole, number: string) => tags[Number(number)] ?? whole);
}
