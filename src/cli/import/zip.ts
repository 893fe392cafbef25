/**
 * Reads ZIP archives as vendors export them: stored or deflated files, without encryption and below 4 GiB. The layout
 * is that of PKWARE's APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16.
 */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { AppError } from '../../platform/errors.ts';

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const STORED = 0;
const DEFLATED = 8;
const IN_ZIP64 = 0xffffffff;

export interface ZipEntry {
  name: string;
  /** The size of the file when it is unpacked. */
  size: number;
  packedSize: number;
  method: number;
  headerStart: number;
}

export async function isZip(handle: FileHandle): Promise<boolean> {
  const start = await readAt(handle, 0, 4);
  return start.length === 4 && [LOCAL_HEADER, END_RECORD].includes(start.readUInt32LE(0));
}

export async function listEntries(handle: FileHandle, fileSize: number): Promise<ZipEntry[]> {
  const length = Math.min(fileSize, END_RECORD_BYTES + MAX_COMMENT_BYTES);
  const tail = await readAt(handle, fileSize - length, length);
  let end = tail.length - END_RECORD_BYTES;
  while (end >= 0 && tail.readUInt32LE(end) !== END_RECORD) end -= 1;
  if (end < 0) throw broken('it has no directory. It may not be complete');
  const count = tail.readUInt16LE(end + 10);
  const size = tail.readUInt32LE(end + 12);
  const start = tail.readUInt32LE(end + 16);
  if (start === IN_ZIP64 || size > MAX_DIRECTORY_BYTES)
    throw broken('it is too large. Unpack it, and import its CSV files');
  return readDirectory(await readAt(handle, start, size), count);
}

function readDirectory(directory: Buffer, count: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = 0;
  while (entries.length < count) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== CENTRAL_HEADER)
      throw broken('its directory is damaged');
    const nameLength = directory.readUInt16LE(at + 28);
    const isEncrypted = (directory.readUInt16LE(at + 8) & 1) === 1;
    if (isEncrypted) throw broken('it is encrypted. Unpack it, and import its CSV files');
    entries.push({
      name: directory.toString('utf8', at + 46, at + 46 + nameLength),
      method: directory.readUInt16LE(at + 10),
      packedSize: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24),
      headerStart: directory.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** Yields the content of a file. Ends early or throws if the archive is damaged. */
export async function* openEntry(handle: FileHandle, entry: ZipEntry): AsyncGenerator<Buffer> {
  if (entry.method !== STORED && entry.method !== DEFLATED) throw broken('it uses an unknown compression');
  const header = await readAt(handle, entry.headerStart, 30);
  if (header.length < 30 || header.readUInt32LE(0) !== LOCAL_HEADER) throw broken('it is damaged');
  const start = entry.headerStart + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
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
