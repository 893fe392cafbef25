/**
 * The media library has the images of a team for its emails. The bytes are blobs, and uploading an image again returns
 * the existing one.
 */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { onPage, readPageStart, toPage, type Page, type PageRequest } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { runYielding } from '../../../platform/concurrency/run-yielding.ts';
import type { Facts } from '../../instance/facts.ts';
import { storeBlobs } from '../stored/store-blobs.ts';
import { publicLinksOf } from '../links/links.ts';
import { nameImage } from './name-image.ts';
import type { Media, SentImage } from './media.schema.ts';

const COLUMNS = ['id', 'sha256', 'name', 'content_type', 'width', 'height', 'size', 'created_at'] as const;

type MediaRow = Row<'media', (typeof COLUMNS)[number]>;

export async function storeMedia(
  db: Db,
  teamId: number,
  facts: Facts,
  image: SentImage & { name?: string | undefined },
): Promise<Media> {
  const { content, contentType, width, height } = image;
  const hash = await runYielding(content.length, () => sha256(content));
  return inTransaction(db, async (trx) => {
    await storeBlobs(trx, [{ teamId, hash, content }]);
    const row = await trx
      .insertInto('media')
      .values({
        team_id: teamId,
        id: newUuid(),
        sha256: hash,
        name: image.name ?? nameImage(image.filename, contentType),
        content_type: contentType,
        width,
        height,
        size: content.length,
      })
      // This changes nothing, but makes the statement return the row.
      .onConflict((conflict) => conflict.columns(['team_id', 'sha256']).doUpdateSet({ sha256: hash }))
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
    return present(row, teamId, facts);
  });
}

export async function getMedia(db: Db, teamId: number, facts: Facts, mediaId: string): Promise<Media> {
  const row = await db
    .selectFrom('media')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .where('id', '=', mediaKey(mediaId))
    .executeTakeFirst();
  if (!row) throw notFound('Image');
  return present(row, teamId, facts);
}

export async function listMedia(
  db: Db,
  teamId: number,
  facts: Facts,
  page: PageRequest,
): Promise<Page<Media>> {
  const start = readPageStart('med', page);
  const rows = await db
    .selectFrom('media')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .$call(onPage(start, page))
    .execute();
  return toPage(rows, page, (row) => present(row, teamId, facts));
}

/** The bytes are only marked as unused, because an attachment may share them. They are deleted within hours. */
export async function deleteMedia(db: Db, teamId: number, mediaId: string): Promise<void> {
  const { rows } = await sql`
    with deleted as (
      delete from media where team_id = ${teamId} and id = ${mediaKey(mediaId)} returning sha256
    ), marked as (
      update blobs set unused_since = now() where team_id = ${teamId} and sha256 in (select sha256 from deleted)
    )
    select 1 from deleted
  `.execute(db);
  if (rows.length === 0) throw notFound('Image');
}

function mediaKey(mediaId: string): string {
  const key = decodeId('med', mediaId);
  if (!key) throw notFound('Image');
  return key;
}

function present(row: MediaRow, teamId: number, facts: Facts): Media {
  return {
    id: encodeId('med', row.id),
    url: publicLinksOf(facts).media({ teamId, hash: row.sha256 }),
    name: row.name,
    contentType: row.content_type,
    width: row.width,
    height: row.height,
    size: row.size,
    createdAt: row.created_at.toISOString(),
  };
}
