/** Checks the content of a campaign, or of one variant, without requests to other servers. */
import { findDeadLinks, walkDocument } from '../../../mail/html/editor/editor-links.ts';
import { toFields } from '../../../mail/html/editor/editor-attributes.ts';
import { findForeignTags } from '../../../mail/html/foreign-tags.ts';
import type { References } from '../../../mail/html/find-references.ts';
import { findUnsupported, GMAIL_STYLE_BYTES } from '../../../mail/html/find-unsupported.ts';
import { certainNames } from '../../../mail/html/merge-tags.ts';
import { mapBlocks } from '../../../mail/html/tag-tree.ts';
import { TAG, UNSUBSCRIBE_TAGS } from '../../../mail/html/tag-names.ts';
import { GMAIL_CLIPS_AT_BYTES, type CampaignFinding } from './check.schema.ts';

const NEARLY_TOO_LARGE_BYTES = 90 * 1024;
/** Most inboxes on a desktop show about this many characters of a subject. */
const SHOWN_SUBJECT = 70;
const MAX_PLACES = 20;
const MAX_PLACE_LENGTH = 300;

export interface CheckedContent {
  subject: string;
  previewText: string | null;
  /** The HTML that is sent, with merge tags instead of values. */
  html: string;
  /** The links and images of it. */
  references: References;
  /** The content as the author wrote it, before an unsubscribe link was added. */
  source: string;
  /** The document of the editor, if the content is one. */
  content: string | null;
  htmlBytes: number;
}

export function checkContent(checked: CheckedContent, variant: number | null): CampaignFinding[] {
  const { references } = checked;
  const found = [
    checkSize(checked.htmlBytes),
    checkSubject(checked.subject),
    checked.previewText?.trim()
      ? null
      : advise(
          'no_preview_text',
          'There is no preview text. Inboxes show the first words of the email instead.',
        ),
    checkForeignTags(checked),
    checkUnsubscribe(checked.source),
    checkAddress(checked.content),
    checkImages(references),
    ...checkUrls(references, findDeadLinks(checked.content)),
    ...checkSupport(checked.html),
  ];
  return found.filter((finding) => finding !== null).map((finding) => ({ ...finding, variant }));
}

type Found = Omit<CampaignFinding, 'variant'>;

export function warn(code: CampaignFinding['code'], message: string, places: string[] = []): Found {
  return { code, level: 'warning', message, places: shorten(places) };
}

export function advise(code: CampaignFinding['code'], message: string, places: string[] = []): Found {
  return { code, level: 'advice', message, places: shorten(places) };
}

function shorten(places: string[]): string[] {
  return [...new Set(places)].slice(0, MAX_PLACES).map((place) => place.slice(0, MAX_PLACE_LENGTH));
}

function checkSize(bytes: number): Found | null {
  const size = `${Math.ceil(bytes / 1024)} kB`;
  if (bytes > GMAIL_CLIPS_AT_BYTES) {
    return warn(
      'too_large',
      `The email is ${size}. Gmail clips emails larger than 102 kB and hides the rest, including the unsubscribe link.`,
    );
  }
  if (bytes <= NEARLY_TOO_LARGE_BYTES) return null;
  return advise('nearly_too_large', `The email is ${size}. Gmail clips emails larger than 102 kB.`);
}

function checkSubject(subject: string): Found | null {
  const length = [...mapBlocks(subject, () => '').replaceAll(TAG, '12345678')].length;
  if (length <= SHOWN_SUBJECT) return null;
  return advise(
    'long_subject',
    `The subject has about ${length} characters. Inboxes show about ${SHOWN_SUBJECT}, and phones about 40.`,
  );
}

function checkForeignTags({ source, subject, previewText }: CheckedContent): Found | null {
  const foreign = findForeignTags(source, [subject, previewText ?? '']);
  if (foreign.length === 0) return null;
  return warn(
    'foreign_tags',
    `${count(foreign.length, 'merge tag of another product stays', 'merge tags of other products stay')} in the text of the email. Use tags such as {{firstName,fallback=friend}} and {{unsubscribeUrl}}.`,
    foreign.map(({ written, ours }) => (ours ? `${written}: use ${ours}` : written)),
  );
}

function checkUnsubscribe(source: string): Found | null {
  if (certainNames(source).some((name) => UNSUBSCRIBE_TAGS.has(name))) return null;
  return advise(
    'no_unsubscribe_link',
    'The content has no unsubscribe link, so a plain one is added at the end. To use your own style, add a footer block.',
  );
}

/** Only documents of the editor mark the part that is the postal address. */
function checkAddress(content: string | null): Found | null {
  if (content === null || footerHasAddress(content)) return null;
  return warn(
    'no_postal_address',
    'There is no postal address. Many countries require one in newsletters. Add it to a footer block.',
  );
}

function footerHasAddress(content: string): boolean {
  for (const { type, attrs, content: children } of walkDocument(content)) {
    if (type !== 'footer') continue;
    const { address } = toFields(attrs) ?? {};
    // In HTML from other editors, text in a footer is usually the address.
    if ((typeof address === 'string' && address.trim() !== '') || Array.isArray(children)) return true;
  }
  return false;
}

function checkImages({ images }: References): Found | null {
  const bare = images.filter(({ alt, isDecoration }) => alt === null && !isDecoration);
  if (bare.length === 0) return null;
  return warn(
    'images_without_text',
    `${count(bare.length, 'image has', 'images have')} no alt text. People who cannot see images miss what they show.`,
    bare.map(({ url }) => url),
  );
}

/** Finds content that works in a browser, but not in every email app. */
function checkSupport(html: string): (Found | null)[] {
  const { elements, styles, styleBytes, losesPhoneRules } = findUnsupported(html);
  const isTooLarge = styleBytes > GMAIL_STYLE_BYTES;
  return [
    elements.length === 0
      ? null
      : warn(
          'unsupported_html',
          'Email apps remove scripts, forms, videos and other active content. Remove it, or link to a page that has it.',
          elements,
        ),
    styles.length === 0
      ? null
      : warn(
          'unsupported_css',
          'Some email apps ignore parts of the CSS. Use tables for the layout, and send yourself a test.',
          styles,
        ),
    !isTooLarge && !losesPhoneRules
      ? null
      : warn(
          'large_style_sheet',
          isTooLarge
            ? `The style sheets are ${Math.ceil(styleBytes / 1024)} kB. Gmail ignores everything after the first 16 kB, such as rules for phones.`
            : 'A style sheet contains a URL. Gmail ignores the whole style sheet, including its rules for phones.',
        ),
  ];
}

/** The links of starter templates (RFC 2606 section 3). */
export const SAMPLE = /^https?:\/\/(?:[^/?#]*\.)?example\.(?:com|net|org)(?:[/?#:]|$)/i;

const USABLE = /^(?:https?:\/\/[^/?#]|mailto:|tel:|sms:|\{\{|\{%|#.)/i;

/** `dead` are the labels of links that are missing from the email. */
function checkUrls({ links, images }: References, dead: string[]): (Found | null)[] {
  const unusable = [
    ...links.filter(({ url }) => !USABLE.test(url)).map(({ url }) => url || '(empty)'),
    ...dead,
  ];
  const insecure = [...links, ...images].filter(({ url }) => /^http:\/\//i.test(url));
  const samples = links.filter(({ url }) => SAMPLE.test(url));
  return [
    samples.length === 0
      ? null
      : warn(
          'sample_links',
          `${count(samples.length, 'link still leads', 'links still lead')} to example.com, as in the starter template. Replace the URL with your own.`,
          samples.map(({ url }) => url),
        ),
    unusable.length === 0
      ? null
      : warn(
          'unusable_links',
          `${count(unusable.length, 'link does', 'links do')} not work in an email. Links must start with https://.`,
          unusable,
        ),
    insecure.length === 0
      ? null
      : advise(
          'insecure_links',
          `${count(insecure.length, 'link or image uses', 'links or images use')} http instead of https. Browsers warn about such pages, and some email apps hide such images.`,
          insecure.map(({ url }) => url),
        ),
  ];
}

export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
