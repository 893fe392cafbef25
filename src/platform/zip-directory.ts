/**
 * The structures of a ZIP archive (APPNOTE.TXT 4.3.7, 4.3.12 and 4.3.16), without ZIP64. Archives are read from memory or
 * from a file; both readers take the positions from here. Null stands for damaged bytes.
 */
export const LOCAL_HEADER = 0x04034b50;
export const LOCAL_HEADER_BYTES = 30;
const CENTRAL_HEADER = 0x02014b50;
const CENTRAL_HEADER_BYTES = 46;
export const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
/** The record at the end of an archive is within this many bytes, because it ends with a comment. */
export const MOST_END_BYTES = END_RECORD_BYTES + 65_535;
const ENCRYPTED = 1;

/** How the content of an entry is stored. */
export const STORED = 0;
export const DEFLATED = 8;

export interface ZipEntry {
  name: string;
  isEncrypted: boolean;
  method: number;
  packedSize: number;
  /** The size of the file when it is unpacked. */
  size: number;
  /** The offset of its local header. */
  headerStart: number;
}

/** Where the directory is. `tail` is the end of the archive. */
export function findDirectory(tail: Buffer): { count: number; start: number; size: number } | null {
  const last = tail.length - END_RECORD_BYTES;
  for (let at = last; at >= Math.max(0, tail.length - MOST_END_BYTES); at -= 1)
    if (tail.readUInt32LE(at) === END_RECORD)
      return {
        count: tail.readUInt16LE(at + 10),
        size: tail.readUInt32LE(at + 12),
        start: tail.readUInt32LE(at + 16),
      };
  return null;
}

export function readDirectory(directory: Buffer, count: number): ZipEntry[] | null {
  const entries: ZipEntry[] = [];
  let at = 0;
  while (entries.length < count) {
    if (at + CENTRAL_HEADER_BYTES > directory.length || directory.readUInt32LE(at) !== CENTRAL_HEADER)
      return null;
    const nameAt = at + CENTRAL_HEADER_BYTES;
    const nameEnd = nameAt + directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.toString('utf8', nameAt, nameEnd),
      isEncrypted: (directory.readUInt16LE(at + 8) & ENCRYPTED) !== 0,
      method: directory.readUInt16LE(at + 10),
      packedSize: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24),
      headerStart: directory.readUInt32LE(at + 42),
    });
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** How many bytes after the start of its local header the content of an entry begins. */
export function contentOffset(localHeader: Buffer): number | null {
  if (localHeader.length < LOCAL_HEADER_BYTES || localHeader.readUInt32LE(0) !== LOCAL_HEADER) return null;
  return LOCAL_HEADER_BYTES + localHeader.readUInt16LE(26) + localHeader.readUInt16LE(28);
}
