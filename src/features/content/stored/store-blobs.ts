/** Stores the bytes of messages and files, once per team and content, in the database or in the object store. */
import { sql } from 'kysely';
import { statement, runTogether, type Db } from '../../../platform/database/database.ts';
import { objectStoreOf } from '../../../platform/object-store/object-store-of.ts';
import { storedForm } from './compress-source.ts';
import { findUpload, isLargeBlob, keyOfBlob, keysOf, upload, type NewBlob } from './upload-blobs.ts';

/** Bytes per statement. A single blob may be larger. */
const MAX_BYTES = 4 * 1024 * 1024;
const NO_FORM = { bytes: Buffer.alloc(0), inflatedSize: null };

/** Inserts in a fixed order, so that two messages with the same files do not deadlock. */
export async function storeBlobs(trx: Db, blobs: NewBlob[]): Promise<void> {
  const byKey = new Map(blobs.map((blob) => [keyOfBlob(blob), blob]));
  const sorted = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, blob]) => blob);
  const store = objectStoreOf(trx);
  const large = store ? sorted.filter((blob) => isLargeBlob(blob) && findUpload(blob) === null) : [];
  if (!store || large.length === 0) return insertInBatches(trx, sorted);
  const known = await reuseBlobs(trx, large);
  await upload(
    store,
    large.filter((blob) => !known.has(keyOfBlob(blob))),
  );
  await insertInBatches(
    trx,
    sorted.filter((blob) => !known.has(keyOfBlob(blob))),
  );
}

/** Locks the blobs that exist, so that they are not deleted. Returns their keys. */
async function reuseBlobs(trx: Db, blobs: NewBlob[]): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`
    with known as materialized (
      select b.team_id, b.sha256 from blobs b
      join ${keysOf(blobs)} on b.team_id = k.team_id and b.sha256 = decode(k.hash, 'hex')
      order by b.team_id || ' ' || k.hash for update of b
    )
    update blobs b set unused_since = null from known where b.team_id = known.team_id and b.sha256 = known.sha256
    returning b.team_id || ' ' || encode(b.sha256, 'hex') as key
  `.execute(trx);
  return new Set(rows.map(({ key }) => key));
}

async function insertInBatches(trx: Db, blobs: NewBlob[]): Promise<void> {
  const inserts: Promise<void>[] = [];
  let batch: InsertedBlob[] = [];
  let bytes = 0;
  for (const blob of blobs) {
    const objectKey = findUpload(blob);
    const form = objectKey === null ? storedForm(blob.content) : NO_FORM;
    const inRow = form.bytes;
    if (bytes > 0 && bytes + inRow.length > MAX_BYTES) {
      inserts.push(insertBlobs(trx, batch));
      batch = [];
      bytes = 0;
    }
    batch.push({ ...blob, objectKey, inRow, inflatedSize: form.inflatedSize });
    bytes += inRow.length;
  }
  if (batch.length > 0) inserts.push(insertBlobs(trx, batch));
  await runTogether(...inserts);
}

interface InsertedBlob extends NewBlob {
  objectKey: string | null;
  /** Empty if the content is in the object store. */
  inRow: Buffer;
  /** Null unless `inRow` is compressed. */
  inflatedSize: number | null;
}

/** Sends the bytes as one parameter, which the statement splits, because an array would be sent as hex text. */
async function insertBlobs(trx: Db, blobs: InsertedBlob[]): Promise<void> {
  let end = 0;
  const starts = blobs.map(({ inRow }) => (end += inRow.length) - inRow.length + 1);
  const contents = blobs.map(({ inRow }) => inRow);
  await statement(trx)`
    insert into blobs (team_id, sha256, bytes, inflated_size, object_key, object_size)
    select team_id, decode(hash, 'hex'),
      case when object_key is null
        then substring(${contents.length === 1 ? contents[0] : Buffer.concat(contents)}::bytea, start, stored_size) end,
      inflated_size, object_key, case when object_key is not null then size end
    from unnest(${blobs.map(({ teamId }) => teamId)}::integer[], ${blobs.map(({ hash }) => hash.toString('hex'))}::text[],
      ${starts}::integer[], ${blobs.map(({ inRow }) => inRow.length)}::integer[],
      ${blobs.map(({ inflatedSize }) => inflatedSize)}::integer[],
      ${blobs.map(({ content }) => content.length)}::integer[],
      ${blobs.map(({ objectKey }) => objectKey)}::text[])
      with ordinality as b (team_id, hash, start, stored_size, inflated_size, size, object_key, no)
    order by no
    on conflict (team_id, sha256) do update set unused_since = null`;
}
