/**
 * CSV as bytes, some records at a time, from any record's beginning on.
 *
 * Not csv-parse: it is five to eight times slower, and tells neither where a record began nor how to go on after
 * a broken one. The tests hold this reader against it. A broken record costs one line: it is refused, and
 * reading goes on with the line after the one on which it began. So a quote that is never closed does not
 * swallow the rest of the file, and the same bytes give the same records wherever reading was interrupted.
 */
import { isUtf8 } from 'node:buffer';
import { findLineEnd, MAX_RECORD_BYTES, scanRecord, TOO_LONG } from './import-record.ts';

/** A few milliseconds of work: the process has others to serve. */
const PIECE_RECORDS = 250;

/** How much of the file lies behind. */
export interface Position {
  bytes: number;
  lines: number;
}

export interface CsvRecord {
  /** Where it begins in the file, counted from 1. */
  line: number;
  cells: string[];
  /** Why the cells cannot be used, in words. */
  problem: string | null;
}

export interface CsvFile {
  totalBytes: number;
  /** Some bytes from there on; null when the file is gone. */
  read(startByte: number): Promise<Buffer | null>;
}

/** Up to PIECE_RECORDS at a time; the last ones, which may be none, end with the file. */
export async function* readRecords(
  file: CsvFile,
  from: Position,
  delimiter: string,
): AsyncGenerator<{ records: CsvRecord[]; end: Position }> {
  let bytes: Buffer = Buffer.alloc(0);
  let at = from;
  for (;;) {
    const atEnd = at.bytes + bytes.length === file.totalBytes;
    const { records, end, stoppedAt } = parseRecords(bytes, at, { delimiter, atEnd, limit: PIECE_RECORDS });
    bytes = bytes.subarray(end.bytes - at.bytes);
    at = end;
    if (stoppedAt === 'long line') {
      const next = await skipLine(file, at.bytes, bytes);
      if (!next) return;
      records.push({ line: at.lines + 1, cells: [], problem: TOO_LONG });
      bytes = next.bytes;
      at = { bytes: next.startByte, lines: at.lines + 1 };
    }
    const done = at.bytes === file.totalBytes;
    if (records.length > 0 || done) yield { records, end: at };
    if (done) return;
    if (stoppedAt === 'end of bytes') {
      const more = await file.read(at.bytes + bytes.length);
      if (!more) return;
      bytes = Buffer.concat([bytes, more]);
    }
  }
}

/**
 * The whole records at the beginning of these bytes, and what comes after them: more records, the rest of one
 * that these bytes do not hold, or a line that is too long and has no end in sight.
 */
export function parseRecords(
  bytes: Buffer,
  from: Position,
  options: { delimiter: string; atEnd: boolean; limit: number },
): { records: CsvRecord[]; end: Position; stoppedAt: 'limit' | 'end of bytes' | 'long line' } {
  const { atEnd, limit } = options;
  const delimiter = options.delimiter.charCodeAt(0);
  const records: CsvRecord[] = [];
  let start = 0;
  let lines = from.lines;

  function take(end: number, cells: string[], problem: string | null): void {
    records.push({ line: lines + 1, cells, problem: problem ?? problemOfText(bytes.subarray(start, end)) });
    lines += countLineBreaks(bytes, start, end);
    start = end;
  }
  function stop<At extends string>(stoppedAt: At) {
    return { records, end: { bytes: from.bytes + start, lines }, stoppedAt };
  }

  while (start < bytes.length) {
    if (records.length === limit) return stop('limit');
    const isLong = bytes.length - start >= MAX_RECORD_BYTES;
    const cells: string[] = [];
    const found = scanRecord(bytes, start, { delimiter, atEnd }, cells);
    if (typeof found === 'number') {
      take(found, cells, null);
      continue;
    }
    if (found === null && !isLong) break;
    const end = findLineEnd(bytes, start, atEnd);
    if (end !== null) take(end, [], found ?? TOO_LONG);
    else if (isLong) return stop('long line');
    else break;
  }
  return stop('end of bytes');
}

/** Passes over the rest of a line without keeping it. */
async function skipLine(file: CsvFile, startByte: number, bytes: Buffer) {
  for (;;) {
    const atEnd = startByte + bytes.length === file.totalBytes;
    const end = findLineEnd(bytes, 0, atEnd);
    if (end !== null) return { startByte: startByte + end, bytes: bytes.subarray(end) };
    const more = await file.read(startByte + bytes.length);
    if (!more) return null;
    // The last byte stays: it may be the first half of a CRLF.
    startByte += bytes.length - 1;
    bytes = Buffer.concat([bytes.subarray(-1), more]);
  }
}

export function countLineBreaks(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) {
    if (bytes[at] === 0x0a || (bytes[at] === 0x0d && bytes[at + 1] !== 0x0a)) count += 1;
  }
  return count;
}

function problemOfText(bytes: Buffer): string | null {
  if (!isUtf8(bytes)) return 'The row is not valid UTF-8. Save the file as CSV in UTF-8.';
  return bytes.includes(0) ? 'The row holds NUL characters.' : null;
}
