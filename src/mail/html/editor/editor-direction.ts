/**
 * Finds the direction of a text by its first letter, like `dir="auto"`, which Outlook does not support. A whole email has
 * the direction of its first text, which decides the order of columns and the side of buttons and lines.
 */
import { directionOfText, type TextDirection } from '../text-direction.ts';
import { readAlignment, readText, toFields, type Fields } from './editor-attributes.ts';

/** If this many nodes have no letter, the text counts as left to right. */
const MAX_NODES = 30;

/** Blocks that have the direction of their text. */
const TEXTS = new Set<unknown>(['paragraph', 'heading', 'bulletList', 'orderedList', 'blockquote']);

/** True if the first text inside this node of the editor is right to left. */
export function readsRightToLeft(node: unknown): boolean {
  return firstDirection(node) === 'rtl';
}

/** Null if there is no letter in the node. */
function firstDirection(node: unknown): TextDirection | null {
  const waiting = [node];
  for (let nodes = 0; waiting.length > 0 && nodes < MAX_NODES; nodes += 1) {
    const fields = toFields(waiting.pop());
    const text = fields?.type === 'text' ? readText(fields.text) : '';
    const direction = directionOfText(text);
    if (direction !== null) return direction;
    // Add no more nodes than will be visited. The first child must be on top of the stack.
    if (Array.isArray(fields?.content)) waiting.push(...fields.content.slice(0, MAX_NODES).toReversed());
  }
  return null;
}

interface Direction {
  /** Empty for left-to-right text in an email of that direction. */
  dir: string;
  /** The side on which the text starts, unless its author chose another. */
  align: { 'text-align': string | null };
  start: 'left' | 'right';
  /** Returns the padding before the text. */
  indent(pixels: number): string;
}

export function readDirection(node: Fields, attrs: Fields, isTurnedEmail: boolean): Direction {
  const chosen = readAlignment(attrs.textAlign, attrs.alignment);
  const own = TEXTS.has(node.type) ? firstDirection(node) : node.type === 'codeBlock' ? 'ltr' : null;
  const isTurned = own === 'rtl' || (own === null && isTurnedEmail);
  const differs = own !== null && isTurned !== isTurnedEmail;
  return {
    // Outlook does not hand the direction of the email down to its paragraphs.
    dir: own === 'rtl' ? ' dir="rtl"' : differs ? ' dir="ltr"' : '',
    align: { 'text-align': chosen ?? (own === 'rtl' ? 'right' : differs ? 'left' : null) },
    start: isTurned ? 'right' : 'left',
    indent: (pixels) => (isTurned ? `0 ${pixels}px 0 0` : `0 0 0 ${pixels}px`),
  };
}
