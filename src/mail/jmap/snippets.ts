/** Search snippets (RFC 8621 section 5): a piece of text with the found words in <mark> tags. */
import { indexOfText } from '../../platform/find-text.ts';
import { escapeText } from '../html/entities.ts';

const MAX_WORDS = 50;
const BEFORE = 60;
const MAX_BYTES = 255;

/** Splits a search text into words. Quoted words stay together. */
export function searchWords(text: string): string[] {
  const words = [...text.slice(0, 2_000).matchAll(/"([^"]+)"|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare!,
  );
  return words
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
}

/** Returns the whole text with marks, as HTML; null if it contains none of the words. */
export function markWords(text: string, words: readonly string[]): string | null {
  const ranges = findRanges(text, words);
  return ranges.length === 0 ? null : writeMarked(text, ranges, 0, text.length);
}

/** Returns a piece of at most 255 bytes around the first found word. */
export function markPiece(text: string, words: readonly string[]): string | null {
  const ranges = findRanges(text, words);
  const first = ranges[0];
  if (!first) return null;
  let start = Math.max(0, first.start - BEFORE);
  while (start > 0 && start < first.start && !/\s/.test(text[start - 1]!)) start += 1;
  let end = Math.min(text.length, start + MAX_BYTES);
  for (;;) {
    const piece = writeMarked(text, ranges, start, end);
    if (Buffer.byteLength(piece) <= MAX_BYTES || end <= start + 1) return piece;
    end = start + Math.floor(((end - start) * 3) / 4);
  }
}

interface Range {
  start: number;
  end: number;
}

const MAX_RANGES = 100;

/**
 * Returns the ranges in order, without overlaps. Lower case can change the length of a text; such a text is compared
 * as it is.
 */
function findRanges(text: string, words: readonly string[]): Range[] {
  const lowered = text.toLowerCase();
  const searched = lowered.length === text.length ? lowered : text;
  const found: Range[] = [];
  for (const word of words) {
    for (
      let at = indexOfText(searched, word);
      at !== -1 && found.length < MAX_RANGES;
      at = indexOfText(searched, word, at + word.length)
    )
      found.push({ start: at, end: at + word.length });
  }
  const sorted = found.toSorted((a, b) => a.start - b.start || b.end - a.end);
  return sorted.filter((range, at) => sorted.slice(0, at).every(({ end }) => end <= range.start));
}

function writeMarked(text: string, ranges: Range[], from: number, to: number): string {
  let written = '';
  let at = from;
  for (const { start, end } of ranges) {
    if (start < at || end > to) continue;
    written += `${escapeText(text.slice(at, start))}<mark>${escapeText(text.slice(start, end))}</mark>`;
    at = end;
  }
  return (written + escapeText(text.slice(at, to))).toWellFormed();
}
