/** Deletes the mail of deleted mailboxes in batches, because a mailbox may have a million messages. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { deleteParts } from '../storage/message-parts.ts';
import { deleteObjects } from '../../content/stored/sweep-objects.ts';
import { deleteInBatches } from '../../../platform/database/delete-in-batches.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';

const BATCH_SIZE = 500;
const BLOBS_AT_ONCE = 100;
const EVENTS_AT_ONCE = 2_000;
const KEEP_BLOBS_FOR = '1 hour';
const KEEP_EVENTS_FOR = '3 days';
/** A client that was offline for longer must synchronise from the start. */
const KEEP_VANISHED_FOR = '60 days';

export async function dropMailboxMail(db: Db, teamId: number, mailboxId: string): Promise<void> {
  for (let dropped = BATCH_SIZE; dropped === BATCH_SIZE;) dropped = await dropThreads(db, teamId, mailboxId);
  await sql`delete from mailbox_folder_counts where team_id = ${teamId} and mailbox_id = ${mailboxId}`.execute(
    db,
  );
  const own = sql`team_id = ${teamId} and mailbox_id = ${mailboxId}`;
  await sql`delete from mailbox_events where ${own}`.execute(db);
  await sql`delete from vanished_messages where ${own}`.execute(db);
  await sql`delete from search_grams where ${own}`.execute(db);
  await sql`delete from folders where ${own}`.execute(db);
  await sql`delete from mailbox_change_numbers where ${own}`.execute(db);
}

async function dropThreads(db: Db, teamId: number, mailboxId: string): Promise<number> {
  const { rows } = await sql<Row<'threads', 'id'>>`
    select id from threads where team_id = ${teamId} and mailbox_id = ${mailboxId} limit ${BATCH_SIZE}
  `.execute(db);
  await deleteThreadRows(
    db,
    teamId,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

/** Deletes threads with all their rows. Blobs are only marked as unused, because other messages may share them. */
export async function deleteThreadRows(db: Db, teamId: number, threadIds: string[]): Promise<void> {
  await sql`
    with deleted as (
      delete from messages where team_id = ${teamId} and thread_id = any(${threadIds}::uuid[])
      returning id, raw_sha256
    ), ${deleteParts(teamId)}, merged as (
      delete from merged_threads where team_id = ${teamId} and into_id = any(${threadIds}::uuid[])
    )
    delete from threads where team_id = ${teamId} and id = any(${threadIds}::uuid[])
  `.execute(db);
}

export async function dropUnusedBlobs(db: Db): Promise<void> {
  const isOld = sql`b.unused_since < now() - ${KEEP_BLOBS_FOR}::interval`;
  const isUnused = sql`
    not exists (select 1 from messages m where m.team_id = b.team_id and m.raw_sha256 = b.sha256)
    and not exists (select 1 from message_attachments a where a.team_id = b.team_id and a.sha256 = b.sha256)
    and not exists (select 1 from email_content_parts p where p.team_id = b.team_id and p.sha256 = b.sha256)
    and not exists (select 1 from mail_uploads u where u.team_id = b.team_id and u.sha256 = b.sha256)
    and not exists (select 1 from media i where i.team_id = b.team_id and i.sha256 = b.sha256)
    and not exists (select 1 from saved_reply_files f where f.team_id = b.team_id and f.sha256 = b.sha256)`;
  await deleteInBatches(BLOBS_AT_ONCE, async (limit) => {
    // The conditions are repeated, because a blob may have been used again since the selection.
    const { rows } = await sql<CamelRow<'blobs', 'object_key'>>`
      delete from blobs b using (
        select team_id, sha256 from blobs b where ${isOld} and ${isUnused} order by unused_since limit ${limit}
      ) old
      where b.team_id = old.team_id and b.sha256 = old.sha256 and ${isOld} and ${isUnused}
      returning b.object_key as "objectKey"
    `.execute(db);
    await deleteObjects(
      db,
      rows.flatMap(({ objectKey }) => objectKey ?? []),
    );
    return rows.length;
  });
}

/** Trims the log of vanished messages, and stores the change number up to which it was trimmed. */
export async function dropOldVanished(db: Db): Promise<void> {
  await deleteInBatches(EVENTS_AT_ONCE, async (limit) => {
    const { rows } = await sql<{ count: number }>`
      with gone as (
        delete from vanished_messages where (team_id, mailbox_id, modseq, folder, uid) in (
          select team_id, mailbox_id, modseq, folder, uid from vanished_messages
          where created_at < now() - ${KEEP_VANISHED_FOR}::interval order by created_at limit ${limit}
        )
        returning team_id, mailbox_id, modseq
      ), noted as (
        update mailbox_change_numbers c set forgotten_modseq = greatest(c.forgotten_modseq, trimmed.modseq)
        from (select team_id, mailbox_id, max(modseq) as modseq from gone group by team_id, mailbox_id) trimmed
        where c.team_id = trimmed.team_id and c.mailbox_id = trimmed.mailbox_id
      )
      select count(*) as count from gone
    `.execute(db);
    return rows[0]!.count;
  });
}

export async function dropOldMailboxEvents(db: Db): Promise<void> {
  await deleteInBatches(EVENTS_AT_ONCE, async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from mailbox_events where (team_id, mailbox_id, id) in (
        select team_id, mailbox_id, id from mailbox_events where created_at < now() - ${KEEP_EVENTS_FOR}::interval
        order by created_at limit ${limit}
      )
    `.execute(db);
    return Number(numAffectedRows);
  });
}
