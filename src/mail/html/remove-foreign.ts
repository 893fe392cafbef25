/**
 * Removes SVG and MathML from HTML, up to where a browser ends them: an HTML tag such as <p> ends them (HTML, section
 * 13.2.6.5), even if they were not closed. Later steps can then ignore them. Works in one pass, without building a
 * tree.
 */
import { readTag, skipElement } from './tag.ts';

const FOREIGN = /<(?:svg|math)/i;
/** Inside these elements "<" starts no tag. */
const RAW_TEXT = new Set(
  'script style title textarea xmp iframe noembed noframes plaintext template'.split(' '),
);
/** Start tags that end foreign content. */
const BREAK_OUT = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);
const HTML_FONT = /\s(?:color|face|size)[\s=/>]/i;
/** SVG and MathML elements that contain HTML. An HTML tag inside them ends nothing. */
const CONTAINS_HTML = new Set('foreignobject desc title mi mo mn ms mtext'.split(' '));
const MAX_DEPTH = 200;

export function removeForeignElements(html: string): string {
  if (!FOREIGN.test(html)) return html;
  const pieces: string[] = [];
  const openTags = new Set<string>();
  let copied = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    const open = at;
    const { name, isClosing, end } = readTag(html, open);
    at = end;
    if (isClosing) continue;
    openTags.add(name);
    if (RAW_TEXT.has(name)) at = skipElement(html, end, name);
    else if (name === 'svg' || name === 'math') {
      pieces.push(html.slice(copied, open));
      at = isSelfClosing(html, end) ? end : findForeignEnd(html, end, name, openTags);
      copied = at;
    }
  }
  return pieces.join('') + html.slice(copied);
}

/**
 * Returns the offset after the closing tag, or before another tag that ends the element, such as the closing
 * tag of an enclosing HTML element.
 */
function findForeignEnd(html: string, from: number, root: string, around: ReadonlySet<string>): number {
  const open = [root];
  let at = from;
  for (;;) {
    const start = html.indexOf('<', at);
    if (start === -1) return html.length;
    const { name, isClosing, end } = readTag(html, start);
    at = end;
    const isInHtml = CONTAINS_HTML.has(open.at(-1)!);
    if (isClosing) {
      if (!isInHtml && (name === 'p' || name === 'br')) return start;
      const found = isInHtml ? (open.at(-1) === name ? open.length - 1 : -1) : open.lastIndexOf(name);
      if (found === -1 && !isInHtml && around.has(name)) return start;
      if (found !== -1) open.length = found;
      if (open.length === 0) return end;
    } else if (!isInHtml) {
      if (html.startsWith('<![CDATA[', start)) at = findEnd(html, ']]>', start);
      else if (isBreakOut(html, name, start, end)) return start;
      else if (name !== '' && !isSelfClosing(html, end)) open.push(name);
    } else if (RAW_TEXT.has(name) && name !== open.at(-1)) {
      at = skipElement(html, end, name);
    } else if ((name === 'svg' || name === 'math' || name === open.at(-1)) && !isSelfClosing(html, end)) {
      open.push(name);
    }
    if (open.length > MAX_DEPTH) return html.length;
  }
}

function isBreakOut(html: string, name: string, start: number, end: number): boolean {
  return BREAK_OUT.has(name) || (name === 'font' && HTML_FONT.test(html.slice(start, end)));
}

function isSelfClosing(html: string, end: number): boolean {
  return html[end - 2] === '/';
}

function findEnd(html: string, terminator: string, from: number): number {
  const found = html.indexOf(terminator, from);
  return found === -1 ? html.length : found + terminator.length;
}
