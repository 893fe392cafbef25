/**
 * Deletes objects that no row refers to: uploads whose transaction failed, and objects whose deletion failed. An upload
 * that is older than MIN_AGE_MS belongs to a transaction that ended long ago (MAX_UPLOAD_AGE_MS in upload-blobs.ts),
 * and keys are never reused. So an object that has no row now will never have one.
 */
import { sql } from 'kysely';
import { toJson, type Db } from '../../../platform/database/database.ts';
import { objectStoreOf } from '../../../platform/object-store/object-store-of.ts';
import type { Log } from '../../../platform/log.ts';
import { DAY_MS } from '../../../platform/durations.ts';

const MIN_AGE_MS = DAY_MS;
/** Objects with other keys are not ours and are not deleted. */
const OUR_KEY = /^[0-9a-f]{16}\/\d+\/[0-9a-f]{64}\/[0-9a-f-]{36}$/;

export async function sweepObjects(db: Db, log: Log, minAgeMs = MIN_AGE_MS): Promise<void> {
  const store = objectStoreOf(db);
  if (!store) return;
  let deleted = 0;
  let next: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof store.list>> = await store.list(next);
    const old = page.objects.filter(({ key, ageMs }) => ageMs >= minAgeMs && OUR_KEY.test(key));
    for (const key of await findKeysWithoutRow(
      db,
      old.map(({ key }) => key),
    )) {
      await store.delete(key);
      deleted += 1;
    }
    ({ next } = page);
  } while (next !== null);
  if (deleted > 0) log.info({ objects: deleted }, 'object store: deleted objects that nothing refers to');
}

async function findKeysWithoutRow(db: Db, keys: string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<{ key: string }>`
    select key from json_array_elements_text(${toJson(keys)}::json) as key
    where not exists (select from blobs where object_key = key)
  `.execute(db);
  return rows.map(({ key }) => key);
}

/** Deletes the objects of rows that were deleted in a committed transaction. The sweep deletes those that fail. */
export async function deleteObjects(db: Db, keys: string[]): Promise<void> {
  const store = objectStoreOf(db);
  for (const key of keys) await store?.delete(key).catch(() => {});
}
