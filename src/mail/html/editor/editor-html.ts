/**
 * Renders the JSON document of the email editor as HTML that every email app can show: tables for the layout, inline
 * styles, escaped text, and a text part. Merge tags are kept. Unknown nodes are skipped, but their children are
 * rendered. It never throws, and its work is limited.
 */
import {
  readAlignment,
  readLink,
  readPixels,
  readText,
  styled,
  toFields,
  toTag,
  type Fields,
} from './editor-attributes.ts';
import {
  renderButton,
  renderFooter,
  renderHtmlBlock,
  renderImage,
  renderLine,
  renderSocial,
  renderSpacer,
} from './editor-blocks.ts';
import { readDirection, readsRightToLeft } from './editor-direction.ts';
import { contentWidth, frameLetter, readTheme } from './editor-frame.ts';
import { renderBox, renderCell, renderColumns, renderTable } from './editor-layout.ts';
import { mark } from './editor-marks.ts';
import { add, startWalk, type Walk } from './editor-walk.ts';
import { escapeHtml } from '../entities.ts';
import { htmlToPlainText } from '../text.ts';

/** These limits exceed any real email. The rest is omitted. */
const MAX_DEPTH = 100;
const MAX_NODES = 100_000;
const MAX_CHARACTERS = 4_000_000;

const HEADING_SIZES = ['28px', '22px', '18px', '16px', '16px', '16px'] as const;

const CODE = {
  padding: '12px',
  'background-color': '#f4f4f4',
  color: '#1f2328',
  'white-space': 'pre-wrap',
};

/** Returns null for anything that is not an editor document. */
export function renderEditorDocument(json: string | object): { html: string; text: string } | null {
  const html = renderEditorHtml(json);
  return html === null ? null : { html, text: htmlToPlainText(html) };
}

/** Renders without the text part, which costs more than the HTML. */
export function renderEditorHtml(json: string | object): string | null {
  const document = toFields(typeof json === 'string' ? parse(json) : json);
  if (document?.type !== 'doc') return null;
  const theme = readTheme(toFields(document.attrs) ?? {});
  const isTurned = readsRightToLeft(document);
  const walk = startWalk(theme, contentWidth(theme), isTurned);
  walkChildren(walk, { content: withoutEmptyEnd(document.content) }, 0);
  return walk.pieces.length === 0 ? '' : frameLetter(walk.pieces.join(''), theme, isTurned);
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

/**
 * Blocks that can have a colour and padding, and can be hidden on phones. The value is true for those that contain
 * other blocks.
 */
const BOXES = new Map<unknown, boolean>([
  ['paragraph', false],
  ['heading', false],
  ['bulletList', false],
  ['orderedList', false],
  ['blockquote', false],
  ['image', false],
  ['horizontalRule', true],
  ['spacer', true],
  ['table', false],
  ['social', false],
  ['html', false],
  ['footer', true],
  ['columns', true],
  ['section', true],
]);

function walkNode(walk: Walk, node: Fields, attrs: Fields, depth: number): void {
  const isGroup = BOXES.get(node.type);
  if (isGroup === undefined) {
    // The colours of a button apply to the button itself, not to a box around it.
    if (node.type !== 'button') return walkInside(walk, node, attrs, depth);
    const { padding, hideOnPhone } = attrs;
    return renderBox(walk, { padding, hideOnPhone }, false, () => walkInside(walk, node, attrs, depth));
  }
  renderBox(walk, attrs, isGroup, () => walkInside(walk, node, attrs, depth));
}

function walkInside(walk: Walk, node: Fields, attrs: Fields, depth: number): void {
  const { margin } = walk;
  const { dir, align, start, indent } = readDirection(node, attrs, walk.isTurned);
  const inside = () => walkChildren(walk, node, depth);
  const wrap = (open: string, close: string) => {
    add(walk, open);
    inside();
    add(walk, close);
  };
  switch (node.type) {
    case 'text':
      return add(walk, mark(escapeHtml(readText(node.text)), node.marks, walk.theme.link));
    case 'paragraph':
      if (isBlockAlone(node)) return inside();
      if (isEmpty(node)) return add(walk, `<p${styled({ margin })}><br></p>`);
      return wrap(`<p${dir}${styled({ margin, ...align })}>`, '</p>');
    case 'heading':
      return walkHeading(walk, attrs, dir, align, inside);
    case 'bulletList':
      return wrap(`<ul${dir}${styled({ margin, padding: indent(24), ...align })}>`, '</ul>');
    case 'orderedList': {
      const first = readPixels(attrs.start, 9999) ?? 1;
      const from = first === 1 ? '' : ` start="${first}"`;
      return wrap(`<ol${from}${dir}${styled({ margin, padding: indent(24), ...align })}>`, '</ol>');
    }
    case 'listItem':
      return walkItem(walk, node, depth);
    case 'blockquote':
      return wrap(
        `<blockquote class="ph-line"${dir}${styled({ margin, padding: indent(16), [`border-${start}`]: '3px solid #cccccc', ...align })}>`,
        '</blockquote>',
      );
    case 'codeBlock':
      return wrap(`<pre${dir}${styled({ margin, ...CODE, ...align })}><code>`, '</code></pre>');
    case 'horizontalRule':
      return add(walk, renderLine(walk, attrs));
    case 'hardBreak':
      return add(walk, '<br>');
    case 'image':
    case 'logo':
      return add(walk, renderImage(walk, attrs));
    case 'button':
      return walkButton(walk, attrs, inside);
    case 'link': {
      const href = readLink(attrs.href ?? attrs.url);
      return href === null ? inside() : wrap(`<a href="${escapeHtml(href)}">`, '</a>');
    }
    case 'variable':
      return walkVariable(walk, node, attrs);
    case 'spacer':
      return add(walk, renderSpacer(attrs));
    case 'social':
      return add(walk, renderSocial(walk, attrs));
    case 'html':
      return add(walk, renderHtmlBlock(walk, attrs));
    case 'footer':
      return add(walk, renderFooter(attrs, renderApart(walk, inside)));
    case 'table':
      return renderTable(walk, inside);
    case 'tableRow':
      return wrap('<tr>', '</tr>');
    case 'tableCell':
    case 'tableHeader':
      return renderCell(walk, node.type === 'tableCell' ? 'td' : 'th', attrs, inside);
    case 'columns':
      return renderColumns(walk, node, attrs, (column) =>
        walkNode(
          walk,
          { type: 'section', content: withoutEmptyEnd(column.content) },
          toFields(column.attrs) ?? {},
          depth + 1,
        ),
      );
    case 'section':
      return align['text-align'] === null ? inside() : wrap(`<div${styled(align)}>`, '</div>');
    default:
      return inside();
  }
}

function walkHeading(
  walk: Walk,
  attrs: Fields,
  dir: string,
  align: Record<string, string | null>,
  inside: () => void,
): void {
  const level = Math.min(Math.max(Math.trunc(Number(attrs.level)) || 1, 1), 6);
  const size = { 'font-size': HEADING_SIZES[level - 1]!, 'line-height': '1.3' };
  add(walk, `<h${level}${dir}${styled({ margin: walk.margin, ...size, ...align })}>`);
  inside();
  add(walk, `</h${level}>`);
}

/** The first paragraph of an item is on the line of its bullet, without paragraph margins. */
function walkItem(walk: Walk, node: Fields, depth: number): void {
  const [first, ...rest] = Array.isArray(node.content) ? node.content : [];
  const paragraph = toFields(first);
  const align = readAlignment(toFields(paragraph?.attrs)?.textAlign);
  add(walk, `<li${styled({ 'text-align': align })}>`);
  if (paragraph?.type === 'paragraph') {
    walkChildren(walk, paragraph, depth + 1);
    walkChildren(walk, { content: rest }, depth);
  } else {
    walkChildren(walk, node, depth);
  }
  add(walk, '</li>');
}

function walkVariable(walk: Walk, node: Fields, attrs: Fields): void {
  const tag = escapeHtml(toTag(attrs.id ?? attrs.name, attrs.fallback));
  add(walk, mark(tag, node.marks, walk.theme.link));
}

/** In other editors the label is inside the button. */
function walkButton(walk: Walk, attrs: Fields, inside: () => void): void {
  const label = escapeHtml(readText(attrs.text ?? attrs.label));
  add(walk, renderButton(walk, attrs, label === '' ? renderApart(walk, inside) : label));
}

/** Returns the HTML instead of adding it. */
function renderApart(walk: Walk, inside: () => void): string {
  const { pieces } = walk;
  walk.pieces = [];
  inside();
  const html = walk.pieces.join('');
  walk.pieces = pieces;
  return html;
}

/** The editor keeps an empty line for typing at the end of an email or a column. */
function withoutEmptyEnd(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const last = content.findLastIndex((child) => {
    const node = toFields(child);
    return node !== null && (node.type !== 'paragraph' || !isEmpty(node));
  });
  return content.slice(0, last + 1);
}

const BLOCK_ALONE = /^\s*\{%[^{}%]{0,1000}%\}\s*$/;

/** A condition alone in its paragraph would leave an empty paragraph around it. */
function isBlockAlone({ content }: Fields): boolean {
  if (!Array.isArray(content) || content.length !== 1) return false;
  const child = toFields(content[0]);
  return child?.type === 'text' && BLOCK_ALONE.test(readText(child.text));
}

function isEmpty(node: Fields): boolean {
  return !Array.isArray(node.content) || node.content.length === 0;
}
