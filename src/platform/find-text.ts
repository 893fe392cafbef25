/**
 * Finds a text in another one, in time that grows only with their lengths. `indexOf` of V8 multiplies the lengths when a
 * long text nearly matches everywhere: one look for 10,000 characters in a million can take 9 seconds. So texts that
 * come from outside, and may be long on both sides, are searched here.
 */

/** `indexOf` finds texts of this length quickly, whatever they are. */
const SHORT = 32;

export function containsText(text: string, part: string): boolean {
  return indexOfText(text, part) !== -1;
}

export function indexOfText(text: string, part: string, from = 0): number {
  const start = text.indexOf(part.slice(0, SHORT), from);
  if (part.length <= SHORT || start === -1) return start;
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1]!;
    if (part.charCodeAt(matched) === code) matched += 1;
    if (matched === part.length) return at + 1 - matched;
  }
  return -1;
}

/** For each start of the text, the length of its longest end that is also a start (Knuth, Morris and Pratt). */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at += 1) {
    while (length > 0 && part.charCodeAt(length) !== part.charCodeAt(at)) length = borders[length - 1]!;
    if (part.charCodeAt(length) === part.charCodeAt(at)) length += 1;
    borders[at] = length;
  }
  return borders;
}
