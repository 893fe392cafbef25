/** The attributes that cleaned HTML may have, by tag, and what their values may be. */
import { cleanStyle } from './clean-style.ts';

type Attributes = Record<string, string>;

const BOX = ['align', 'bgcolor', 'height', 'valign', 'width'];
const SHARED = ['align', 'class', 'dir', 'lang', 'style', 'title'];
const CELL = [...BOX, 'abbr', 'background', 'colspan', 'nowrap', 'rowspan', 'scope'];
export const ATTRIBUTES: Record<string, string[]> = {
  '*': SHARED,
  a: ['href', 'rel', 'target'],
  blockquote: ['type'],
  col: [...BOX, 'span'],
  colgroup: [...BOX, 'span'],
  font: ['color', 'face', 'size'],
  hr: ['color', 'noshade', 'size', 'width'],
  img: ['alt', 'border', 'height', 'hspace', 'src', 'vspace', 'width'],
  li: ['type', 'value'],
  ol: ['reversed', 'start', 'type'],
  table: [...BOX, 'background', 'border', 'cellpadding', 'cellspacing'],
  tbody: BOX,
  td: CELL,
  tfoot: BOX,
  th: CELL,
  thead: BOX,
  tr: [...BOX, 'background'],
  ul: ['type'],
};
// How mail programs mark what they quote, for folding it at the display. Other classes would meet styles of ours.
const CLASSES = new Set([
  'gmail_quote',
  'gmail_signature',
  'moz-cite-prefix',
  'moz-signature',
  'yahoo_quoted',
]);

const LINK = /^(?:https?:|mailto:|tel:)/i;
const REMOTE = /^https?:/i;
const CONTENT_ID = /^cid:[^\s<>]{1,998}$/i;
// No SVG: it is a document, not a picture.
const DATA_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp);base64,[a-z0-9+/]*={0,2}$/i;

export function cleanAttributes(tag: string, given: Attributes): Attributes {
  const attribs: Attributes = {};
  const own = ATTRIBUTES[tag];
  for (const [name, value] of Object.entries(given)) {
    if (!SHARED.includes(name) && !own?.includes(name)) continue;
    const cleaned = cleanValue(name, value);
    if (cleaned !== null) attribs[name] = cleaned;
  }
  if (attribs['target'] !== undefined) attribs['rel'] = 'noopener noreferrer';
  return attribs;
}

function cleanValue(name: string, value: string): string | null {
  switch (name) {
    case 'href':
      return keepUrl(value, LINK);
    case 'src':
      return keepUrl(value, REMOTE) ?? keepUrl(value, CONTENT_ID) ?? keepData(value);
    case 'background':
      return keepUrl(value, REMOTE);
    case 'style':
      return cleanStyle(value) || null;
    case 'target':
      return value === '_blank' ? value : null;
    case 'rel':
      // Written by us, beside a target.
      return null;
    case 'class':
      return (
        value
          .split(/\s+/)
          .filter((word) => CLASSES.has(word))
          .join(' ') || null
      );
    default:
      return value;
  }
}

/** As browsers read it: line ends and tabs are no part of an address, nor blanks around it. */
function keepUrl(value: string, pattern: RegExp): string | null {
  const bare = value.replaceAll(/[\t\r\n]/g, '').trim();
  const url = bare.startsWith('//') ? `https:${bare}` : bare;
  return pattern.test(url) ? url : null;
}

function keepData(value: string): string | null {
  if (!/^\s*data:/i.test(value)) return null;
  const url = value.replaceAll(/\s/g, '');
  return DATA_IMAGE.test(url) ? url : null;
}
