/** Checks at startup that the object store matches the database. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Log } from '../../../platform/log.ts';
import { objectStoreOf } from '../../../platform/object-store/object-store-of.ts';
import type { Row } from '../../../platform/database/rows.ts';

/** Throws if contents are in an object store and none is configured. */
export async function requireObjectStore(db: Db, log: Log): Promise<void> {
  const { rows } = await sql<{ key: NonNullable<Row<'blobs'>['object_key']> }>`
    select object_key as key from blobs where object_key is not null limit 1
  `.execute(db);
  const store = objectStoreOf(db);
  if (!store && rows.length > 0)
    throw new Error(
      'Some messages and attachments of this instance are in an object store. Set BLOB_URL to the store that was used before.',
    );
  // The store may be unavailable for a moment. Everything else works without it, so this does not prevent the start.
  if (store) void tryStore(rows[0]?.key ?? null).catch(() => {});

  async function tryStore(key: string | null): Promise<void> {
    await store!.list(null);
    if (key !== null && (await store!.get(key)) === null) {
      const { origin, bucket, prefix } = store!.settings;
      log.error(
        { origin, bucket, prefix, objectKey: key },
        'object store: BLOB_URL does not have the objects of this instance. Is it the store that was used before?',
      );
    }
  }
}
