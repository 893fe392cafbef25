/** Character references of HTML. The names, and the characters that old numbers stand for, are those of the library. */
import { decodeHTMLAttribute, decodeHTMLStrict } from 'entities';

/** No reference without its semicolon: `?a=1&copy=2` in a link stays as it is. The longest name has 31 letters. */
const REFERENCE = /&(?:#x[0-9a-f]{1,16}|#[0-9]{1,16}|[a-z][a-z0-9]{1,31});/gi;
const CONTROL = /^\p{Cc}$/u;

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(REFERENCE, (reference) => {
    const decoded = decodeHTMLStrict(reference);
    return CONTROL.test(decoded) ? ' ' : decoded;
  });
}

/** As browsers read the value of an attribute: also references without a semicolon, and of control characters. */
export function decodeAttribute(value: string): string {
  return value.includes('&') ? decodeHTMLAttribute(value) : value;
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
