/** Bytes of messages and files, kept once in a team by their content. */
import { statement, together, type Db } from '../../platform/database.ts';

export interface NewBlob {
  teamId: number;
  hash: Buffer;
  content: Buffer;
}

/** Of one statement, unless a single blob is larger. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * In one order, so that two messages with the same files do not block each other. The bytes of one statement go as one
 * parameter that is cut there: a list of byte strings would be sent as hexadecimal text.
 */
export async function storeBlobs(trx: Db, blobs: NewBlob[]): Promise<void> {
  const byKey = new Map(blobs.map((blob) => [`${blob.teamId} ${blob.hash.toString('hex')}`, blob]));
  const inserts: Promise<void>[] = [];
  let some: NewBlob[] = [];
  let bytes = 0;
  for (const [, blob] of [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (bytes > 0 && bytes + blob.content.length > MAX_BYTES) {
      inserts.push(insertBlobs(trx, some));
      some = [];
      bytes = 0;
    }
    some.push(blob);
    bytes += blob.content.length;
  }
  if (some.length > 0) inserts.push(insertBlobs(trx, some));
  await together(...inserts);
}

async function insertBlobs(trx: Db, blobs: NewBlob[]): Promise<void> {
  let end = 0;
  const starts = blobs.map(({ content }) => (end += content.length) - content.length + 1);
  const contents = blobs.map(({ content }) => content);
  await statement(trx)`
    insert into blobs (team_id, sha256, bytes)
    select team_id, decode(hash, 'hex'), substring(${contents.length === 1 ? contents[0] : Buffer.concat(contents)}::bytea, start, size)
    from unnest(${blobs.map(({ teamId }) => teamId)}::integer[], ${blobs.map(({ hash }) => hash.toString('hex'))}::text[],
      ${starts}::integer[], ${contents.map(({ length }) => length)}::integer[])
      with ordinality as b (team_id, hash, start, size, no)
    order by no
    on conflict (team_id, sha256) do update set unused_since = null`;
}
