/** Mail that nobody can see any more goes in slices: a mailbox may have held a million messages. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';

const AT_ONCE = 500;
const KEEP_BLOBS_FOR = '1 hour';
const KEEP_EVENTS_FOR = '3 days';

export async function dropMailboxMail(db: Db, teamId: number, mailboxId: string): Promise<void> {
  for (let dropped = AT_ONCE; dropped === AT_ONCE;) dropped = await dropThreads(db, teamId, mailboxId);
  await sql`delete from mailbox_folder_counts where team_id = ${teamId} and mailbox_id = ${mailboxId}`.execute(
    db,
  );
  await sql`delete from mailbox_events where team_id = ${teamId} and mailbox_id = ${mailboxId}`.execute(db);
}

async function dropThreads(db: Db, teamId: number, mailboxId: string): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from threads where team_id = ${teamId} and mailbox_id = ${mailboxId} limit ${AT_ONCE}
  `.execute(db);
  await deleteThreadRows(
    db,
    teamId,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

/** Threads with everything in them. Their bytes are only marked: others may hold the same. */
export async function deleteThreadRows(db: Db, teamId: number, threadIds: string[]): Promise<void> {
  await sql`
    with gone as (
      delete from messages where team_id = ${teamId} and thread_id = any(${threadIds}::uuid[])
      returning id, raw_sha256
    ), named as (
      delete from message_references r using gone where r.team_id = ${teamId} and r.message_id = gone.id
    ), files as (
      delete from message_attachments a using gone where a.team_id = ${teamId} and a.message_id = gone.id
      returning a.sha256
    ), marked as (
      update blobs set unused_since = now() where team_id = ${teamId} and sha256 in (
        select sha256 from files union select raw_sha256 from gone where raw_sha256 is not null)
    ), merged as (
      delete from merged_threads where team_id = ${teamId} and into_id = any(${threadIds}::uuid[])
    )
    delete from threads where team_id = ${teamId} and id = any(${threadIds}::uuid[])
  `.execute(db);
}

export async function dropUnusedBlobs(db: Db): Promise<void> {
  await sql`
    delete from blobs b where b.unused_since < now() - ${KEEP_BLOBS_FOR}::interval
      and not exists (select 1 from messages m where m.team_id = b.team_id and m.raw_sha256 = b.sha256)
      and not exists (select 1 from message_attachments a where a.team_id = b.team_id and a.sha256 = b.sha256)
  `.execute(db);
}

export async function dropOldMailboxEvents(db: Db): Promise<void> {
  await sql`delete from mailbox_events where created_at < now() - ${KEEP_EVENTS_FOR}::interval`.execute(db);
}
