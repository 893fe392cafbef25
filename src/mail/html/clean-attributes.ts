/** The attributes that cleaned HTML may have, per tag, and their allowed values. */
import { cleanStyle } from './clean-style.ts';
import { cleanDeclarations } from './display-declarations.ts';
import { BODY } from './display-selectors.ts';

type Attributes = Record<string, string>;

const BOX = ['align', 'bgcolor', 'height', 'valign', 'width'];
const SHARED = ['align', 'class', 'dir', 'lang', 'style', 'title'];
const CELL = [...BOX, 'abbr', 'background', 'colspan', 'nowrap', 'rowspan', 'scope'];
/** What HTML is cleaned for. Classes, IDs and background images are only for display in a frame. */
export type Purpose = 'stored' | 'display';

const STORED_ATTRIBUTES: Record<string, string[]> = {
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
export const ATTRIBUTES: Record<Purpose, Record<string, string[]>> = {
  stored: STORED_ATTRIBUTES,
  display: { ...STORED_ATTRIBUTES, '*': [...SHARED, 'id'], [BODY.tag]: [BODY.mark] },
};

// Classes that email apps use for quotes, so that the display can fold them. Other classes could match our own styles.
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
// SVG is excluded because it is a document that can contain scripts.
const DATA_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp);base64,[a-z0-9+/]*={0,2}$/i;

export function cleanAttributes(tag: string, attributes: Attributes, purpose: Purpose): Attributes {
  const attribs: Attributes = {};
  const { [tag]: own, '*': shared } = ATTRIBUTES[purpose];
  for (const [name, value] of Object.entries(attributes)) {
    if (!shared!.includes(name) && !own?.includes(name)) continue;
    const cleaned = purpose === 'display' ? cleanDisplayValue(name, value) : cleanValue(name, value);
    if (cleaned !== null) attribs[name] = cleaned;
  }
  if (attribs['target'] !== undefined) attribs['rel'] = 'noopener noreferrer';
  return attribs;
}

/** Names that the selectors of a style sheet can match (display-selectors.ts). */
const NAMES = /^[\w\s\u00a0-\uffff!#$%&()*+,./:=?@[\]^|~-]{1,1000}$/;

function cleanDisplayValue(name: string, value: string): string | null {
  if (name === 'style') return cleanDeclarations(value, { images: true }) || null;
  if (name === 'class' || name === 'id') return NAMES.test(value) ? value : null;
  return cleanValue(name, value);
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
      // We set `rel` ourselves for links with a target.
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

/** Normalises a URL as browsers do: line breaks, tabs and surrounding spaces are ignored. */
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
