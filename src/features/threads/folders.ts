/** How much stands in each folder. The folders are kept counts; the views hold little, and are counted. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';
import type { Caller } from '../../platform/route.ts';
import { WAITS_IN_MAILBOX } from '../emails/waiting.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import type { FolderCount, FolderOrView } from './threads.schema.ts';

const ORDER: FolderOrView[] = ['inbox', 'archive', 'trash', 'spam', 'sent', 'drafts', 'scheduled'];

export async function countFolders(db: Db, caller: Caller, mailboxId: string): Promise<FolderCount[]> {
  const { id } = await requireMailbox(db, caller, mailboxId);
  const own = sql`team_id = ${caller.teamId} and mailbox_id = ${id} and direction = 'out'`;
  const { rows } = await sql<FolderCount>`
    select folder, sum(unread)::bigint as unread, sum(threads)::bigint as total from mailbox_folder_counts
    where team_id = ${caller.teamId} and mailbox_id = ${id} and folder <> 'sent' group by folder
    union all
    select 'drafts', 0, count(*) from messages where ${own} and email_id is null
    union all
    select 'scheduled', 0, count(*) from emails e
    join messages m on m.team_id = e.team_id and m.email_id = e.id and m.mailbox_id = ${id}
    where e.team_id = ${caller.teamId} and ${WAITS_IN_MAILBOX}
    union all
    select 'sent', 0, count(*) from messages where ${own} and email_id is not null
  `.execute(db);
  const countOf = new Map(rows.map((row) => [row.folder, row]));
  const waiting = countOf.get('scheduled')!.total;
  countOf.get('sent')!.total -= waiting;
  return ORDER.map((folder) => countOf.get(folder) ?? { folder, unread: 0, total: 0 });
}
