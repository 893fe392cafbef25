/** Files that JMAP clients upload. They are deleted after a day, except in messages that use them. */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { deleteInBatches } from '../../../platform/database/delete-in-batches.ts';
import { AppError } from '../../../platform/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { runYielding } from '../../../platform/concurrency/run-yielding.ts';
import { readBlob, type StoredBlob } from '../../content/stored/read-blob.ts';
import { storeBlobs } from '../../content/stored/store-blobs.ts';
import { uploadBlobs } from '../../content/stored/upload-blobs.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';

const KEEP_FOR = '1 day';
const AT_ONCE = 500;
/** Limits for the uploads of one mailbox in a day. */
const MAX_FILES = 5_000;
const MAX_BYTES = 1024 * 1024 * 1024;

export interface UploadedFile {
  content: Buffer;
  contentType: string;
}

/** Returns the UUID of the upload. */
export async function storeUpload(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  { content, contentType }: UploadedFile,
): Promise<string> {
  const hash = await runYielding(content.length, () => sha256(content));
  const blob = { teamId, hash, content };
  await uploadBlobs(db, [blob]);
  const id = newUuid();
  await inTransaction(db, async (trx) => {
    await storeBlobs(trx, [blob]);
    await sql`
      insert into mail_uploads (team_id, id, mailbox_id, sha256, content_type, size)
      values (${teamId}, ${id}, ${mailboxId}, ${hash}, ${contentType}, ${content.length})
    `.execute(trx);
    // Mark the blob as unused now, because nothing does so when the upload is deleted. Until then, the upload keeps the
    // blob.
    await sql`update blobs set unused_since = now() where team_id = ${teamId} and sha256 = ${hash}`.execute(
      trx,
    );
    const { rows } = await sql<{ files: number; bytes: number }>`
      select count(*) as files, coalesce(sum(size), 0)::bigint as bytes from mail_uploads
      where team_id = ${teamId} and mailbox_id = ${mailboxId}
    `.execute(trx);
    if (rows[0]!.files > MAX_FILES || rows[0]!.bytes > MAX_BYTES)
      throw new AppError('RATE_LIMITED', 'This mailbox has uploaded too much today. Try again tomorrow.');
  });
  return id;
}

/** Null if it does not exist or belongs to another mailbox. */
export async function readUpload(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  id: string,
): Promise<UploadedFile | null> {
  const { rows } = await sql<StoredBlob & CamelRow<'mail_uploads', 'content_type'>>`
    select b.sha256, b.bytes, b.inflated_size as "inflatedSize", b.object_key as "objectKey", u.content_type as "contentType"
    from mail_uploads u join blobs b on b.team_id = u.team_id and b.sha256 = u.sha256
    where u.team_id = ${teamId} and u.mailbox_id = ${mailboxId} and u.id = ${id}
  `.execute(db);
  const row = rows[0];
  return row ? { content: await readBlob(db, row), contentType: row.contentType } : null;
}

export async function dropOldUploads(db: Db): Promise<void> {
  await deleteInBatches(AT_ONCE, async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from mail_uploads where (team_id, id) in (
        select team_id, id from mail_uploads where created_at < now() - ${KEEP_FOR}::interval
        order by created_at limit ${limit}
      )
    `.execute(db);
    return Number(numAffectedRows);
  });
}
