/**
 * The object store that belongs to a database and holds the bytes of some rows (blobs.object_key). All code that
 * reads these rows needs it too, so it is found through the Db instead of being a second parameter (decision 25).
 */
import type pg from 'pg';
import { poolOf, type Db } from '../database/database.ts';
import type { ObjectStore } from './s3-store.ts';

const stores = new WeakMap<pg.Pool, ObjectStore>();

export function useObjectStore(pool: pg.Pool, store: ObjectStore | null): void {
  if (store) stores.set(pool, store);
}

/** Null if BLOB_URL is not set. */
export function objectStoreOf(db: Db): ObjectStore | null {
  return stores.get(poolOf(db)) ?? null;
}
