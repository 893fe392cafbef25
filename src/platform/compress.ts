/**
 * Compresses messages before they are stored, with DEFLATE (RFC 1951). HTML mail becomes about four times smaller,
 * and base64 attachments a quarter smaller. PostgreSQL's own compression is not used: the embedded server has only
 * pglz, which saves less. The work runs in Node's thread pool.
 */
import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRaw, inflateRawSync } from 'node:zlib';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** For smaller messages, passing the work to a thread costs more than the space is worth. */
const MIN_SIZE = 4_096;
/** A larger message is mostly base64, in which the search for repetitions takes five times as long and finds none. */
const MAX_SIZE_TO_MATCH = 256 * 1024;
/** Compression that saves less is not worth the time that decompression takes. */
const MIN_SAVING = 0.1;

export interface Compressed {
  bytes: Buffer;
  /** Null when the bytes are stored as they are. */
  inflatedSize: number | null;
}

export async function compress(bytes: Buffer): Promise<Compressed> {
  if (bytes.length < MIN_SIZE) return { bytes, inflatedSize: null };
  const strategy = bytes.length > MAX_SIZE_TO_MATCH ? constants.Z_HUFFMAN_ONLY : constants.Z_DEFAULT_STRATEGY;
  const deflated = await deflate(bytes, { level: 1, strategy });
  if (deflated.length > bytes.length * (1 - MIN_SAVING)) return { bytes, inflatedSize: null };
  return { bytes: deflated, inflatedSize: bytes.length };
}

/** Up to this size, passing the work to a thread costs more than the work itself. */
const MAX_SIZE_NOW = 64 * 1024;

export async function decompress({ bytes, inflatedSize }: Compressed): Promise<Buffer> {
  if (inflatedSize === null) return bytes;
  if (inflatedSize <= MAX_SIZE_NOW) return decompressNow({ bytes, inflatedSize });
  return inflate(bytes, { chunkSize: Math.max(inflatedSize, constants.Z_MIN_CHUNK) });
}

/** For small messages, and for several that are read together. */
export function decompressNow({ bytes, inflatedSize }: Compressed): Buffer {
  if (inflatedSize === null) return bytes;
  return inflateRawSync(bytes, { chunkSize: Math.max(inflatedSize, constants.Z_MIN_CHUNK) });
}
