/**
 * Prepares content for many contacts once: inlines styles, adds the hidden preview text, an unsubscribe link
 * and a text part. Everything that differs between recipients stays a merge tag.
 */
import { renderEditorHtml } from '../../../mail/html/editor/editor-html.ts';
import { decodeEntities, escapeHtml } from '../../../mail/html/entities.ts';
import { certainNames, hasBlocks } from '../../../mail/html/merge-tags.ts';
import { mapBlocks } from '../../../mail/html/tag-tree.ts';
import { inlineStylesOffLoop } from '../../../mail/offload/inline-styles.ts';
import { UNSUBSCRIBE_TAGS } from '../../../mail/html/tag-names.ts';
import { htmlToTextOffLoop } from '../../../mail/offload/html-to-text.ts';
import { trackHtml } from '../../../mail/html/track-html.ts';

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
const LINK = /(\shref\s*=\s*["'])([^"'<>]*)/gi;
/** A condition alone in its line would leave an empty line in the text part. */
const ALONE = /\n{1,2}(?=\{%[^{}%\n]{0,1000}%\}(?:\n|$))/g;
const PLACEHOLDER_URL = /https:\/\/tag\.invalid\/(\d+)/g;

export interface PreparedContent {
  html: string;
  text: string;
}

/** Returns null when there is no usable content. */
export async function prepareContent(
  given: {
    teamId: number;
    html: string | null;
    plain?: string | null;
    content: string | null;
    previewText: string | null;
  },
  unsubscribe: 'added' | 'as written' = 'added',
): Promise<PreparedContent | null> {
  const source = given.html ?? (given.content && renderEditorHtml(given.content));
  if (!source) return null;
  const styled = await inlineStylesOffLoop(escapeBlocks(source), given.teamId);
  const isLinked = unsubscribe === 'as written' || hasUnsubscribeLink(withoutComments(styled));
  const html = isLinked ? styled : insertAtEnd(styled, UNSUBSCRIBE_FOOTER);
  const plain = given.plain && (unsubscribe === 'added' ? withUnsubscribe(given.plain) : given.plain);
  const text = plain || (await toText(html));
  return { html: insertPreview(html, given.previewText), text };
}

/** A link that only some people get, in a condition, does not count. */
function hasUnsubscribeLink(html: string): boolean {
  return certainNames(html).some((name) => UNSUBSCRIBE_TAGS.has(name));
}

/** In conditions, quotes and angle brackets become character references, so that they do not end a tag or an attribute. */
export function escapeBlocks(html: string): string {
  return hasBlocks(html)
    ? mapBlocks(html, (tag) => tag.replaceAll(/["'<>]/g, (character) => `&#${character.charCodeAt(0)};`))
    : html;
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
    // A URL with merge tags or conditions differs per recipient, so it has no number.
    if (url.includes('{{') || hasBlocks(url)) return url;
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
  return hasUnsubscribeLink(text) ? text : `${text}\n\nUnsubscribe: {{unsubscribeUrl}}\n`;
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
  const place = (start: string, tag: string) => `${start}https://tag.invalid/${tags.push(tag) - 1}`;
  const conditional = hasBlocks(html)
    ? html.replaceAll(LINK, (whole, start: string, url: string) =>
        hasBlocks(url) ? place(start, decodeEntities(url)) : whole,
      )
    : html;
  const withPlaceholders = conditional.replaceAll(TAG_IN_LINK, (_, start: string, tag: string) =>
    place(start, tag),
  );
  const text = (await htmlToTextOffLoop(withPlaceholders)).replaceAll(ALONE, '');
  return text.replaceAll(PLACEHOLDER_URL, (whole, number: string) => tags[Number(number)] ?? whole);
}
