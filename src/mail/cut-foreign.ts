/**
 * Takes SVG and MathML out of HTML, as far as a browser counts them to be inside: a tag of HTML such as <p> ends them
 * (HTML, section 13.2.6.5), whether they were closed or not. Nobody who reads or cleans the rest has to know about
 * that. One pass, without building a tree.
 */
import { readTag, skipElement } from './html-tag.ts';

const FOREIGN = /<(?:svg|math)/i;
/** Between their tags "<" starts no tag. */
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
const FONT_OF_HTML = /\s(?:color|face|size)[\s=/>]/i;
/** Elements of SVG and MathML that hold HTML: a tag of HTML in them ends nothing. */
const HOLDS_HTML = new Set('foreignobject desc title mi mo mn ms mtext'.split(' '));
const MAX_DEPTH = 200;

export function cutForeign(html: string): string {
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

/** Behind its closing tag, or before the tag that ends it otherwise: also one that closes an element of HTML around it. */
function findForeignEnd(html: string, from: number, root: string, around: ReadonlySet<string>): number {
  const open = [root];
  let at = from;
  for (;;) {
    const start = html.indexOf('<', at);
    if (start === -1) return html.length;
    const { name, isClosing, end } = readTag(html, start);
    at = end;
    const isInHtml = HOLDS_HTML.has(open.at(-1)!);
    if (isClosing) {
      if (!isInHtml && (name === 'p' || name === 'br')) return start;
      const found = isInHtml ? (open.at(-1) === name ? open.length - 1 : -1) : open.lastIndexOf(name);
      if (found === -1 && !isInHtml && around.has(name)) return start;
      if (found !== -1) open.length = found;
      if (open.length === 0) return end;
    } else if (!isInHtml) {
      if (html.startsWith('<![CDATA[', start)) at = endOf(html, ']]>', start);
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
  return BREAK_OUT.has(name) || (name === 'font' && FONT_OF_HTML.test(html.slice(start, end)));
}

function isSelfClosing(html: string, end: number): boolean {
  return html[end - 2] === '/';
}

function endOf(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}
