/**
 * Puts the bytes of large blobs into the object store, before the transaction that refers to them commits.
 * - Each upload has its own key, and only the row that is stored with this upload has that key. So deleting the object
 *   of a deleted row does not affect a row that was stored later with the same content.
 * - An upload whose transaction fails leaves an object without a row. sweep-objects.ts deletes it.
 */
import { sql } from 'kysely';
import { AppError } from '../../../platform/errors.ts';
import { isTransaction, toJson, type Db } from '../../../platform/database/database.ts';
import { newUuid } from '../../../platform/ids.ts';
import { objectStoreOf } from '../../../platform/object-store/object-store-of.ts';
import type { ObjectStore } from '../../../platform/object-store/s3-store.ts';
import { runYielding } from '../../../platform/concurrency/run-yielding.ts';
import { contentHash } from './content-hash.ts';

export interface NewBlob {
  teamId: number;
  hash: Buffer;
  content: Buffer;
}

/** Smaller blobs stay in the database, because a request would cost more than the space. */
const MIN_OBJECT_BYTES = 32 * 1024;
/** Far below the age at which sweep-objects.ts deletes objects without a row. */
const MAX_UPLOAD_AGE_MS = 10 * 60_000;
const UPLOADS_AT_ONCE = 4;

interface Upload {
  objectKey: string;
  startedAt: number;
}

/** The uploads of a content, by team. They are found by the buffer, which the transaction gets unchanged. */
const uploads = new WeakMap<Buffer, Map<number, Upload>>();

/** Whether the content is, or will be, in the object store. */
export function goesToObjectStore(db: Db, content: Buffer): boolean {
  return content.length >= MIN_OBJECT_BYTES && objectStoreOf(db) !== null;
}

export function isLargeBlob({ content }: NewBlob): boolean {
  return content.length >= MIN_OBJECT_BYTES;
}

/** Uploads these contents for each team, like `uploadBlobs`. */
export async function uploadContents(db: Db, teamIds: number[], contents: Buffer[]): Promise<void> {
  if (!objectStoreOf(db)) return;
  const blobs: NewBlob[] = [];
  for (const content of contents) {
    if (content.length < MIN_OBJECT_BYTES) continue;
    const hash = await runYielding(content.length, () => contentHash(content));
    for (const teamId of teamIds) blobs.push({ teamId, hash, content });
  }
  await uploadBlobs(db, blobs);
}

/**
 * Uploads large blobs that the database does not have yet. Call it before the transaction, so that no connection is
 * held meanwhile. In a transaction it does nothing, because `storeBlobs` uploads missing blobs.
 */
export async function uploadBlobs(db: Db, blobs: NewBlob[]): Promise<void> {
  const store = objectStoreOf(db);
  if (!store || isTransaction(db)) return;
  const large = blobs.filter((blob) => isLargeBlob(blob) && findUpload(blob) === null);
  if (large.length === 0) return;
  const { rows } = await sql<{ key: string }>`
    select b.team_id || ' ' || encode(b.sha256, 'hex') as key from blobs b
    join ${keysOf(large)} on b.team_id = k.team_id and b.sha256 = decode(k.hash, 'hex')
  `.execute(db);
  const known = new Set(rows.map(({ key }) => key));
  await upload(
    store,
    large.filter((blob) => !known.has(keyOfBlob(blob))),
  );
}

export async function upload(store: ObjectStore, blobs: NewBlob[]): Promise<void> {
  const byKey = new Map<string, NewBlob[]>();
  for (const blob of blobs) byKey.set(keyOfBlob(blob), [...(byKey.get(keyOfBlob(blob)) ?? []), blob]);
  const waiting = [...byKey.values()];
  async function uploadNext(): Promise<void> {
    for (let same = waiting.shift(); same; same = waiting.shift()) {
      const { teamId, hash, content } = same[0]!;
      const startedAt = Date.now();
      const objectKey = `${store.settings.namespace}/${teamId}/${hash.toString('hex')}/${newUuid()}`;
      await store.put(objectKey, content, hash);
      for (const blob of same) remember(blob, { objectKey, startedAt });
    }
  }
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, uploadNext));
}

function remember({ content, teamId }: NewBlob, done: Upload): void {
  const byTeam = uploads.get(content) ?? new Map<number, Upload>();
  uploads.set(content, byTeam.set(teamId, done));
}

/** Returns the key of the object if the blob was uploaded. */
export function findUpload({ content, teamId }: NewBlob): string | null {
  const done = uploads.get(content)?.get(teamId);
  if (!done) return null;
  if (Date.now() - done.startedAt > MAX_UPLOAD_AGE_MS)
    throw new AppError('UNAVAILABLE', 'Storing took too long. Try again in a moment.');
  return done.objectKey;
}

export function keyOfBlob({ teamId, hash }: Pick<NewBlob, 'teamId' | 'hash'>): string {
  return `${teamId} ${hash.toString('hex')}`;
}

/** Returns the keys of blobs as a table `k (team_id, hash)`. */
export function keysOf(blobs: NewBlob[]) {
  const rows = blobs.map(({ teamId, hash }) => ({ team_id: teamId, hash: hash.toString('hex') }));
  return sql`json_to_recordset(${toJson(rows)}::json) as k (team_id integer, hash text)`;
}
