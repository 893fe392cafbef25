/**
 * Compresses the sources of messages before the transaction that stores them as blobs. Other blobs are files, which
 * are mostly compressed by their own format, and are stored as they are.
 */
import { compress, type Compressed } from '../../../platform/compress.ts';
import type { Db } from '../../../platform/database/database.ts';
import { goesToObjectStore } from './upload-blobs.ts';

/** A larger message is mostly files in base64, and reading a part of it should not inflate all. */
const MAX_BYTES = 1024 * 1024;

/** By buffer, which the transaction gets unchanged. */
const forms = new WeakMap<Buffer, Compressed>();

export async function compressSource(db: Db, source: Buffer): Promise<void> {
  if (source.length > MAX_BYTES || goesToObjectStore(db, source)) return;
  forms.set(source, await compress(source));
}

/** The content itself if it was not compressed before. */
export function storedForm(content: Buffer): Compressed {
  return forms.get(content) ?? { bytes: content, inflatedSize: null };
}
