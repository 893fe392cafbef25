/**
 * Finds merge tags of other products in the content of a campaign, for example `*|FNAME|*` of Mailchimp. Nothing
 * replaces them, so recipients would see them. A tag that is written with a character reference is meant to be shown.
 */
import { findTagProblem } from './merge-tags.ts';
import { readTag, skipElement } from './tag.ts';
import { TAG } from './tag-names.ts';
import { RAW_TEXT } from './track-html.ts';

/** Each syntax begins with characters that are rare in other text, and ends within 200 characters. */
const SYNTAXES: readonly RegExp[] = [
  // Mailchimp
  /\*\|[A-Za-z][^|*\n]{0,200}\|\*/g,
  // Liquid, Handlebars and Jinja: Klaviyo, Customer.io, beehiiv, Brevo, HubSpot
  /\{\{[^{}]{0,200}\}\}/g,
  /\{%[^{}%]{0,200}%\}/g,
  // Salesforce Marketing Cloud
  /%%[A-Za-z][\w .-]{0,63}%%/g,
  // ActiveCampaign, eSputnik; Mailgun. Digits are excluded, so that percent-encoding in a URL does not match.
  /%(?:[A-Z][A-Z_]{3,40}(?:\|[^%\n]{0,60})?|recipient[\w.]{0,60}|subscriber[\w.:]{0,60})%/g,
  // Mailjet
  /\[\[[A-Za-z][\w:" -]{0,100}\]\]/g,
  // Campaign Monitor
  /\[[A-Za-z]\w{0,63},\s{0,5}fallback=[^[\]]{0,200}\]/g,
  /<(?:unsubscribe|preferences|webversion|forwardtoafriend|currentyear|currentmonthname)>/gi,
  // MailerLite
  /\{\$[A-Za-z_]\w{0,63}\}/g,
];
/** The first pattern that matches the name of a tag decides. */
const OURS: readonly [RegExp, string][] = [
  [/unsub/i, '{{unsubscribeUrl}}'],
  [/preferences|update_?profile|manage/i, '{{preferencesUrl}}'],
  [/f_?name|first_?name/i, '{{firstName}}'],
  [/l_?name|last_?name|surname/i, '{{lastName}}'],
  [/email/i, '{{email}}'],
];
const WHOLE_TAG = new RegExp(`^${TAG.source}$`);

export interface ForeignTag {
  written: string;
  /** Our tag with the same meaning, if there is one. */
  ours: string | null;
}

/** Returns each tag once. `texts` are plain. In the HTML, only the visible text and the attributes are searched. */
export function findForeignTags(html: string, texts: readonly string[]): ForeignTag[] {
  const visible = [visibleParts(html), ...texts].join('\n');
  const found = new Set(SYNTAXES.flatMap((syntax) => visible.match(syntax) ?? []));
  // Content from before conditions were known may contain those of other products.
  const isOurs =
    findTagProblem(html, 'html') === null && texts.every((text) => !findTagProblem(text, 'plain'));
  return [...found]
    .filter((written) => !WHOLE_TAG.test(written) && !(isOurs && written.startsWith('{%')))
    .map((written) => ({ written, ours: OURS.find(([name]) => name.test(written))?.[1] ?? null }));
}

function visibleParts(html: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    const open = at;
    const { name, isClosing, isText, end } = readTag(html, open);
    at = end;
    const isHidden = name === '' && !isText && !isClosing;
    const isRaw = RAW_TEXT.has(name) && !isClosing;
    if (!isHidden && !isRaw) continue;
    pieces.push(html.slice(from, open));
    if (isRaw) at = skipElement(html, end, name);
    from = at;
  }
  return [...pieces, html.slice(from)].join('');
}
