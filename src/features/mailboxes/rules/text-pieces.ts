/**
 * Which pieces of three characters a text has. Many rules search the same body, and most of them find nothing: a text that
 * lacks a piece of what is searched for does not contain it. The pieces are collected once, when the second rule asks.
 */

const SLOTS = 1 << 14;
const SHIFT = 32 - 14;
const PIECE = 3;
/** Shorter texts are searched as fast as this looks pieces up. */
const MIN_LENGTH = 500;

/** The slots of the pieces of what is searched for. */
export function piecesOf(wanted: string): Uint16Array {
  return Uint16Array.from({ length: Math.max(0, wanted.length - PIECE + 1) }, (_, at) =>
    slotOf(wanted.charCodeAt(at), wanted.charCodeAt(at + 1), wanted.charCodeAt(at + 2)),
  );
}

/** Pieces that share a slot only cause a search that finds nothing. */
function slotOf(first: number, second: number, third: number): number {
  return Math.imul((first << 16) ^ (second << 8) ^ third, 0x9e3779b1) >>> SHIFT;
}

/** The text that was searched last. Rules run one after the other, so one is enough. */
let latest = '';
let isIndexed = false;
const seen = new Uint8Array(SLOTS);

/** False if the text cannot contain what has these pieces. */
export function mayContain(text: string, pieces: Uint16Array): boolean {
  if (text.length < MIN_LENGTH) return true;
  if (text !== latest) {
    latest = text;
    isIndexed = false;
    return true;
  }
  if (!isIndexed) collect(text);
  return pieces.every((slot) => seen[slot] === 1);
}

function collect(text: string): void {
  isIndexed = true;
  seen.fill(0);
  let first = text.charCodeAt(0);
  let second = text.charCodeAt(1);
  for (let at = 2; at < text.length; at += 1) {
    const third = text.charCodeAt(at);
    seen[slotOf(first, second, third)] = 1;
    first = second;
    second = third;
  }
}
