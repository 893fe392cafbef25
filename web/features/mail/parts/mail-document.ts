/**
 * Builds the document for the frame that shows a cleaned message. The server has already removed everything that runs
 * or loads. This code ensures the same even if it had not: no scripts, forms and frames, no addresses except our own
 * files until images are allowed, and links that open in a new tab without a referrer.
 */
import { attachmentUrl } from '../live/mail-api.ts';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';

const FORBIDDEN =
  'script, style, link, meta, base, title, iframe, frame, frameset, object, embed, applet, form, input, button, ' +
  'textarea, select, svg, math, template, noscript, video, audio, source, picture, portal, dialog';
const QUOTES = '.gmail_quote, .yahoo_quoted, .moz-cite-prefix, blockquote[type="cite"]';
const LINK = /^(?:https?:|mailto:|tel:)/i;
const REMOTE = /^\s*(?:https?:)?\/\//i;

interface MailDocument {
  source: string;
  /** Whether the message is shown in the colours of the dark page. */
  isOnDark: boolean;
  /** The number of blocked remote images. */
  held: number;
  hasQuoted: boolean;
}

interface DocumentOptions {
  showImages: boolean;
  showQuoted: boolean;
  /** True on the dark page. Messages that set no colours are dark too, and others keep their white sheet. */
  isDark?: boolean;
}

export function toMailDocument(
  message: Pick<Message, 'id' | 'html' | 'attachments'> & Partial<Pick<Message, 'display_html'>>,
  { showImages, showQuoted, isDark = false }: DocumentOptions,
): MailDocument {
  // A document without a window: nothing in it loads or runs.
  const parsed = new DOMParser().parseFromString(message.display_html ?? message.html ?? '', 'text/html');
  const sheet = message.display_html ? readOwnSheet(parsed) : '';
  for (const element of parsed.querySelectorAll(FORBIDDEN)) element.remove();
  const backgrounds = new Set(sheet.match(REMOTE_BACKGROUND));
  for (const element of parsed.body.querySelectorAll('*')) {
    removeHandlers(element);
    for (const url of cleanOwnStyle(element, showImages)) backgrounds.add(url);
  }
  for (const link of parsed.querySelectorAll('a, area')) makeLinkSafe(link);
  const held = holdImages(parsed, message, showImages) + backgrounds.size;
  const quotes = findQuotes(parsed);
  if (!showQuoted) for (const quote of quotes) quote.remove();
  const shownSheet = showImages ? sheet : sheet.replaceAll(REMOTE_BACKGROUND, 'none');
  const isOnDark = isDark && sheet === '' && !hasColours(parsed.body);
  const style = (message.display_html ? OWN_STYLE + shownSheet : PLAIN_STYLE) + (isOnDark ? DARK_STYLE : '');
  return {
    source: frameSource(parsed.body.innerHTML, { style, showImages, padded: isDark && !isOnDark }),
    isOnDark,
    held,
    hasQuoted: quotes.length > 0,
  };
}

/** Images count, because their own backgrounds are made for white paper. */
function hasColours(body: Element): boolean {
  return (
    body.querySelector('img, .held-image, [bgcolor], [background], [color], [text], [link]') !== null ||
    [...body.querySelectorAll('[style]')].some((element) =>
      /colou?r|background|border/i.test(element.getAttribute('style') ?? ''),
    )
  );
}

/** The server writes background images in this form only. */
const REMOTE_BACKGROUND = /url\('https?:[^']*'\)/gi;
const BACKGROUND = /url\('(?:https?:|data:image\/(?:png|jpe?g|gif|webp);base64,)[^']*'\)/gi;
/** At-rules except `@media`, images in any other form, code, and escapes that stand for another character. */
const UNSAFE_STYLE =
  /(?<!\\)@(?!media[ (])|url\s*\(|image\s*\(|image-set|cross-fade|src\s*\(|expression\s*\(|-moz-binding|\\[0-9a-f\s]|[<]/i;

/** Returns the style sheet of the message, which comes first. */
function readOwnSheet(parsed: Document): string {
  const sheet = parsed.querySelector('style')?.textContent ?? '';
  return isSafeStyle(sheet) ? sheet : '';
}

function isSafeStyle(css: string): boolean {
  return !UNSAFE_STYLE.test(css.replaceAll(BACKGROUND, 'none'));
}

/** Returns the background images of the element. */
function cleanOwnStyle(element: Element, showImages: boolean): string[] {
  const style = element.getAttribute('style');
  if (style === null) return [];
  const backgrounds = style.match(REMOTE_BACKGROUND) ?? [];
  const shown = showImages ? style : style.replaceAll(REMOTE_BACKGROUND, 'none');
  if (!isSafeStyle(style) || shown.includes('\\')) element.removeAttribute('style');
  // The frame is as high as the message, so a size relative to the frame would grow without end.
  else
    element.setAttribute(
      'style',
      shown
        .split(';')
        .filter((declaration) => !/\d[sld]?v(?:h|b|min|max)\b/i.test(declaration))
        .join(';'),
    );
  return backgrounds;
}

function removeHandlers(element: Element): void {
  for (const name of element.getAttributeNames()) {
    const isActive = /^(?:on|formaction|srcdoc|ping|autofocus|xlink:)/i.test(name);
    if (isActive) element.removeAttribute(name);
  }
}

function makeLinkSafe(link: Element): void {
  const href = link.getAttribute('href')?.trim() ?? '';
  if (!LINK.test(href)) {
    link.removeAttribute('href');
    return;
  }
  link.setAttribute('target', '_blank');
  link.setAttribute('rel', 'noopener noreferrer');
  if (!link.hasAttribute('title')) link.setAttribute('title', href);
}

function holdImages(
  parsed: Document,
  { id, attachments }: Pick<Message, 'id' | 'attachments'>,
  showImages: boolean,
): number {
  let held = 0;
  for (const image of parsed.querySelectorAll('img')) {
    const source = image.getAttribute('src') ?? '';
    image.removeAttribute('srcset');
    image.setAttribute('loading', 'eager');
    const part = /^cid:/i.test(source) ? findPart(attachments, source.slice(4)) : undefined;
    if (part) image.setAttribute('src', attachmentUrl(id, part.n));
    else if (REMOTE.test(source) && isTiny(image)) image.remove();
    else if (REMOTE.test(source)) {
      held += 1;
      if (!showImages) image.replaceWith(placeFor(image));
    } else if (!/^data:image\/(?:png|jpe?g|gif|webp);/i.test(source)) image.removeAttribute('src');
  }
  for (const element of parsed.querySelectorAll('[background]')) {
    held += 1;
    if (!showImages) element.removeAttribute('background');
  }
  return held;
}

/** Returns a placeholder of the size of the image, with its alternative text. */
function placeFor(image: Element): Element {
  const place = image.ownerDocument.createElement('span');
  const [width, height] = ['width', 'height'].map((name) =>
    /^(\d{1,5})\s*(?:px)?$/.exec((image.getAttribute(name) ?? '').trim())?.at(1),
  );
  const sizes = [
    width && `width:${width}px`,
    width && height ? `aspect-ratio:${width}/${height}` : height && `height:${height}px`,
  ];
  place.className = `held-image ${image.className}`.trim();
  place.textContent = image.getAttribute('alt')?.trim() ?? '';
  place.setAttribute('style', [...sizes, image.getAttribute('style')].filter(Boolean).join(';'));
  return place;
}

/** True for tracking pixels, which are not meant to be seen. */
function isTiny(image: Element): boolean {
  return ['width', 'height'].some((name) => /^[012](?:px)?$/.test(image.getAttribute(name)?.trim() ?? ''));
}

/** RFC 2392: in a URL the ID is percent-encoded. */
function findPart(attachments: Message['attachments'], written: string) {
  let contentId = written;
  try {
    contentId = decodeURIComponent(written);
  } catch {
    // The ID is not percent-encoded, so use it as written.
  }
  return attachments.find(({ content_id }) => content_id?.replaceAll(/^<|>$/g, '') === contentId);
}

/** Finds the quoted parts if there is other text. A message that is only a quote is shown in full. */
function findQuotes(parsed: Document): Element[] {
  const quotes = [...parsed.querySelectorAll(QUOTES)].filter(
    (quote) => !quote.parentElement?.closest('.gmail_quote, .yahoo_quoted, blockquote[type="cite"]'),
  );
  const all = readable(parsed.body);
  const quoted = quotes.reduce((sum, quote) => sum + readable(quote), 0);
  return all > quoted ? quotes : [];
}

function readable(element: Element): number {
  return (element.textContent ?? '').replaceAll(/\s/g, '').length;
}

const PAGE =
  'html{color-scheme:light}body{margin:0;display:flow-root;background:#fff;color:#222;overflow-wrap:break-word}' +
  '.held-image{display:inline-block;max-width:100%;overflow:hidden;box-sizing:border-box;background:#f1f0ed;color:#5c5952;font-size:13px;vertical-align:bottom}';
const PLAIN_STYLE =
  'body{font:15px/1.55 system-ui,sans-serif}' +
  'img{max-width:100%;height:auto}table{max-width:100%}blockquote{margin:0 0 0 8px;padding-left:12px;border-left:3px solid #ddd;color:#555}' +
  'pre{white-space:pre-wrap}a{color:#0a557f}p:first-child{margin-top:0}p:last-child{margin-bottom:0}';

/** The colours of the dark theme (web/styles.css). Paper stays white. */
const DARK_STYLE =
  '@media screen{html{color-scheme:dark}body{background:transparent;color:#ebe8e2}a{color:#93cdf1}' +
  'blockquote{border-color:#2d3035;color:#aaa69c}}';

/** For a message with its own style sheet, which expects the size of text that browsers use. */
const OWN_STYLE =
  'body{font:16px system-ui,sans-serif}img{max-width:100%}@media(max-width:600px){img{object-fit:contain}}';

interface FrameOptions {
  style: string;
  showImages: boolean;
  padded: boolean;
}

/** The policy comes first, before any content of the message. */
function frameSource(html: string, { style, showImages, padded }: FrameOptions): string {
  const own = `${window.location.origin}/api/v1/messages/`;
  const images = showImages ? `data: ${own} https: http:` : `data: ${own}`;
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; form-action 'none'; base-uri 'none'`;
  return (
    `<!doctype html><html lang="und"><head><meta charset="utf-8"><meta http-equiv="content-security-policy" content="${policy}">` +
    `<meta name="referrer" content="no-referrer"><title>Message</title><style>${PAGE}${style}body{padding:${padded ? '16px' : '4px 0'}}</style></head><body dir="auto">${html}</body></html>`
  );
}

/** Splits plain text into the author's own text and the quote at its end. */
export function splitQuotedText(text: string): { own: string; quoted: string } {
  const lines = text.trimEnd().split(/\r?\n/);
  let start = lines.length;
  while (start > 0 && /^\s*(?:>|$)/.test(lines[start - 1]!)) start -= 1;
  const hasQuote = lines.slice(start).some((line) => line.trimStart().startsWith('>'));
  if (!hasQuote) return { own: lines.join('\n'), quoted: '' };
  // "On Monday, Ada wrote:" can be wrapped to two lines.
  if (/:\s*$/.test(lines[start - 1] ?? '')) {
    start -= 1;
    if (start > 0 && !/^(?:On|Am|Le|El|Il|Op|Den)\b/.test(lines[start]!) && lines[start - 1]!.trim() !== '')
      start -= 1;
  }
  const own = lines.slice(0, start).join('\n').trimEnd();
  return own === '' ? { own: lines.join('\n'), quoted: '' } : { own, quoted: lines.slice(start).join('\n') };
}
