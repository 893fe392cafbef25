/**
 * Copies the team's contents from an object store to the store of the other instance, or to its database if it has
 * none. Most are copied before the team is closed, so that it stays closed only while the newer ones are copied. Copies
 * of a move that fails have no row, and the other instance deletes them after a day (sweep-objects.ts).
 */
import type pg from 'pg';
import { sha256 } from '../../../platform/crypto.ts';
import { AppError } from '../../../platform/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { ObjectStore } from '../../../platform/object-store/s3-store.ts';

export interface ObjectSide {
  client: pg.ClientBase;
  /** Null without BLOB_URL. */
  store: ObjectStore | null;
}

/** The keys of the copies, by the hash of the content in hexadecimal digits. */
export type CopiedObjects = Map<string, string>;

interface StoredObject {
  hash: string;
  key: NonNullable<Row<'blobs'>['object_key']>;
}

const PAGE = 500;
const COPIES_AT_ONCE = 4;

/** Throws before anything is closed if the contents cannot be copied. */
export async function refuseObjects(source: ObjectSide, target: ObjectSide, teamId: number): Promise<void> {
  const { rows } = await source.client.query<{ count: number }>(
    `select count(*)::integer as count from blobs where team_id = $1 and object_key is not null`,
    [teamId],
  );
  const { count } = rows[0]!;
  if (count === 0) return;
  if (!source.store)
    throw new AppError(
      'CONFLICT',
      `${count} contents of the team are in an object store. Set BLOB_URL for this command as the server has it, so that they can be copied.`,
    );
  if (target.store && placeOf(source.store) === placeOf(target.store))
    throw new AppError(
      'CONFLICT',
      'Both instances use the same place in the object store, so each would delete the contents of the other. Give each its own prefix in BLOB_URL.',
    );
}

function placeOf({ settings: { origin, bucket, prefix, namespace } }: ObjectStore): string {
  return [origin, bucket, prefix, namespace].join(' ');
}

/** Copies the current contents, without a transaction. Does nothing if the other instance has no store. */
export async function copyObjectsAhead(
  source: ObjectSide,
  target: ObjectSide,
  teamId: number,
): Promise<CopiedObjects> {
  const copied: CopiedObjects = new Map();
  for (let after = ''; target.store;) {
    const page = await listObjects(source.client, teamId, after);
    if (page.length === 0) break;
    await copyPage(source.store!, target.store, teamId, page, copied);
    after = page.at(-1)!.hash;
  }
  return copied;
}

/** Called in the transaction that has copied the rows of `blobs`: gives them the keys of the copies, or the bytes. */
export async function placeObjects(
  source: ObjectSide,
  target: ObjectSide,
  teamId: number,
  copied: CopiedObjects,
): Promise<void> {
  for (let after = ''; ;) {
    const page = await listObjects(target.client, teamId, after);
    if (page.length === 0) return;
    after = page.at(-1)!.hash;
    if (target.store) {
      const missing = page.filter(({ hash }) => !copied.has(hash));
      await copyPage(source.store!, target.store, teamId, missing, copied);
      await setKeys(target.client, teamId, page, copied);
    } else for (const object of page) await storeBytes(source.store!, target.client, teamId, object);
  }
}

async function listObjects(client: pg.ClientBase, teamId: number, after: string): Promise<StoredObject[]> {
  const { rows } = await client.query<StoredObject>(
    `select encode(sha256, 'hex') as hash, object_key as key from blobs
     where team_id = $1 and object_key is not null and sha256 > decode($2, 'hex') order by sha256 limit ${PAGE}`,
    [teamId, after],
  );
  return rows;
}

async function copyPage(
  from: ObjectStore,
  to: ObjectStore,
  teamId: number,
  page: StoredObject[],
  copied: CopiedObjects,
): Promise<void> {
  const waiting = [...page];
  async function copyNext(): Promise<void> {
    for (let object = waiting.shift(); object; object = waiting.shift()) {
      const key = `${to.settings.namespace}/${teamId}/${object.hash}/${newUuid()}`;
      const content = await readObject(from, object);
      // Contents that this store has lost are not copied. Their keys lead to no object in the other instance either.
      if (content) await to.put(key, content, Buffer.from(object.hash, 'hex'));
      copied.set(object.hash, key);
    }
  }
  await Promise.all(Array.from({ length: COPIES_AT_ONCE }, copyNext));
}

async function readObject(store: ObjectStore, { hash, key }: StoredObject): Promise<Buffer | null> {
  const content = await store.get(key);
  if (content && sha256(content).toString('hex') === hash) return content;
  store.reports.onLost(key, content ? 'damaged' : 'missing');
  return null;
}

async function setKeys(
  client: pg.ClientBase,
  teamId: number,
  page: StoredObject[],
  copied: CopiedObjects,
): Promise<void> {
  await client.query(
    `update blobs b set object_key = k.key
     from unnest($2::text[], $3::text[]) as k (hash, key) where b.team_id = $1 and b.sha256 = decode(k.hash, 'hex')`,
    [teamId, page.map(({ hash }) => hash), page.map(({ hash }) => copied.get(hash))],
  );
}

async function storeBytes(
  from: ObjectStore,
  client: pg.ClientBase,
  teamId: number,
  object: StoredObject,
): Promise<void> {
  const content = await readObject(from, object);
  if (!content)
    throw new AppError(
      'CONFLICT',
      `The object store of this instance has lost content of the team (${object.key}). Set BLOB_URL for the other instance, which can take the team without it.`,
    );
  await client.query(
    `update blobs set bytes = $3, object_key = null, object_size = null where team_id = $1 and sha256 = decode($2, 'hex')`,
    [teamId, object.hash, content],
  );
}
