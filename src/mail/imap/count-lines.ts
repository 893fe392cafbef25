/**
 * Counts the lines of parts of a message. Parts can be nested, so the bytes are scanned once, and the number of line
 * breaks before every block is stored.
 */
export type LineCounter = (from: number, end: number) => number;

const LF = 0x0a;
const BLOCK_BYTES = 4_096;

export function createLineCounter(raw: Buffer): LineCounter {
  let before: Uint32Array | null = null;

  /** Returns the number of line breaks before an offset. */
  function breaksBefore(end: number): number {
    before ??= countBlocks(raw);
    const block = Math.floor(end / BLOCK_BYTES);
    return before[block]! + countBreaks(raw, block * BLOCK_BYTES, end);
  }

  return (from, end) => {
    const breaks =
      end - from <= BLOCK_BYTES ? countBreaks(raw, from, end) : breaksBefore(end) - breaksBefore(from);
    const endsWithLine = end === from || raw[end - 1] === LF;
    return endsWithLine ? breaks : breaks + 1;
  };
}

function countBlocks(raw: Buffer): Uint32Array {
  const before = new Uint32Array(Math.floor(raw.length / BLOCK_BYTES) + 1);
  for (let block = 1; block < before.length; block += 1)
    before[block] = before[block - 1]! + countBreaks(raw, (block - 1) * BLOCK_BYTES, block * BLOCK_BYTES);
  return before;
}

function countBreaks(raw: Buffer, from: number, end: number): number {
  let breaks = 0;
  for (let at = from; at < end; at += 1) if (raw[at] === LF) breaks += 1;
  return breaks;
}
