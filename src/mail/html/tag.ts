/** Finds HTML tags without building a tree. Each function reads a character at most once. */

/** Returns the start of the closing tag, or the end of the text. */
export function skipElement(html: string, from: number, name: string): number {
  const end = findClosing(html, from, `</${name}`);
  return end === -1 ? html.length : end;
}

/** Finds a text that begins with `</`, ignoring the case of ASCII letters. Returns -1 if there is none. */
export function findClosing(html: string, from: number, wanted: string): number {
  const lower = wanted.toLowerCase();
  for (let at = html.indexOf('</', from); at !== -1; at = html.indexOf('</', at + 2))
    if (html.slice(at, at + lower.length).toLowerCase() === lower) return at;
  return -1;
}

interface Tag {
  /** In lower case. Empty for comments, declarations and a "<" that does not start a tag. */
  name: string;
  isClosing: boolean;
  isText: boolean;
  end: number;
}

export function readTag(html: string, open: number): Tag {
  const next = html.charCodeAt(open + 1);
  const isClosing = next === 0x2f;
  const nameStart = isClosing ? open + 2 : open + 1;
  if (!isLetter(html.charCodeAt(nameStart))) {
    if (next !== 0x21 && next !== 0x3f && !isClosing)
      return { name: '', isClosing, isText: true, end: open + 1 };
    const terminator = html.startsWith('<!--', open) ? '-->' : '>';
    const end = html.indexOf(terminator, open + 2);
    return { name: '', isClosing, isText: false, end: end === -1 ? html.length : end + terminator.length };
  }
  let nameEnd = nameStart;
  while (nameEnd < html.length && isNameCharacter(html.charCodeAt(nameEnd))) nameEnd += 1;
  const name = html.slice(nameStart, Math.min(nameEnd, nameStart + 20)).toLowerCase();
  return { name, isClosing, isText: false, end: findTagEnd(html, nameEnd) };
}

/**
 * Returns where the HTML in a conditional comment starts and ends, such as `<!--[if mso]>…<![endif]-->`, which Outlook
 * shows. Null for anything else between these offsets.
 */
export function readConditional(
  html: string,
  open: number,
  end: number,
): { start: number; end: number } | null {
  const isWhole = html.startsWith('-->', end - 3) && end - open > 7;
  if (!isWhole || html.slice(open, open + 7).toLowerCase() !== '<!--[if') return null;
  // The slice keeps the search inside the comment.
  const condition = html.slice(open, end - 3).indexOf(']>');
  return condition === -1 ? null : { start: open + condition + 2, end: end - 3 };
}

/** Returns the offset after the closing ">" outside quotes. An unfinished tag extends to the end, as in browsers. */
function findTagEnd(html: string, from: number): number {
  for (let at = from; at < html.length; at += 1) {
    const code = html.charCodeAt(at);
    if (code === 0x3e) return at + 1;
    if ((code !== 0x22 && code !== 0x27) || html.charCodeAt(at - 1) !== 0x3d) continue;
    at = html.indexOf(code === 0x22 ? '"' : "'", at + 1);
    if (at === -1) break;
  }
  return html.length;
}

function isLetter(code: number): boolean {
  return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
}

function isNameCharacter(code: number): boolean {
  return isLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x3a;
}
