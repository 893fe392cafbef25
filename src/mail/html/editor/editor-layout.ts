/** Blocks that contain others: boxes with a colour or padding, columns, and tables. */
import { readAlignment, readColour, readPixels, styled, toFields, type Fields } from './editor-attributes.ts';
import { isPale, LAYOUT, textOn } from './editor-frame.ts';
import { add, type Walk } from './editor-walk.ts';

type RenderInside = () => void;

const MAX_COLUMNS = 4;
const GUTTER_PERCENT = 4;
const GAP = 16;
const MAX_SPAN = 50;

/** The widths of the columns, for layouts with unequal columns. */
const LAYOUTS = new Map<unknown, readonly number[]>([
  ['1-2', [1, 2]],
  ['2-1', [2, 1]],
  ['2-1-1', [2, 1, 1]],
  ['1-2-1', [1, 2, 1]],
  ['1-1-2', [1, 1, 2]],
]);

/**
 * Puts a block into a cell if its settings need one: a colour, padding, or being hidden on phones. `isGroup` is true
 * for blocks whose content ends with a margin of its own.
 */
export function renderBox(walk: Walk, attrs: Fields, isGroup: boolean, inside: RenderInside): void {
  const background = readColour(attrs.backgroundColor);
  const padding = readPixels(attrs.padding, 80) ?? (background === null ? 0 : GAP);
  const color = readColour(attrs.textColor) ?? (background === null ? null : textOn(background));
  const isHidden = attrs.hideOnPhone === true;
  if (background === null && padding === 0 && color === null && !isHidden) return inside();
  const before = { margin: walk.margin, width: walk.width };
  const hasGap = before.margin !== '0';
  // The margin of the last block inside is part of the padding below it.
  const below = isGroup && hasGap ? Math.max(padding - GAP, 0) : padding;
  const style = styled({
    padding: padding === 0 ? null : `${padding}px ${padding}px ${below}px`,
    'background-color': background,
    color,
  });
  const colour = background === null ? '' : ` bgcolor="${background}"`;
  // A light box becomes dark in dark mode, unless its author chose the text colour.
  const isSoft = background !== null && isPale(background) && readColour(attrs.textColor) === null;
  add(
    walk,
    `<table ${LAYOUT} width="100%"${isHidden ? ' class="ph-hide"' : ''}><tr><td${isSoft ? ' class="ph-soft"' : ''}${colour}${style}>`,
  );
  if (!isGroup) walk.margin = '0';
  walk.width = Math.max(walk.width - 2 * padding, 1);
  inside();
  walk.margin = before.margin;
  walk.width = before.width;
  const hasSpace = hasGap && (!isGroup || background !== null);
  const space = `<tr><td style="height:${GAP}px;line-height:${GAP}px;font-size:0">&nbsp;</td></tr>`;
  add(walk, `</td></tr>${hasSpace ? space : ''}</table>`);
}

/** Renders cells of a table. Phones show them below each other unless the document says otherwise. */
export function renderColumns(
  walk: Walk,
  node: Fields,
  attrs: Fields,
  renderColumn: (column: Fields) => void,
): void {
  const children: unknown[] = Array.isArray(node.content) ? node.content.slice(0, MAX_COLUMNS) : [];
  const columns = children.map(toFields).filter((column) => column !== null);
  if (columns.length === 0) return;
  const given = LAYOUTS.get(attrs.layout);
  const shares = given?.length === columns.length ? given : columns.map(() => 1);
  const whole = shares.reduce((sum, share) => sum + share, 0);
  const free = 100 - GUTTER_PERCENT * (columns.length - 1);
  const valign = ['top', 'middle', 'bottom'].find((name) => name === attrs.verticalAlign) ?? 'top';
  const stacks = attrs.stack !== false;
  const { width } = walk;
  add(walk, `<table ${LAYOUT}${walk.dir} width="100%"><tr>`);
  for (const [at, column] of columns.entries()) {
    const percent = Math.floor((free * shares[at]!) / whole);
    const gutter = `<td${stacks ? ' class="ph-gutter"' : ''} width="${GUTTER_PERCENT}%" style="font-size:0">&nbsp;</td>`;
    const style = styled({ width: `${percent}%`, 'vertical-align': valign });
    const name = stacks ? ' class="ph-column"' : '';
    add(walk, `${at === 0 ? '' : gutter}<td${name} width="${percent}%" valign="${valign}"${style}>`);
    walk.width = Math.max(Math.floor((width * percent) / 100), 1);
    renderColumn(column);
    add(walk, '</td>');
  }
  walk.width = width;
  add(walk, '</tr></table>');
}

export function renderTable(walk: Walk, inside: RenderInside): void {
  const { margin } = walk;
  const style = styled({ margin, 'border-collapse': 'collapse', width: '100%' });
  add(walk, `<table cellpadding="0" cellspacing="0" border="0"${walk.dir} width="100%"${style}>`);
  walk.margin = '0';
  inside();
  walk.margin = margin;
  add(walk, '</table>');
}

export function renderCell(walk: Walk, tag: 'td' | 'th', attrs: Fields, inside: RenderInside): void {
  const span = (name: 'colspan' | 'rowspan') => {
    const count = readPixels(attrs[name], MAX_SPAN) ?? 1;
    return count > 1 ? ` ${name}="${count}"` : '';
  };
  const background = readColour(attrs.backgroundColor);
  const style = styled({
    padding: '8px 12px',
    border: '1px solid #dddddd',
    'text-align': readAlignment(attrs.textAlign, attrs.align) ?? walk.start,
    'vertical-align': 'top',
    'background-color': background,
    color: background === null ? null : textOn(background),
  });
  add(walk, `<${tag} class="ph-line"${span('colspan')}${span('rowspan')}${style}>`);
  inside();
  add(walk, `</${tag}>`);
}
