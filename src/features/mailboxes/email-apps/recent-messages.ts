/**
 * Messages that are \Recent in IMAP4rev1 (RFC 3501 section 2.3.2): those that no session has been notified of. A
 * session that opens the folder for writing claims them, so exactly one session gets each of them.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import type { FolderRow } from '../storage/folder-rows.ts';

/** UIDs; both ends are included. */
export interface RecentRange {
  from: number;
  to: number;
}

/** Null if other sessions have claimed all messages. The range may include messages unknown to this session. */
export async function claimRecent(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  folderId: string,
): Promise<RecentRange | null> {
  const { rows } = await sql<RecentRange>`
    update folders f set first_recent_uid = f.next_uid
    from (
      select first_recent_uid from folders
      where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = ${folderId} and first_recent_uid < next_uid
      for update
    ) before
    where f.team_id = ${teamId} and f.mailbox_id = ${mailboxId} and f.id = ${folderId}
    returning before.first_recent_uid as "from", f.next_uid - 1 as "to"
  `.execute(db);
  return rows[0] ?? null;
}

/** Returns how many messages no session has claimed. */
export async function countRecent(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  { id, firstRecentUid, nextUid }: FolderRow,
): Promise<number> {
  if (firstRecentUid >= nextUid) return 0;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from messages
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and folder = ${id} and uid >= ${firstRecentUid}
  `.execute(db);
  return rows[0]!.count;
}
