/**
 * Reads the attributes of a tag as browsers do (HTML, section 13.2.5.32 and following), each character at most once.
 */

export interface TagAttribute {
  /** The name in lower case, at most 20 characters. */
  name: string;
  /** Null for an attribute without a value. Character references are not resolved. */
  value: string | null;
  /** The offsets of the value with its quotes. */
  start: number;
  end: number;
}

/**
 * Starts at the end of the tag's name. `end` is the offset after the tag. Without a closing ">" or quote there is no
 * tag, and `isWhole` is false.
 */
export function readAttributes(
  html: string,
  from: number,
): { attributes: TagAttribute[]; end: number; isWhole: boolean } {
  const attributes: TagAttribute[] = [];
  let at = from;
  while (at < html.length) {
    at = skip(html, at, BETWEEN);
    if (at >= html.length) break;
    if (html[at] === '>') return { attributes, end: at + 1, isWhole: true };
    // A name may start with "=", which is then part of the name.
    const nameEnd = skip(html, at + 1, IN_NAME);
    const name = html.slice(at, Math.min(nameEnd, at + 20)).toLowerCase();
    at = skip(html, nameEnd, BLANK);
    if (html[at] !== '=') {
      attributes.push({ name, value: null, start: nameEnd, end: nameEnd });
      continue;
    }
    const start = skip(html, at + 1, BLANK);
    const quote = html[start] === '"' || html[start] === "'" ? html[start] : null;
    const close = quote ? html.indexOf(quote, start + 1) : skip(html, start, UNQUOTED);
    // Without a closing quote everything that follows is the value.
    if (close === -1) break;
    at = quote ? close + 1 : close;
    attributes.push({ name, value: html.slice(quote ? start + 1 : start, close), start, end: at });
  }
  return { attributes, end: html.length, isWhole: false };
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
