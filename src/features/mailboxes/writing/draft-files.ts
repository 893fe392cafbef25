/**
 * The files of a draft. Each is stored once, when it is added; saving the text does not change them. Blobs of removed
 * files are only marked as unused, because other messages may share them.
 */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { MAX_ATTACHMENTS, MAX_CONTENT_BYTES } from '../../sending/emails/emails.schema.ts';
import { readBlob, type StoredBlob } from '../../content/stored/read-blob.ts';
import { storeBlobs } from '../../content/stored/store-blobs.ts';
import type { StoredFile } from '../storage/store-message.ts';

export async function filesOfDraft(
  trx: Db,
  teamId: number,
  draft: { id: string } | null,
): Promise<StoredFile[]> {
  if (!draft) return [];
  const { rows } = await sql<Omit<StoredFile, 'content'> & StoredBlob>`
    select a.filename, a.content_type as "contentType", a.content_id as "contentId", a.inline, b.sha256, b.bytes,
      b.inflated_size as "inflatedSize", b.object_key as "objectKey"
    from message_attachments a join blobs b on b.team_id = a.team_id and b.sha256 = a.sha256
    where a.team_id = ${teamId} and a.message_id = ${draft.id} order by a.no
  `.execute(trx);
  return Promise.all(
    rows.map(async ({ filename, contentType, contentId, inline, ...blob }) => {
      return { filename, contentType, contentId, inline, content: await readBlob(trx, blob) };
    }),
  );
}

export async function addFile(trx: Db, teamId: number, draftId: string, file: StoredFile): Promise<void> {
  const { rows } = await sql<{ count: number; bytes: number }>`
    select count(*) as count, coalesce(sum(size), 0) as bytes from message_attachments
    where team_id = ${teamId} and message_id = ${draftId}
  `.execute(trx);
  const { count, bytes } = rows[0]!;
  if (count >= MAX_ATTACHMENTS) throw badRequest(`A draft can have at most ${MAX_ATTACHMENTS} files.`);
  if (bytes + file.content.length > MAX_CONTENT_BYTES)
    throw badRequest('Attachments can be at most 25 MiB in total.');
  await appendFiles(trx, teamId, draftId, [file], count);
}

export async function removeFile(trx: Db, teamId: number, draftId: string, n: number): Promise<void> {
  const own = sql`team_id = ${teamId} and message_id = ${draftId}`;
  const { rows } = await sql`
    with gone as (
      delete from message_attachments where ${own} and no = ${n} returning sha256
    ), marked as (
      update blobs set unused_since = now() where team_id = ${teamId} and sha256 in (select sha256 from gone)
    )
    select 1 from gone
  `.execute(trx);
  if (rows.length === 0) throw notFound('Attachment');
  // This takes two steps, so that no two files have the same number while they are renumbered.
  await sql`update message_attachments set no = -no where ${own} and no > ${n}`.execute(trx);
  await sql`update message_attachments set no = -no - 1 where ${own} and no < 0`.execute(trx);
  await countFiles(trx, teamId, draftId);
}

export async function replaceFiles(
  trx: Db,
  teamId: number,
  draftId: string,
  files: StoredFile[],
): Promise<void> {
  await sql`
    with gone as (
      delete from message_attachments where team_id = ${teamId} and message_id = ${draftId} returning sha256
    )
    update blobs set unused_since = now() where team_id = ${teamId} and sha256 in (select sha256 from gone)
  `.execute(trx);
  await appendFiles(trx, teamId, draftId, files, 0);
}

async function appendFiles(
  trx: Db,
  teamId: number,
  draftId: string,
  files: StoredFile[],
  firstNo: number,
): Promise<void> {
  const hashed = files.map((file) => ({ ...file, teamId, hash: sha256(file.content) }));
  await storeBlobs(trx, hashed);
  for (const [at, { filename, contentType, contentId, inline, content, hash }] of hashed.entries()) {
    await sql`
      insert into message_attachments (team_id, message_id, no, filename, content_type, content_id, inline, size, sha256)
      values (${teamId}, ${draftId}, ${firstNo + at}, ${filename}, ${contentType}, ${contentId}, ${inline},
        ${content.length}, ${hash})
    `.execute(trx);
  }
  await countFiles(trx, teamId, draftId);
}

async function countFiles(trx: Db, teamId: number, draftId: string): Promise<void> {
  await sql`
    update messages set attachment_count = (
      select count(*) from message_attachments where team_id = ${teamId} and message_id = ${draftId})
    where team_id = ${teamId} and id = ${draftId}
  `.execute(trx);
}
