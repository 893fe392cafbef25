/** Finds the direction of a text by its first letter, like `dir="auto"`, which Outlook does not support. */
import { readAlignment, readText, toFields, type Fields } from './editor-attributes.ts';

const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** If this many nodes have no letter, the text counts as left to right. */
const MAX_NODES = 30;

/** Blocks that have the direction of their text. */
const TEXTS = new Set<unknown>(['paragraph', 'heading', 'bulletList', 'orderedList', 'blockquote']);

export function isRightToLeft(text: string): boolean {
  const [letter] = LETTER.exec(text) ?? [];
  return letter !== undefined && RIGHT_TO_LEFT.test(letter);
}

/** True if the text inside this node of the editor is right to left. */
function readsRightToLeft(node: unknown): boolean {
  const waiting = [node];
  for (let nodes = 0; waiting.length > 0 && nodes < MAX_NODES; nodes += 1) {
    const fields = toFields(waiting.pop());
    const text = fields?.type === 'text' ? readText(fields.text) : '';
    if (LETTER.test(text)) return isRightToLeft(text);
    // Add no more nodes than will be visited. The first child must be on top of the stack.
    if (Array.isArray(fields?.content)) waiting.push(...fields.content.slice(0, MAX_NODES).toReversed());
  }
  return false;
}

interface Direction {
  /** Empty for left-to-right text. */
  dir: string;
  /** The side on which the text starts, unless its author chose another. */
  align: { 'text-align': string | null };
  start: 'left' | 'right';
  /** Returns the padding before the text. */
  indent(pixels: number): string;
}

export function readDirection(node: Fields, attrs: Fields): Direction {
  const chosen = readAlignment(attrs.textAlign, attrs.alignment);
  const isTurned = TEXTS.has(node.type) && readsRightToLeft(node);
  return {
    dir: isTurned ? ' dir="rtl"' : '',
    align: { 'text-align': chosen ?? (isTurned ? 'right' : null) },
    start: isTurned ? 'right' : 'left',
    indent: (pixels) => (isTurned ? `0 ${pixels}px 0 0` : `0 0 0 ${pixels}px`),
  };
}
