/**
 * Reads one CSV record (RFC 4180), with common extensions: any line break ends a record, and blanks around a field
 * are dropped unless quoted.
 */
import { readCsvCell } from '../../../../platform/csv.ts';

export const MAX_RECORD_BYTES = 256 * 1024;
export const TOO_LONG = 'The row is longer than 256 KiB. A closing quote may be missing.';

const NEVER_CLOSED = 'A closing quote is missing.';
const TEXT_AFTER_QUOTE = 'There is text after a closing quote. Double any quote inside a quoted field.';
const QUOTE_INSIDE =
  'There is a quote in the middle of an unquoted field. Put the whole field in quotes and double the quotes inside it.';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;

/**
 * Fills `cells` from the record that begins at `start` and returns where the next one begins. Returns a text that
 * describes an error, or null if the record does not end within these bytes or within MAX_RECORD_BYTES.
 */
export function scanRecord(
  bytes: Buffer,
  start: number,
  options: { delimiter: number; atEnd: boolean },
  cells: string[],
): number | string | null {
  const { delimiter } = options;
  const limit = Math.min(bytes.length, start + MAX_RECORD_BYTES);
  const atEnd = options.atEnd && limit === bytes.length;
  let at = start;
  for (;;) {
    at = skipBlanks(bytes, at, limit, delimiter);
    if (at < limit && bytes[at] === QUOTE) {
      const close = findClosingQuote(bytes, at + 1, limit);
      if (close === null) return atEnd ? NEVER_CLOSED : null;
      cells.push(readCsvCell(bytes.toString('utf8', at + 1, close).replaceAll('""', '"')));
      at = skipBlanks(bytes, close + 1, limit, delimiter);
    } else {
      const from = at;
      while (at < limit && bytes[at] !== delimiter && bytes[at] !== LF && bytes[at] !== CR) {
        if (bytes[at] === QUOTE) return QUOTE_INSIDE;
        at += 1;
      }
      cells.push(readCsvCell(bytes.toString('utf8', from, at).trim()));
    }
    if (at === limit) return atEnd ? limit : null;
    if (bytes[at] === LF) return at + 1;
    if (bytes[at] === CR && at + 1 < limit) return bytes[at + 1] === LF ? at + 2 : at + 1;
    if (bytes[at] === CR) return atEnd ? limit : null;
    if (bytes[at] !== delimiter) return TEXT_AFTER_QUOTE;
    at += 1;
  }
}

function skipBlanks(bytes: Buffer, at: number, limit: number, delimiter: number): number {
  while (at < limit && (bytes[at] === SPACE || bytes[at] === TAB) && bytes[at] !== delimiter) at += 1;
  return at;
}

/** Skips doubled quotes, which stand for one quote inside the field. */
function findClosingQuote(bytes: Buffer, start: number, limit: number): number | null {
  for (let at = start; at < limit; at++) {
    if (bytes[at] !== QUOTE) continue;
    if (at + 1 === limit || bytes[at + 1] !== QUOTE) return at;
    at += 1;
  }
  return null;
}

/** Returns the position after the next line break, or after the last line of the file, which may have none. */
export function findLineEnd(bytes: Buffer, start: number, atEnd: boolean): number | null {
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] === LF) return at + 1;
    if (bytes[at] !== CR) continue;
    if (at + 1 < bytes.length) return bytes[at + 1] === LF ? at + 2 : at + 1;
    break;
  }
  return atEnd ? bytes.length : null;
}
