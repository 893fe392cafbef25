/** Moves styles from style sheets into the elements, for email apps without style sheets. */
import juice from 'juice';

/** A short style sheet can produce a very long document. Beyond this size the document stays unchanged. */
const MAX_LENGTH = 2_000_000;
const BRACKETS = [
  { open: '<%', close: '%>' },
  { open: '{{', close: '}}' },
];
const PLACEHOLDER = /JUICE_CODE_BLOCK_(\d+)_(?:="")?/gi;

// Juice would protect tags itself, but scans the whole document once for each of them.
for (const name of Object.keys(juice.codeBlocks)) delete juice.codeBlocks[name];

/**
 * Returns null when the result would be too long. The time grows with rules times elements and may be unlimited
 * (a variable that refers to itself), so this must run in a worker thread (offload/thread-pool.ts).
 */
export function inlineStyles(html: string): string | null {
  const tags: string[] = [];
  const protect = (found: string) => `JUICE_CODE_BLOCK_${tags.push(found) - 1}_`;
  const protectedHtml = BRACKETS.reduce((text, brackets) => replaceBetween(text, brackets, protect), html);
  // Nothing is fetched, so linked style sheets stay linked.
  const styled = juice(protectedHtml, { preserveImportant: true });
  const restored = styled.replaceAll(PLACEHOLDER, (found, number: string) => tags[Number(number)] ?? found);
  return restored.length > MAX_LENGTH ? null : restored;
}

/** A regular expression would scan to the end of the document from every unclosed bracket. */
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
