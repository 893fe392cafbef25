/**
 * HTML from strangers made harmless, in one way for everything that people write or receive: what a letter looks like
 * stays, what runs, loads, submits or reaches out of its place goes. The result is in one spelling (tags and attributes
 * of the lists below, values in double quotes, `<`, `>` and `"` of texts as references) and cleaning it again changes
 * nothing; what does not come to rest is given as text. Remote images stay: holding them back is for the display.
 *
 * Time is bounded too: the parser's cost grows with tags times depth, so what is far beyond any letter is given as text.
 */
import sanitizeHtml from 'sanitize-html';
import { ATTRIBUTES, cleanAttributes } from './clean-attributes.ts';
import { cutForeign } from './cut-foreign.ts';
import { decodeEntities, escapeHtml, escapeText } from './html-entities.ts';
import { htmlToPlainText } from './html-text.ts';
import { toStorable } from './mime-decode.ts';

const BLOCKS =
  'address article aside blockquote center dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr ' +
  'li main nav ol p pre section summary ul';
const INLINE =
  'a abbr acronym b bdi bdo big br cite code del dfn em font i img ins kbd mark q s samp small span strike strong sub ' +
  'sup time tt u var wbr';
const TABLES = 'caption col colgroup table tbody td tfoot th thead tr';
const ALLOWED_TAGS = `${BLOCKS} ${INLINE} ${TABLES}`.split(' ');
const TAGS = new Set(ALLOWED_TAGS);
// What stands between these is not for reading. All others lose only their tags.
const UNREAD_TAGS =
  'script style title textarea option xmp iframe noembed noframes plaintext template svg math audio video'.split(
    ' ',
  );

// Tags and character references are what the parser works on one by one.
const MARKS = /[<>&\u00a0]/;
const MAX_MARKS = 200_000;
const MAX_TEXT_LENGTH = 2_000_000;
const MAX_OPEN_TAGS = 1_000;
const MAX_DEPTH = 200;
const MAX_ROUNDS = 5;

export function cleanHtml(html: string): string {
  const text = toStorable(html);
  if (!MARKS.test(text)) return text;
  let last = text;
  try {
    for (let round = 0; round < MAX_ROUNDS && countMarks(last) <= MAX_MARKS; round += 1) {
      const next = cleanOnce(last);
      if (next === last) return next;
      last = next;
    }
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error;
  }
  return showAsText(text);
}

class TooDeepError extends Error {}

function cleanOnce(html: string): string {
  let open = 0;
  const cleaned = sanitizeHtml(cutForeign(html), {
    allowedTags: ALLOWED_TAGS,
    nonTextTags: UNREAD_TAGS,
    allowedAttributes: ATTRIBUTES,
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowedSchemesByTag: { img: ['http', 'https', 'cid', 'data'] },
    allowProtocolRelative: false,
    selfClosing: ['br', 'col', 'hr', 'img', 'wbr'],
    nestingLimit: MAX_DEPTH,
    // Done by cleanAttributes, stricter and without building a tree for each.
    parseStyleAttributes: false,
    transformTags: { '*': cleanTag },
    onOpenTag() {
      open += 1;
      if (open > MAX_OPEN_TAGS) throw new TooDeepError();
    },
    onCloseTag() {
      open -= 1;
    },
  });
  return spell(dropEmptyImages(cleaned.replaceAll(' />', '>')));
}

/** After the rest: a tag that the parser is told to rename and then to drop takes an end tag of its neighbours along. */
function dropEmptyImages(html: string): string {
  return html.replaceAll(IMAGE, (tag) => (tag.includes(' src="') ? tag : ''));
}

/** As browsers write it, so that what an editor gives back is already clean. */
function spell(html: string): string {
  return html.replaceAll('\u00a0', '&nbsp;');
}

function cleanTag(name: string, given: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  // The page's own colours are the letter's.
  if (name === 'body') return { tagName: 'div', attribs: cleanAttributes('div', styleOfBody(given)) };
  if (!TAGS.has(name)) return { tagName: name, attribs: {} };
  return { tagName: name, attribs: cleanAttributes(name, given) };
}

function styleOfBody({ style = '', bgcolor, text }: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  const colours = [bgcolor ? `background-color: ${bgcolor}` : '', text ? `color: ${text}` : ''];
  return { style: [...colours, style].filter(Boolean).join(';') };
}

function countMarks(html: string): number {
  return findMarks(html, Infinity).count;
}

/** How many there are, up to a number, and where the last of them stands. */
function findMarks(html: string, most: number): { count: number; end: number } {
  const marks = new RegExp(MARKS, 'g');
  let count = 0;
  while (count < most && marks.test(html)) count += 1;
  return { count, end: count < most ? html.length : marks.lastIndex };
}

/** Cut where it is far longer than anyone reads, so that it comes to rest like everything else. */
export function showAsText(html: string): string {
  const whole = toStorable(htmlToPlainText(html.slice(0, MAX_TEXT_LENGTH)));
  const text = whole.slice(0, findMarks(whole, MAX_MARKS - 2).end);
  const end = html.length > MAX_TEXT_LENGTH || text.length < whole.length ? ' …' : '';
  return `<pre>${spell(escapeText(text))}${end}</pre>`;
}

// In what cleanHtml gives, "<" and ">" stand at the ends of tags alone and no value holds a quote.
const TAG = /<[a-z][^<>]*>/g;
const IMAGE = /<img(?: [^<>]*)?>/g;
const HELD = / (src|background)="(https?:[^"]*)"/gi;
const CID_SOURCE = / src="cid:([^"]*)"/i;
const EMPTY_IMAGE = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** For the display alone, of what cleanHtml gave: nothing of the result is fetched until the reader asks for it. */
export function holdBackRemoteImages(html: string): { html: string; held: number } {
  let held = 0;
  const result = html.replaceAll(TAG, (tag) =>
    tag.replaceAll(HELD, (_whole, name: string, url: string) => {
      held += 1;
      const kept = ` data-held-${name.toLowerCase()}="${url}"`;
      return name === 'src' ? ` src="${EMPTY_IMAGE}"${kept}` : kept;
    }),
  );
  return { html: result, held };
}

/** Of what cleanHtml gave: images of the message's own parts get the address where that part is served. */
export function pointCidImages(html: string, urlOf: (contentId: string) => string | null): string {
  return html.replaceAll(TAG, (tag) =>
    tag.replace(CID_SOURCE, (whole, written: string) => {
      const url = urlOf(decodeContentId(decodeEntities(written)));
      return url === null ? whole : ` src="${escapeHtml(url)}"`;
    }),
  );
}

/** RFC 2392: in an address the id is percent-encoded. */
function decodeContentId(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
