import { sha256 } from '../../../platform/crypto.ts';

/** By buffer: a content that is stored in several mailboxes, or uploaded first, is the same buffer everywhere. */
const hashes = new WeakMap<Buffer, Buffer>();

/** Computes the SHA-256 of a content once. The bytes must not change afterwards. */
export function contentHash(content: Buffer): Buffer {
  let hash = hashes.get(content);
  if (!hash) hashes.set(content, (hash = sha256(content)));
  return hash;
}
