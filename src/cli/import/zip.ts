/** Reads ZIP archives as vendors export them: stored or deflated files, without encryption and below 4 GiB. */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { AppError } from '../../platform/errors.ts';
import {
  contentOffset,
  DEFLATED,
  END_RECORD,
  findDirectory,
  LOCAL_HEADER,
  LOCAL_HEADER_BYTES,
  MOST_END_BYTES,
  readDirectory,
  STORED,
  type ZipEntry,
} from '../../platform/zip-directory.ts';

const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const IN_ZIP64 = 0xffffffff;

export async function isZip(handle: FileHandle): Promise<boolean> {
  const start = await readAt(handle, 0, 4);
  return start.length === 4 && [LOCAL_HEADER, END_RECORD].includes(start.readUInt32LE(0));
}

export async function listEntries(handle: FileHandle, fileSize: number): Promise<ZipEntry[]> {
  const length = Math.min(fileSize, MOST_END_BYTES);
  const directory = findDirectory(await readAt(handle, fileSize - length, length));
  if (!directory) throw broken('it has no directory. It may not be complete');
  const { count, start, size } = directory;
  if (start === IN_ZIP64 || size > MAX_DIRECTORY_BYTES)
    throw broken('it is too large. Unpack it, and import its CSV files');
  const entries = readDirectory(await readAt(handle, start, size), count);
  if (!entries) throw broken('its directory is damaged');
  if (entries.some(({ isEncrypted }) => isEncrypted))
    throw broken('it is encrypted. Unpack it, and import its CSV files');
  return entries;
}

/** Yields the content of a file. Ends early or throws if the archive is damaged. */
export async function* openEntry(handle: FileHandle, entry: ZipEntry): AsyncGenerator<Buffer> {
  if (entry.method !== STORED && entry.method !== DEFLATED) throw broken('it uses an unknown compression');
  const offset = contentOffset(await readAt(handle, entry.headerStart, LOCAL_HEADER_BYTES));
  if (offset === null) throw broken('it is damaged');
  const start = entry.headerStart + offset;
  if (entry.packedSize === 0) return;
  const packed = readPart(handle, start, entry.packedSize);
  const content = entry.method === STORED ? packed : inflate(packed);
  let bytes = 0;
  try {
    for await (const chunk of content) {
      bytes += chunk.length;
      // The directory declares the size of the file, so a small archive cannot unpack to more.
      if (bytes > entry.size) throw broken(`${entry.name} is larger than it says`);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof AppError ? error : broken(`${entry.name} cannot be unpacked`);
  }
  if (bytes < entry.size) throw broken(`${entry.name} is not complete`);
}

async function* inflate(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(packed);
  const inflated = createInflateRaw();
  source.once('error', (error) => inflated.destroy(error));
  try {
    yield* source.pipe(inflated) as AsyncIterable<Buffer>;
  } finally {
    source.destroy();
    inflated.destroy();
  }
}

/** Reads a part of the file piece by piece. */
export async function* readPart(handle: FileHandle, start: number, length: number): AsyncGenerator<Buffer> {
  for (let at = start; at < start + length;) {
    const chunk = await readAt(handle, at, Math.min(CHUNK_BYTES, start + length - at));
    if (chunk.length === 0) return;
    at += chunk.length;
    yield chunk;
  }
}

async function readAt(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, start);
  return buffer.subarray(0, bytesRead);
}

function broken(why: string): AppError {
  return new AppError('BAD_REQUEST', `The ZIP archive cannot be read: ${why}.`);
}
