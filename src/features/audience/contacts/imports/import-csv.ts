/**
 * Reads CSV records from bytes, a few at a time, starting at any record.
 *
 * csv-parse is five to eight times slower, does not report where a record began and cannot continue after a broken
 * one. The tests compare this reader with it. A broken record is rejected, and reading continues with the line after
 * the one on which it began. So an unclosed quote does not swallow the rest of the file, and the same bytes give the
 * same records wherever reading was interrupted.
 */
import { isUtf8 } from 'node:buffer';
import { findLineEnd, MAX_RECORD_BYTES, scanRecord, TOO_LONG } from './import-record.ts';

/** This is a few milliseconds of work, so the event loop is not blocked. */
const RECORDS_PER_CHUNK = 250;

/** How much of the file has been read. */
export interface CsvPosition {
  bytes: number;
  lines: number;
}

export interface CsvRecord {
  /** The line on which the record begins, counted from 1. */
  line: number;
  cells: string[];
  /** A message for the user if the record is broken. */
  problem: string | null;
}

export interface CsvFile {
  totalBytes: number;
  /** Reads some bytes from this position. Null if the file was deleted. */
  read(startByte: number): Promise<Buffer | null>;
}

/** Yields up to RECORDS_PER_CHUNK records at a time. The last chunk, which may be empty, ends with the file. */
export async function* readRecords(
  file: CsvFile,
  from: CsvPosition,
  delimiter: string,
): AsyncGenerator<{ records: CsvRecord[]; end: CsvPosition }> {
  let bytes: Buffer = Buffer.alloc(0);
  let at = from;
  for (;;) {
    const atEnd = at.bytes + bytes.length === file.totalBytes;
    const { records, end, stoppedAt } = parseRecords(bytes, at, {
      delimiter,
      atEnd,
      limit: RECORDS_PER_CHUNK,
    });
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
 * Parses the complete records at the beginning of these bytes. `stoppedAt` says why parsing stopped: the limit was
 * reached, the next record is incomplete, or a line is too long and its end is not in these bytes.
 */
export function parseRecords(
  bytes: Buffer,
  from: CsvPosition,
  options: { delimiter: string; atEnd: boolean; limit: number },
): { records: CsvRecord[]; end: CsvPosition; stoppedAt: 'limit' | 'end of bytes' | 'long line' } {
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

/** Skips the rest of a line without buffering it. */
async function skipLine(file: CsvFile, startByte: number, bytes: Buffer) {
  for (;;) {
    const atEnd = startByte + bytes.length === file.totalBytes;
    const end = findLineEnd(bytes, 0, atEnd);
    if (end !== null) return { startByte: startByte + end, bytes: bytes.subarray(end) };
    const more = await file.read(startByte + bytes.length);
    if (!more) return null;
    // Keep the last byte: it may be the CR of a CRLF.
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
  return bytes.includes(0) ? 'The row contains NUL characters.' : null;
}
