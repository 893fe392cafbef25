/**
 * Reads images for the public. Many recipients fetch the images of a campaign at the same time, so recently used images
 * stay in memory, and requests for the same image share one read.
 */
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { createTeamQueue } from '../../../platform/concurrency/team-queue.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { readBlob } from '../stored/read-blob.ts';
import type { MediaLink } from '../links/links.ts';

type PublicImage = CamelRow<'media', 'name' | 'content_type'> & { read(): Promise<Buffer> };

const CACHE_BYTES = 32 * 1024 * 1024;
/** Limits reads of different images at the same time. Each uses a database connection. */
const readQueue = createTeamQueue({ atOnce: 4, perTeam: 2 });

type ReadMedia = (link: MediaLink) => Promise<PublicImage>;

export function createMediaReader(db: Db): ReadMedia {
  /** Least recently used first. */
  const kept = new Map<string, Buffer>();
  const reading = new Map<string, Promise<Buffer>>();
  let keptBytes = 0;

  function keep(key: string, bytes: Buffer): void {
    kept.set(key, bytes);
    keptBytes += bytes.length;
    for (const [oldest, { length }] of kept) {
      if (keptBytes <= CACHE_BYTES) return;
      kept.delete(oldest);
      keptBytes -= length;
    }
  }

  async function readOnce(link: MediaLink): Promise<Buffer> {
    const key = `${link.teamId} ${link.hash.toString('hex')}`;
    const known = kept.get(key);
    if (known) {
      kept.delete(key);
      kept.set(key, known);
      return known;
    }
    let read = reading.get(key);
    if (!read) {
      read = readQueue(link.teamId, () => readBytes(db, link)).finally(() => reading.delete(key));
      reading.set(key, read);
      void read.then((bytes) => keep(key, bytes)).catch(() => {});
    }
    return read;
  }

  return async (link) => {
    const row = await db
      .selectFrom('media')
      .select(['name', 'content_type as contentType'])
      .where('team_id', '=', link.teamId)
      .where('sha256', '=', link.hash)
      .executeTakeFirst();
    if (!row) throw notFound('Image');
    return { ...row, read: () => readOnce(link) };
  };
}

async function readBytes(db: Db, { teamId, hash }: MediaLink): Promise<Buffer> {
  const blob = await db
    .selectFrom('blobs')
    .select(['sha256', 'bytes', 'inflated_size as inflatedSize', 'object_key as objectKey'])
    .where('team_id', '=', teamId)
    .where('sha256', '=', hash)
    .executeTakeFirst();
  if (!blob) throw notFound('Image');
  return readBlob(db, blob);
}
