/** Sets of message numbers and UIDs: `1:5,7,9:*` (RFC 9051 section 4.1.1). */
import { BadCommand, type CommandCursor } from './command-cursor.ts';

/** Both ends are inclusive. `*` is Infinity. */
export interface Range {
  from: number;
  to: number;
}

/** `$` is the result of the last SEARCH that was saved (RFC 5182). */
export type SequenceSet = Range[] | '$';

const SET = /\$|(?:\d{1,10}|\*)(?::(?:\d{1,10}|\*))?(?:,(?:\d{1,10}|\*)(?::(?:\d{1,10}|\*))?)*/y;

export function readSequenceSet(cursor: CommandCursor): SequenceSet {
  const text = cursor.match(SET);
  if (text === null) throw new BadCommand('Expected a sequence set');
  return text === '$' ? '$' : text.split(',').map(toRange);
}

function toRange(text: string): Range {
  const [first, last = first] = text.split(':');
  const [from, to] = [toNumber(first!), toNumber(last!)];
  return from <= to ? { from, to } : { from: to, to: from };
}

function toNumber(text: string): number {
  if (text === '*') return Infinity;
  const number = Number(text);
  if (number === 0 || number > 0xffff_ffff) throw new BadCommand('Numbers must be from 1 to 4294967295');
  return number;
}

/** `*` becomes `largest`, even at the lower end: `500:*` means the last message if there are fewer than 500. */
export function resolveRanges(ranges: Range[], largest: number): Range[] {
  const resolved = ranges
    .map(({ from, to }) => {
      if (to !== Infinity) return { from, to };
      return from === Infinity || from > largest ? { from: largest, to: largest } : { from, to: largest };
    })
    .toSorted((a, b) => a.from - b.from);
  const merged: Range[] = [];
  for (const range of resolved) {
    const last = merged.at(-1);
    if (last && range.from <= last.to + 1) last.to = Math.max(last.to, range.to);
    else merged.push({ ...range });
  }
  return merged;
}

/** Returns whether a number is in one of the ranges, which must be sorted and not overlap. */
export function isInRanges(ranges: readonly Range[], number: number): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.to < number) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length && ranges[low]!.from <= number;
}

/** Writes increasing numbers as a set. Empty for none. */
export function writeSet(numbers: ArrayLike<number>): string {
  const parts: string[] = [];
  for (let at = 0; at < numbers.length;) {
    const from = numbers[at]!;
    let end = at;
    while (end + 1 < numbers.length && numbers[end + 1] === numbers[end]! + 1) end += 1;
    parts.push(end === at ? `${from}` : `${from}:${numbers[end]!}`);
    at = end + 1;
  }
  return parts.join(',');
}
