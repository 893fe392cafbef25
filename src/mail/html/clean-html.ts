/**
 * Makes untrusted HTML safe. The appearance stays; anything that executes, loads, submits or escapes its container is
 * removed. The output has one form (the tags and attributes listed here, values in double quotes, `<` always as a
 * reference, `>` only bare in text), and cleaning it again changes nothing. Input that does not reach that state is shown as text.
 * Remote images stay, because the display decides about blocking them. The time is limited too: the cost of the parser
 * grows with tags times depth, so input far beyond normal mail is shown as text.
 */
import sanitizeHtml from 'sanitize-html';
import { ATTRIBUTES, cleanAttributes, type Purpose } from './clean-attributes.ts';
import { BODY } from './display-selectors.ts';
import { removeForeignElements } from './remove-foreign.ts';
import { keepWrittenForm } from './written-form.ts';
import { decodeEntities, escapeHtml, escapeText } from './entities.ts';
import { htmlToPlainText } from './text.ts';
import { toStorable } from '../../platform/storable-text.ts';

const BLOCKS =
  'address article aside blockquote center dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr ' +
  'li main nav ol p pre section summary ul';
const INLINE =
  'a abbr acronym b bdi bdo big br cite code del dfn em font i img ins kbd mark q s samp small span strike strong sub ' +
  'sup time tt u var wbr';
const TABLES = 'caption col colgroup table tbody td tfoot th thead tr';
const ALLOWED_TAGS = `${BLOCKS} ${INLINE} ${TABLES}`.split(' ');
const TAGS = new Set(ALLOWED_TAGS);
// The content of these elements is not meant to be read. Other unknown elements lose only their tags.
const NON_TEXT_TAGS =
  'script style title textarea option xmp iframe noembed noframes plaintext template svg math audio video'.split(
    ' ',
  );

// The parser handles tags and character references one by one.
const MARKUP = /[<>&]/;
const MAX_MARKUP = 200_000;
const MAX_TEXT_LENGTH = 2_000_000;
const MAX_OPEN_TAGS = 1_000;
const MAX_DEPTH = 200;
const MAX_ROUNDS = 5;

export function cleanHtml(html: string): string {
  const text = toStorable(html);
  return cleanMarkup(text, 'stored') ?? showAsText(text);
}

/** Returns null for HTML that has to be shown as text. */
export function cleanMarkup(text: string, purpose: Purpose): string | null {
  if (!MARKUP.test(text)) return text;
  let last = text;
  try {
    for (let round = 0; round < MAX_ROUNDS && countMarkup(last) <= MAX_MARKUP; round += 1) {
      const next = cleanOnce(last, purpose);
      if (next === last) return next;
      last = next;
    }
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error;
  }
  return null;
}

class TooDeepError extends Error {}

function cleanOnce(html: string, purpose: Purpose): string {
  let open = 0;
  const written = keepWrittenForm(html);
  const cleaned = sanitizeHtml(removeForeignElements(written.marked), {
    allowedTags: ALLOWED_TAGS,
    nonTextTags: NON_TEXT_TAGS,
    allowedAttributes: ATTRIBUTES[purpose],
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowedSchemesByTag: { img: ['http', 'https', 'cid', 'data'] },
    allowProtocolRelative: false,
    selfClosing: ['br', 'col', 'hr', 'img', 'wbr'],
    nestingLimit: MAX_DEPTH,
    // cleanAttributes does this more strictly and without building a tree.
    parseStyleAttributes: false,
    transformTags: { '*': (name, attributes) => cleanTag(name, written.readAttributes(attributes), purpose) },
    onOpenTag() {
      open += 1;
      if (open > MAX_OPEN_TAGS) throw new TooDeepError();
    },
    onCloseTag() {
      open -= 1;
    },
  });
  return written.restore(dropEmptyImages(cleaned.replaceAll(' />', '>')));
}

/**
 * This is a separate step, because a tag that the parser renames and then drops would also remove an end tag of its
 * neighbours.
 */
function dropEmptyImages(html: string): string {
  return html.replaceAll(IMAGE, (tag) => (tag.includes(' src="') ? tag : ''));
}

function cleanTag(name: string, attributes: sanitizeHtml.Attributes, purpose: Purpose): sanitizeHtml.Tag {
  if (name === 'body') return cleanBody(attributes, purpose);
  if (!TAGS.has(name)) return { tagName: name, attribs: {} };
  return { tagName: name, attribs: cleanAttributes(name, attributes, purpose) };
}

/** Keeps the colours of the page. */
function cleanBody(attributes: sanitizeHtml.Attributes, purpose: Purpose): sanitizeHtml.Tag {
  const style = styleOfBody(attributes);
  if (purpose === 'stored') return { tagName: 'div', attribs: cleanAttributes('div', style, purpose) };
  const all = { [BODY.mark]: '', ...attributes, ...style };
  return { tagName: BODY.tag, attribs: cleanAttributes(BODY.tag, all, purpose) };
}

function styleOfBody({ style = '', bgcolor, text }: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  const colours = [bgcolor ? `background-color: ${bgcolor}` : '', text ? `color: ${text}` : ''];
  return { style: [...colours, style].filter(Boolean).join(';') };
}

function countMarkup(html: string): number {
  return findMarkup(html, Infinity).count;
}

/** Counts up to `most` marks and returns the position after the last one. */
function findMarkup(html: string, most: number): { count: number; end: number } {
  const pattern = new RegExp(MARKUP, 'g');
  let count = 0;
  while (count < most && pattern.test(html)) count += 1;
  return { count, end: count < most ? html.length : pattern.lastIndex };
}

/** Shows the HTML as text, cut to a length beyond which no one reads, so that cleaning it again changes nothing. */
export function showAsText(html: string): string {
  const whole = toStorable(htmlToPlainText(html.slice(0, MAX_TEXT_LENGTH)));
  const text = whole.slice(0, findMarkup(whole, MAX_MARKUP - 2).end);
  const end = html.length > MAX_TEXT_LENGTH || text.length < whole.length ? ' …' : '';
  return `<pre>${escapeText(text)}${end}</pre>`;
}

// In the output of cleanHtml, "<" only begins a tag, and no attribute value contains "<", ">" or a double quote.
const TAG = /<[a-z][^<>]*>/g;
const IMAGE = /<img(?: [^<>]*)?>/g;
const REMOTE_SOURCE = / (src|background)="(https?:[^"]*)"/gi;
/** The form in which display-declarations.ts writes images. */
const REMOTE_BACKGROUND = /url\('https?:[^']*'\)/gi;
const CID_SOURCE = / src="cid:([^"]*)"/i;
const EMPTY_IMAGE = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/**
 * Blocks remote images until the user asks for them. Expects the output of cleanHtml or toDisplayHtml. Its own output is
 * only for display.
 */
export function blockRemoteImages(source: string): { html: string; held: number } {
  let held = 0;
  const html = source.replaceAll(REMOTE_BACKGROUND, () => {
    held += 1;
    return 'none';
  });
  const result = html.replaceAll(TAG, (tag) =>
    tag.replaceAll(REMOTE_SOURCE, (_whole, name: string, url: string) => {
      held += 1;
      const kept = ` data-held-${name.toLowerCase()}="${url}"`;
      return name === 'src' ? ` src="${EMPTY_IMAGE}"${kept}` : kept;
    }),
  );
  return { html: result, held };
}

/** Points images of the message's own parts to their URLs. Expects the output of cleanHtml. */
export function pointCidImages(html: string, urlOf: (contentId: string) => string | null): string {
  return html.replaceAll(TAG, (tag) =>
    tag.replace(CID_SOURCE, (whole, written: string) => {
      const url = urlOf(decodeContentId(decodeEntities(written)));
      return url === null ? whole : ` src="${escapeHtml(url)}"`;
    }),
  );
}

/** RFC 2392: the ID is percent-encoded in a URL. */
function decodeContentId(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
