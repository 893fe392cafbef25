/** Reads the bytes of a blob from the database or the object store. */
import { AppError } from '../../../platform/errors.ts';
import { sha256 } from '../../../platform/crypto.ts';
import { decompress } from '../../../platform/compress.ts';
import type { Db } from '../../../platform/database/database.ts';
import { objectStoreOf } from '../../../platform/object-store/object-store-of.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { runYielding } from '../../../platform/concurrency/run-yielding.ts';

export type StoredBlob = CamelRow<'blobs', 'sha256' | 'bytes' | 'inflated_size' | 'object_key'>;

/** Throws UNAVAILABLE while the object store cannot be reached, and NOT_FOUND if it has lost the object. */
export async function readBlob(db: Db, blob: StoredBlob): Promise<Buffer> {
  const content = await findBlobContent(db, blob);
  if (content) return content;
  const message =
    'The content is missing in the object store or damaged. Contact the operator of this server.';
  throw new AppError('NOT_FOUND', message);
}

/** Null if the object store has lost the object, which the log and the metrics report. */
export async function findBlobContent(
  db: Db,
  { sha256: hash, bytes, inflatedSize, objectKey }: StoredBlob,
): Promise<Buffer | null> {
  if (objectKey === null) return bytes && decompress({ bytes, inflatedSize });
  const store = objectStoreOf(db);
  if (!store)
    throw new AppError('UNAVAILABLE', 'The object store of this content is not configured (BLOB_URL).');
  const content = await store.get(objectKey);
  const found = content && (await runYielding(content.length, () => sha256(content)));
  if (found?.equals(hash)) return content;
  store.reports.onLost(objectKey, content ? 'damaged' : 'missing');
  return null;
}
