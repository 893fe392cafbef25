/**
 * The email editor's JSON document becomes HTML that every mail program shows: simple elements with inline styles,
 * all text escaped, and a text part beside it. Merge tags pass through as tags. What the walker does not know it
 * leaves out and looks inside; whatever the document holds, it never throws and its work is bounded.
 */
import {
  readAlignment,
  readColour,
  readImageSource,
  readLink,
  readPixels,
  readText,
  styled,
  toFields,
  toTag,
  type Fields,
} from './editor-attributes.ts';
import { mark } from './editor-marks.ts';
import { escapeHtml } from './html-entities.ts';
import { htmlToPlainText } from './html-text.ts';

/** No person nests as deep, and none writes as much: what is past it is left out. */
const MAX_DEPTH = 100;
const MAX_NODES = 100_000;
const MAX_CHARACTERS = 4_000_000;
const MAX_WIDTH = 600;

const SPACERS = new Map<unknown, number>([
  ['sm', 8],
  ['md', 16],
  ['lg', 32],
  ['xl', 64],
]);
const WRAPPER =
  '<div style="max-width:600px;margin:0 auto;font-family:Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5">';

interface Walk {
  pieces: string[];
  nodes: number;
  characters: number;
}

/** Null for what is no document of the editor. */
export function renderEditorDocument(json: string | object): { html: string; text: string } | null {
  const html = renderEditorHtml(json);
  return html === null ? null : { html, text: htmlToPlainText(html) };
}

/** The same without the text part, which costs more than the HTML. */
export function renderEditorHtml(json: string | object): string | null {
  const document = toFields(typeof json === 'string' ? parse(json) : json);
  if (document?.type !== 'doc') return null;
  const walk: Walk = { pieces: [], nodes: 0, characters: 0 };
  walkChildren(walk, document, 0);
  return walk.pieces.length === 0 ? '' : `${WRAPPER}${walk.pieces.join('')}</div>`;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function walkChildren(walk: Walk, parent: Fields, depth: number): void {
  if (!Array.isArray(parent.content) || depth >= MAX_DEPTH) return;
  for (const child of parent.content) {
    if (walk.nodes >= MAX_NODES || walk.characters >= MAX_CHARACTERS) return;
    walk.nodes += 1;
    const node = toFields(child);
    if (node) walkNode(walk, node, toFields(node.attrs) ?? {}, depth + 1);
  }
}

function walkNode(walk: Walk, node: Fields, attrs: Fields, depth: number): void {
  const align = { 'text-align': readAlignment(attrs.textAlign, attrs.alignment) };
  const wrap = (open: string, close: string) => {
    add(walk, open);
    walkChildren(walk, node, depth);
    add(walk, close);
  };
  switch (node.type) {
    case 'text':
      return add(walk, mark(escapeHtml(readText(node.text)), node.marks));
    case 'paragraph':
      if (isEmpty(node)) return add(walk, `<p${styled({ margin: '0 0 16px' })}><br></p>`);
      return wrap(`<p${styled({ margin: '0 0 16px', ...align })}>`, '</p>');
    case 'heading': {
      const level = Math.min(Math.max(Math.trunc(Number(attrs.level)) || 1, 1), 6);
      return wrap(`<h${level}${styled({ margin: '0 0 16px', ...align })}>`, `</h${level}>`);
    }
    case 'bulletList':
      return wrap(`<ul${styled({ margin: '0 0 16px', padding: '0 0 0 24px' })}>`, '</ul>');
    case 'orderedList': {
      const start = readPixels(attrs.start, 9999) ?? 1;
      const from = start === 1 ? '' : ` start="${start}"`;
      return wrap(`<ol${from}${styled({ margin: '0 0 16px', padding: '0 0 0 24px' })}>`, '</ol>');
    }
    case 'listItem':
      return walkItem(walk, node, depth);
    case 'blockquote':
      return wrap(
        `<blockquote${styled({ margin: '0 0 16px', padding: '0 0 0 16px', 'border-left': '3px solid #cccccc', ...align })}>`,
        '</blockquote>',
      );
    case 'codeBlock':
      return wrap(
        `<pre${styled({ margin: '0 0 16px', padding: '12px', 'background-color': '#f4f4f4', 'white-space': 'pre-wrap' })}><code>`,
        '</code></pre>',
      );
    case 'horizontalRule':
      return add(walk, `<hr${styled({ margin: '24px 0', border: '0', 'border-top': '1px solid #dddddd' })}>`);
    case 'hardBreak':
      return add(walk, '<br>');
    case 'image':
    case 'logo':
      return add(walk, image(attrs, align));
    case 'button':
      return walkButton(walk, node, attrs, align, depth);
    case 'link': {
      const href = readLink(attrs.href ?? attrs.url);
      return href === null ? walkChildren(walk, node, depth) : wrap(`<a href="${escapeHtml(href)}">`, '</a>');
    }
    case 'variable':
      return add(walk, mark(escapeHtml(toTag(attrs.id ?? attrs.name, attrs.fallback)), node.marks));
    case 'spacer': {
      const height = SPACERS.get(attrs.height) ?? readPixels(attrs.height, 400) ?? 16;
      return add(walk, `<div style="height:${height}px;line-height:${height}px;font-size:0">&nbsp;</div>`);
    }
    case 'section':
    case 'columns':
    case 'column': {
      const background = readColour(attrs.backgroundColor);
      const padding = background === null ? null : '16px';
      return wrap(`<div${styled({ 'background-color': background, padding, ...align })}>`, '</div>');
    }
    default:
      return walkChildren(walk, node, depth);
  }
}

/** The first paragraph of an item stands beside its mark, without the space around a paragraph. */
function walkItem(walk: Walk, node: Fields, depth: number): void {
  const [first, ...rest] = Array.isArray(node.content) ? node.content : [];
  const paragraph = toFields(first);
  add(walk, '<li>');
  if (paragraph?.type === 'paragraph') {
    walkChildren(walk, paragraph, depth + 1);
    walkChildren(walk, { content: rest }, depth);
  } else {
    walkChildren(walk, node, depth);
  }
  add(walk, '</li>');
}

function walkButton(
  walk: Walk,
  node: Fields,
  attrs: Fields,
  align: Record<string, string | null>,
  depth: number,
): void {
  const href = readLink(attrs.href ?? attrs.url);
  const label = escapeHtml(readText(attrs.text ?? attrs.label));
  const style = styled({
    display: 'inline-block',
    padding: '12px 24px',
    'border-radius': '6px',
    'background-color': readColour(attrs.buttonColor ?? attrs.backgroundColor) ?? '#222222',
    color: readColour(attrs.textColor ?? attrs.color) ?? '#ffffff',
    'text-decoration': 'none',
    'font-weight': 'bold',
  });
  const target = href === null ? '' : ` href="${escapeHtml(href)}"`;
  add(walk, `<p${styled({ margin: '0 0 16px', ...align })}><a${target}${style}>${label}`);
  if (label === '') walkChildren(walk, node, depth);
  add(walk, '</a></p>');
}

function image(attrs: Fields, align: Record<string, string | null>): string {
  const source = readImageSource(attrs.src);
  if (source === null) return '';
  const width = readPixels(attrs.width, MAX_WIDTH);
  const height = readPixels(attrs.height, 5000);
  const size = `${width === null ? '' : ` width="${width}"`}${height === null ? '' : ` height="${height}"`}`;
  const style = styled({ 'max-width': '100%', height: height === null ? 'auto' : null, border: '0' });
  const tag = `<img src="${escapeHtml(source)}" alt="${escapeHtml(readText(attrs.alt))}"${size}${style}>`;
  const href = readLink(attrs.externalLink ?? attrs.href);
  const linked = href === null ? tag : `<a href="${escapeHtml(href)}">${tag}</a>`;
  return `<div${styled({ margin: '0 0 16px', ...align })}>${linked}</div>`;
}

function add(walk: Walk, html: string): void {
  walk.pieces.push(html);
  walk.characters += html.length;
}

function isEmpty(node: Fields): boolean {
  return !Array.isArray(node.content) || node.content.length === 0;
}
