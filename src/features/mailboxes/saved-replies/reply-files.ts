/** The files of saved replies. The trigger reply_file_gone marks blobs of removed files as unused. */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { readBlob, type StoredBlob } from '../../content/stored/read-blob.ts';
import { storeBlobs } from '../../content/stored/store-blobs.ts';
import { MAX_ATTACHMENTS, MAX_CONTENT_BYTES } from '../../sending/emails/emails.schema.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import type { MailboxNeed } from '../../api/mailbox-access.ts';
import type { StoredFile } from '../storage/store-message.ts';

/** UUIDs. */
export interface ReplyRef {
  teamId: number;
  mailboxId: string;
  replyId: string;
}

interface Named {
  mailboxId: string;
  replyId: string;
}

export async function addReplyFile(
  db: Db,
  caller: Caller,
  named: Named,
  file: StoredFile,
): Promise<ReplyRef> {
  return inTransaction(db, async (trx) => {
    const ref = await lockReply(trx, caller, named, 'reply');
    const { rows } = await sql<{ count: number; bytes: number }>`
      select count(*)::integer as count, coalesce(sum(size), 0)::float8 as bytes
      from saved_reply_files where ${isOf(ref)}
    `.execute(trx);
    const { count, bytes } = rows[0]!;
    if (count >= MAX_ATTACHMENTS)
      throw badRequest(`A saved reply can have at most ${MAX_ATTACHMENTS} files.`);
    if (bytes + file.content.length > MAX_CONTENT_BYTES)
      throw badRequest('Attachments can be at most 25 MiB in total.');
    const hash = sha256(file.content);
    await storeBlobs(trx, [{ ...file, teamId: ref.teamId, hash }]);
    await sql`
      insert into saved_reply_files
        (team_id, mailbox_id, reply_id, no, filename, content_type, content_id, inline, size, sha256)
      values (${ref.teamId}, ${ref.mailboxId}, ${ref.replyId}, ${count}, ${file.filename}, ${file.contentType},
        ${file.contentId}, ${file.inline}, ${file.content.length}, ${hash})
    `.execute(trx);
    await touch(trx, ref);
    return ref;
  });
}

/** The files after it move up by one. */
export async function removeReplyFile(db: Db, caller: Caller, named: Named, n: number): Promise<ReplyRef> {
  return inTransaction(db, async (trx) => {
    const ref = await lockReply(trx, caller, named, 'reply');
    const { rows } = await sql`
      delete from saved_reply_files where ${isOf(ref)} and no = ${n} returning 1
    `.execute(trx);
    if (rows.length === 0) throw notFound('Attachment');
    // This takes two steps, so that no two files have the same number while they are renumbered.
    await sql`update saved_reply_files set no = -no where ${isOf(ref)} and no > ${n}`.execute(trx);
    await sql`update saved_reply_files set no = -no - 1 where ${isOf(ref)} and no < 0`.execute(trx);
    await touch(trx, ref);
    return ref;
  });
}

export async function getReplyFile(db: Db, caller: Caller, named: Named, n: number): Promise<StoredFile> {
  const ref = await lockReply(db, caller, named, 'read');
  const file = (await readReplyFiles(db, ref, n))[0];
  if (!file) throw notFound('Attachment');
  return file;
}

/** Reads all files of a reply, or the one with this number. */
export async function readReplyFiles(db: Db, ref: ReplyRef, n: number | null = null): Promise<StoredFile[]> {
  const { rows } = await sql<Omit<StoredFile, 'content'> & StoredBlob>`
    select f.filename, f.content_type as "contentType", f.content_id as "contentId", f.inline, b.sha256, b.bytes,
      b.inflated_size as "inflatedSize", b.object_key as "objectKey"
    from saved_reply_files f join blobs b on b.team_id = f.team_id and b.sha256 = f.sha256
    where f.team_id = ${ref.teamId} and f.mailbox_id = ${ref.mailboxId} and f.reply_id = ${ref.replyId}
      and (${n}::integer is null or f.no = ${n}::integer)
    order by f.no
  `.execute(db);
  return Promise.all(
    rows.map(async ({ filename, contentType, contentId, inline, ...blob }) => {
      return { filename, contentType, contentId, inline, content: await readBlob(db, blob) };
    }),
  );
}

function isOf({ teamId, mailboxId, replyId }: ReplyRef) {
  return sql`team_id = ${teamId} and mailbox_id = ${mailboxId} and reply_id = ${replyId}`;
}

/** Locks the reply unless it is only read. */
async function lockReply(
  db: Db,
  caller: Caller,
  { mailboxId, replyId }: Named,
  need: MailboxNeed,
): Promise<ReplyRef> {
  const mailbox = await requireMailbox(db, caller, mailboxId, need);
  const { rows } = await sql<Row<'saved_replies', 'id'>>`
    select id from saved_replies
    where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and id = ${decodeId('srp', replyId)}
    ${need === 'read' ? sql`` : sql`for no key update`}
  `.execute(db);
  if (!rows[0]) throw notFound('Saved reply');
  return { teamId: caller.teamId, mailboxId: mailbox.id, replyId: rows[0].id };
}

async function touch(trx: Db, { teamId, mailboxId, replyId }: ReplyRef): Promise<void> {
  await sql`
    update saved_replies set updated_at = now()
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = ${replyId}
  `.execute(trx);
}
