/** Styles put into the elements that they are for, as mail programs without style sheets need them. */
import juice from 'juice';

/** A short sheet can make a long letter: beyond this it stays as it was written. */
const MAX_LENGTH = 2_000_000;
const BRACKETS = [
  { open: '<%', close: '%>' },
  { open: '{{', close: '}}' },
];
const STAND_IN = /JUICE_CODE_BLOCK_(\d+)_(?:="")?/gi;

// It would hide tags by itself, but goes through the whole letter once for each of them.
for (const name of Object.keys(juice.codeBlocks)) delete juice.codeBlocks[name];

/**
 * Null when it would become too long. The time grows with rules times elements and in some ways without end (a variable
 * that stands for itself), so this is called in a thread alone (aside.ts).
 */
export function inlineStyles(html: string): string | null {
  const tags: string[] = [];
  const hide = (found: string) => `JUICE_CODE_BLOCK_${tags.push(found) - 1}_`;
  const hidden = BRACKETS.reduce((text, brackets) => replaceBetween(text, brackets, hide), html);
  // Nothing is fetched: what is linked elsewhere stays linked.
  const styled = juice(hidden, { preserveImportant: true });
  const whole = styled.replaceAll(STAND_IN, (found, number: string) => tags[Number(number)] ?? found);
  return whole.length > MAX_LENGTH ? null : whole;
}

/** By hand: an expression would go to the end of the letter again from each bracket that is never closed. */
function replaceBetween(
  text: string,
  { open, close }: (typeof BRACKETS)[number],
  replace: (found: string) => string,
): string {
  let replaced = '';
  let copied = 0;
  for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, copied)) {
    const end = text.indexOf(close, start + open.length);
    if (end === -1) break;
    replaced += text.slice(copied, start) + replace(text.slice(start, end + close.length));
    copied = end + close.length;
  }
  return replaced + text.slice(copied);
}
