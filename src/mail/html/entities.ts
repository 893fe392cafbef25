/** Character references of HTML: numeric ones, and the names that occur in mail (HTML 4). */

// The names are in code point order, from 160.
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro ' +
  'para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil ' +
  'Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave ' +
  'Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml ' +
  'igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute ' +
  'thorn yuml';
const OTHERS: Record<string, string> = {
  amp: '&',
  apos: "'",
  gt: '>',
  lt: '<',
  quot: '"',
  OElig: 'Œ',
  oelig: 'œ',
  Scaron: 'Š',
  scaron: 'š',
  Yuml: 'Ÿ',
  bdquo: '„',
  bull: '•',
  check: '✓',
  clubs: '♣',
  dagger: '†',
  darr: '↓',
  diams: '♦',
  emsp: '\u2003',
  ensp: '\u2002',
  euro: '€',
  harr: '↔',
  hearts: '♥',
  hellip: '…',
  infin: '∞',
  larr: '←',
  ldquo: '“',
  le: '≤',
  lrm: '\u200e',
  lsaquo: '‹',
  lsquo: '‘',
  mdash: '—',
  minus: '−',
  ndash: '–',
  ne: '≠',
  ge: '≥',
  permil: '‰',
  rarr: '→',
  rdquo: '”',
  rlm: '\u200f',
  rsaquo: '›',
  rsquo: '’',
  sbquo: '‚',
  spades: '♠',
  thinsp: '\u2009',
  trade: '™',
  uarr: '↑',
  zwj: '\u200d',
  zwnj: '\u200c',
};

const NAMED = new Map(Object.entries(OTHERS));
LATIN_1.split(' ').forEach((name, index) => NAMED.set(name, String.fromCharCode(160 + index)));

const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z][a-z0-9]{1,7}));/gi;

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(REFERENCE, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? whole;
    const code = hex === undefined ? Number.parseInt(decimal!, 10) : Number.parseInt(hex, 16);
    const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    if (!isCharacter) return '\ufffd';
    return code < 0x20 ? ' ' : String.fromCodePoint(code);
  });
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const SPECIAL = /[&<>"']/;
const SPECIALS = /[&<>"']/g;

/** Escapes text for use between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  // Most values need no escaping, and testing is much cheaper than replacing.
  return SPECIAL.test(text) ? text.replaceAll(SPECIALS, (character) => ESCAPES[character]!) : text;
}

/** Escapes text for use between tags only, where quotes are allowed. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
