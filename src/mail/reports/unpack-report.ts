/**
 * Unpacks a report that another server sent: gzip, zip with one file, or plain. The bytes decide, because MIME types are
 * often wrong. Unpacked bytes are counted as they are made, so an archive that unpacks to very much is rejected early.
 */
import { createGunzip, createInflateRaw } from 'node:zlib';
import { Readable, type Transform } from 'node:stream';
import { ReportProblem } from './report-problem.ts';
import { findZipEntry } from './zip-entry.ts';

const MAX_PACKED_BYTES = 10_000_000;
const MAX_UNPACKED_BYTES = 100_000_000;
const PIECE = 64 * 1024;

type Packing = 'gzip' | 'zip';

export function packingOf(bytes: Buffer): Packing | null {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  return bytes.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004' ? 'zip' : null;
}

/** An archive is unpacked twice: what is too large is not read at all, because reading takes longer than unpacking. */
export async function unpackReport(
  packed: Buffer,
  limit = MAX_UNPACKED_BYTES,
): Promise<AsyncGenerator<Buffer>> {
  if (packed.length > MAX_PACKED_BYTES) throw new ReportProblem('The report is larger than 10 MB.');
  const pieces = countBytes(piecesOf(packed), limit);
  if (packingOf(packed) === null) return pieces;
  while (!(await pieces.next()).done);
  return countBytes(piecesOf(packed), limit);
}

function piecesOf(packed: Buffer): AsyncIterable<Buffer> {
  const packing = packingOf(packed);
  if (packing === 'gzip') return inflate(withoutLineEnd(packed), createGunzip({ chunkSize: PIECE }));
  if (packing === null) return cutIntoPieces(packed);
  const { content, isStored } = findZipEntry(packed);
  return isStored ? cutIntoPieces(content) : inflate(content, createInflateRaw({ chunkSize: PIECE }));
}

/**
 * Attachments that are sent as they are end with a line break, which gunzip takes for a damaged second archive. The last
 * byte of a gzip file is the highest of its size, so no report within the limit ends with one itself.
 */
function withoutLineEnd(packed: Buffer): Buffer {
  let end = packed.length;
  while (packed[end - 1] === 0x0a || packed[end - 1] === 0x0d) end -= 1;
  return packed.subarray(0, end);
}

// eslint-disable-next-line @typescript-eslint/require-await -- The pieces are consumed like those of an archive.
async function* cutIntoPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

async function* inflate(bytes: Buffer, unpacking: Transform): AsyncGenerator<Buffer> {
  try {
    Readable.from(cutIntoPieces(bytes), { objectMode: false }).pipe(unpacking);
    for await (const piece of unpacking as AsyncIterable<Buffer>) yield piece;
  } catch (error) {
    if (error instanceof ReportProblem) throw error;
    throw new ReportProblem('The archive of the report is damaged or not complete.', { cause: error });
  } finally {
    unpacking.destroy();
  }
}

async function* countBytes(pieces: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > limit) throw new ReportProblem(`The report unpacks to more than ${limit / 1_000_000} MB.`);
    yield piece;
  }
}
