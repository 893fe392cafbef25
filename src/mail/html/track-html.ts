/**
 * Inserts tracking links and the tracking pixel into HTML in one pass, without building a tree. Everything
 * except the URLs of tracked links stays unchanged, byte for byte.
 */
import { decodeEntities } from './entities.ts';
import { readConditional, readTag, skipElement } from './tag.ts';
import { readAttributes } from './tag-attributes.ts';

export interface Tracking {
  /**
   * Returns the replacement for a URL: one of our links, or a marker. Character references in the URL are resolved. If
   * it returns the URL unchanged, the tag is not modified. Null disables link tracking.
   */
  click: ((url: string) => string) | null;
  /** The URL of the pixel. */
  pixel: string | null;
}

const LINKS = new Set(['a', 'area']);
/** Inside these elements "<" starts no tag. */
export const RAW_TEXT = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'template']);
const WEB = /^https?:\/\/[^/?#]/i;

/** Outlook draws VML, and a shape with an href, such as a button, is a link there. */
export function isLink(name: string): boolean {
  return LINKS.has(name) || name.startsWith('v:');
}

export function trackHtml(html: string, { click, pixel }: Tracking): string {
  const { pieces, copied, bodyEnd, htmlEnd } = replaceLinks(html, click, 'conditional comments too');
  if (pixel === null) return pieces.length === 0 ? html : pieces.join('') + html.slice(copied);
  const pixelAt = [bodyEnd, htmlEnd, html.length].find((at) => at >= copied)!;
  return [...pieces, html.slice(copied, pixelAt), renderPixel(pixel), html.slice(pixelAt)].join('');
}

interface Replaced {
  /** The HTML up to `copied`, with the new URLs. */
  pieces: string[];
  copied: number;
  /** Offsets of the closing tags, or -1. */
  bodyEnd: number;
  htmlEnd: number;
}

/** Comments inside comments are not read, so that no character is read more than twice. */
function replaceLinks(
  html: string,
  click: Tracking['click'],
  scope: 'conditional comments too' | 'no comments',
): Replaced {
  const done: Replaced = { pieces: [], copied: 0, bodyEnd: -1, htmlEnd: -1 };
  const replace = (start: number, end: number, text: string): void => {
    done.pieces.push(html.slice(done.copied, start), text);
    done.copied = end;
  };
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    const open = at;
    const { name, isClosing, end } = readTag(html, open);
    at = end;
    if (isClosing) {
      if (name === 'body') done.bodyEnd = open;
      if (name === 'html') done.htmlEnd = open;
    } else if (RAW_TEXT.has(name)) {
      at = skipElement(html, end, name);
    } else if (click && isLink(name)) {
      const tag = readLink(html, open + 1 + name.length);
      at = tag.end;
      const tracked = tag.href && tag.isTracked ? trackUrl(tag.href.value, click) : null;
      if (tracked !== null) replace(tag.href!.start, tag.href!.end, `"${escapeAttribute(tracked)}"`);
    } else if (click && name === '' && scope === 'conditional comments too') {
      const inner = readConditional(html, open, end);
      if (!inner) continue;
      const text = html.slice(inner.start, inner.end);
      const { pieces, copied } = replaceLinks(text, click, 'no comments');
      if (pieces.length > 0) replace(inner.start, inner.end, pieces.join('') + text.slice(copied));
    }
  }
  return done;
}

/** Browsers ignore line breaks and tabs in a URL, and spaces around it. */
export function readUrlValue(value: string): string {
  return decodeEntities(value)
    .replaceAll(/[\t\r\n]/g, '')
    .trim();
}

/** Returns null for links that are not tracked. */
function trackUrl(value: string, click: (url: string) => string): string | null {
  const url = readUrlValue(value);
  if (!WEB.test(url)) return null;
  const tracked = click(url);
  return tracked === url ? null : tracked;
}

interface LinkTag {
  /** The first href counts. The offsets include the quotes. */
  href: { value: string; start: number; end: number } | null;
  isTracked: boolean;
  /** Offset after the tag. */
  end: number;
}

function readLink(html: string, from: number): LinkTag {
  const { attributes, end, isWhole } = readAttributes(html, from);
  const first = attributes.find(({ name, value }) => name === 'href' && value !== null);
  const href = isWhole && first ? { value: first.value!, start: first.start, end: first.end } : null;
  return { href, isTracked: attributes.every(({ name }) => name !== 'data-no-track'), end };
}

export function renderPixel(address: string): string {
  const style = 'display:block;width:1px;height:1px;border:0';
  return `<img src="${escapeAttribute(address)}" width="1" height="1" alt="" style="${style}">`;
}

function escapeAttribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
