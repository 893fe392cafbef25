/**
 * Counts the threads of each folder for Mailbox/get. Counting reads all messages of the mailbox, so the numbers are
 * cached until the mailbox changes.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { readChangeNumber } from '../storage/list-changes.ts';

export interface ThreadCounts {
  /** Threads that have a message in the folder. */
  total: number;
  /** Threads among these that have an unread message in any folder. */
  unread: number;
  unreadDrafts: number;
}

const kept = new Map<string, { modseq: number; counts: Map<string, ThreadCounts> }>();
const MAX_KEPT = 1_000;

/** Returns the counts by folder. Folders without messages are missing. */
export async function countThreads(db: Db, mailbox: MailboxRef): Promise<Map<string, ThreadCounts>> {
  const { mailboxId } = mailbox;
  // The change number is read first. Later changes have a higher one, so the threads are then counted again.
  const { modseq } = await readChangeNumber(db, mailbox);
  const known = kept.get(mailboxId);
  kept.delete(mailboxId);
  const counts = known?.modseq === modseq ? known.counts : await countAll(db, mailbox);
  kept.set(mailboxId, { modseq, counts });
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_KEPT) break;
    kept.delete(oldest);
  }
  return counts;
}

async function countAll(db: Db, { teamId, mailboxId }: MailboxRef): Promise<Map<string, ThreadCounts>> {
  const { rows } = await sql<{ folder: Row<'messages'>['folder'] } & ThreadCounts>`
    with unread as materialized (
      select distinct thread_id from messages
      where team_id = ${teamId} and mailbox_id = ${mailboxId} and not read and not draft
    )
    select t.folder, count(*) as total, count(u.thread_id) as unread, sum(t.drafts)::bigint as "unreadDrafts"
    from (
      select folder, thread_id, count(*) filter (where not read and draft) as drafts from messages
      where team_id = ${teamId} and mailbox_id = ${mailboxId} group by folder, thread_id
    ) t left join unread u on u.thread_id = t.thread_id
    group by t.folder
  `.execute(db);
  return new Map(rows.map(({ folder, ...counts }) => [folder, counts]));
}
