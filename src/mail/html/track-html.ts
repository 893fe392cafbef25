/**
 * Inserts tracking links and the tracking pixel into HTML in one pass, without building a tree. Everything
 * except the URLs of tracked links stays unchanged, byte for byte.
 */
import { decodeEntities } from './entities.ts';
import { readTag, skipElement } from './tag.ts';

export interface Tracking {
  /**
   * Returns the replacement for a URL: one of our links, or a placeholder. Character references in the URL are
   * resolved. If it returns the URL unchanged, the tag is not modified. Null disables link tracking.
   */
  click: ((url: string) => string) | null;
  /** The URL of the pixel. */
  pixel: string | null;
}

const LINKS = new Set(['a', 'area']);
/** Inside these elements "<" starts no tag. */
const RAW_TEXT = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'template']);
const WEB = /^https?:\/\/[^/?#]/i;

export function trackHtml(html: string, { click, pixel }: Tracking): string {
  const pieces: string[] = [];
  let copied = 0;
  let bodyEnd = -1;
  let htmlEnd = -1;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    const open = at;
    const { name, isClosing, end } = readTag(html, open);
    at = end;
    if (isClosing) {
      if (name === 'body') bodyEnd = open;
      if (name === 'html') htmlEnd = open;
    } else if (RAW_TEXT.has(name)) {
      at = skipElement(html, end, name);
    } else if (click && LINKS.has(name)) {
      const tag = readLink(html, open + 1 + name.length);
      at = tag.end;
      const tracked = tag.href && tag.isTracked ? trackUrl(tag.href.value, click) : null;
      if (tracked === null) continue;
      pieces.push(html.slice(copied, tag.href!.start), `"${escapeAttribute(tracked)}"`);
      copied = tag.href!.end;
    }
  }
  if (pixel === null) return pieces.length === 0 ? html : pieces.join('') + html.slice(copied);
  const pixelAt = [bodyEnd, htmlEnd, html.length].find((at) => at >= copied)!;
  return [...pieces, html.slice(copied, pixelAt), renderPixel(pixel), html.slice(pixelAt)].join('');
}

/**
 * Returns null for links that are not tracked. Browsers ignore line breaks and tabs in a URL, and spaces around
 * it.
 */
function trackUrl(value: string, click: (url: string) => string): string | null {
  const url = decodeEntities(value)
    .replaceAll(/[\t\r\n]/g, '')
    .trim();
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

/** Reads attributes as browsers do (HTML, section 13.2.5.32 and following), starting after the tag name. */
function readLink(html: string, from: number): LinkTag {
  const tag: LinkTag = { href: null, isTracked: true, end: html.length };
  let at = from;
  while (at < html.length) {
    at = skip(html, at, BETWEEN);
    if (at >= html.length) break;
    if (html[at] === '>') return { ...tag, end: at + 1 };
    // A name may start with "=", which is then part of the name.
    const nameEnd = skip(html, at + 1, IN_NAME);
    const name = html.slice(at, Math.min(nameEnd, at + 20)).toLowerCase();
    if (name === 'data-no-track') tag.isTracked = false;
    at = skip(html, nameEnd, BLANK);
    if (html[at] !== '=') continue;
    const start = skip(html, at + 1, BLANK);
    const quote = html[start] === '"' || html[start] === "'" ? html[start] : null;
    const close = quote ? html.indexOf(quote, start + 1) : skip(html, start, UNQUOTED);
    // Without a closing quote everything that follows is the value, and there is no tag.
    if (close === -1) return { ...tag, href: null };
    at = quote ? close + 1 : close;
    const value = html.slice(quote ? start + 1 : start, close);
    if (name === 'href') tag.href ??= { value, start, end: at };
  }
  return { ...tag, href: null };
}

const BETWEEN = /[\s/]*/y;
const IN_NAME = /[^\s/>=]*/y;
const BLANK = /\s*/y;
const UNQUOTED = /[^\s>]*/y;

function skip(html: string, from: number, characters: RegExp): number {
  characters.lastIndex = from;
  characters.test(html);
  return Math.max(from, characters.lastIndex);
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
