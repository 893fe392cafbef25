/**
 * Splits a style sheet into its rules without changing their text, in one pass (CSS Syntax Level 3, section 5). It
 * parses only enough to find the end of each rule.
 */

/** Selectors with declarations, or anything else: at-rules, nested rules, and text that is not CSS. */
export type SheetPart = { selectors: string[]; block: string } | { other: string };

/** Comments are removed. */
export function splitSheet(css: string): SheetPart[] {
  const text = withoutComments(css);
  const parts: SheetPart[] = [];
  for (let at = skipBlank(text, 0); at < text.length;) {
    const { end, open, isNested } = findRuleEnd(text, at);
    const isRule = text[at] !== '@' && open !== -1 && text[end - 1] === '}' && !isNested;
    parts.push(
      isRule
        ? { selectors: splitAt(text.slice(at, open), ','), block: text.slice(open, end) }
        : { other: text.slice(at, end).trim() },
    );
    at = skipBlank(text, end);
  }
  return parts;
}

/** Splits at a character that is neither in a string nor in brackets. Empty pieces are left out. */
export function splitAt(text: string, separator: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at = next(text, at)) {
    const character = text[at]!;
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth = Math.max(0, depth - 1);
    else if (character === separator && depth === 0) {
      pieces.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...pieces, text.slice(from).trim()].filter((piece) => piece !== '');
}

/** An at-rule ends with a semicolon or its block, and every other rule with its block. */
function findRuleEnd(text: string, from: number): { end: number; open: number; isNested: boolean } {
  let round = 0;
  let curly = 0;
  let open = -1;
  let isNested = false;
  for (let at = from; at < text.length; at = next(text, at)) {
    const character = text[at];
    if (character === '(') round += 1;
    else if (character === ')') round = Math.max(0, round - 1);
    else if (round > 0) continue;
    else if (character === '{') {
      isNested ||= curly > 0;
      if (open === -1) open = at;
      curly += 1;
    } else if (character === '}' && curly > 0) {
      curly -= 1;
      if (curly === 0) return { end: at + 1, open, isNested };
    } else if (character === ';' && curly === 0 && text[from] === '@') {
      return { end: at + 1, open, isNested };
    }
  }
  return { end: text.length, open, isNested };
}

/** Returns the position after a character, an escaped character or a whole string. */
function next(text: string, at: number): number {
  const character = text[at];
  if (character === '\\') return at + 2;
  if (character !== '"' && character !== "'") return at + 1;
  for (let end = at + 1; end < text.length; end += 1) {
    // A string also ends with its line.
    if (text[end] === character || text[end] === '\n') return end + 1;
    if (text[end] === '\\') end += 1;
  }
  return text.length;
}

export function withoutComments(css: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at < css.length;) {
    if (!css.startsWith('/*', at)) {
      at = next(css, at);
      continue;
    }
    kept.push(css.slice(from, at));
    const end = css.indexOf('*/', at + 2);
    at = end === -1 ? css.length : end + 2;
    from = at;
  }
  return kept.join('') + css.slice(from);
}

/** Old editors put sheets into an HTML comment or a CDATA section. Neither has a meaning in a style sheet. */
const BLANK = /(?:\s|<!--|-->|<!\[CDATA\[|\]\]>)*/y;

function skipBlank(text: string, from: number): number {
  BLANK.lastIndex = from;
  BLANK.test(text);
  return BLANK.lastIndex;
}
