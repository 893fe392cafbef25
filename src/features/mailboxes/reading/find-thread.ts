/** Finds a thread that the caller may access, also by the ID of a thread that was merged into it. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import type { MailboxNeed } from '../../api/mailbox-access.ts';
import { reachColumns, requireReachable, type ReachRow } from '../mailboxes/find-mailbox.ts';
import { SHOWN_FOLDER } from './messages.ts';

export interface ThreadRow extends Row<
  'threads',
  | 'id'
  | 'mailbox_id'
  | 'subject'
  | 'participants'
  | 'snippet'
  | 'message_count'
  | 'unread_count'
  | 'starred_count'
  | 'last_message_at'
  | 'muted'
> {
  folder: string;
}

/** Columns of `threads t`. */
export const THREAD_COLUMNS = sql`
  t.id, t.mailbox_id, t.subject, ${SHOWN_FOLDER} as folder, t.participants, t.snippet, t.message_count, t.unread_count,
  t.starred_count, t.last_message_at, t.muted`;

/** `for update` locks the thread until the end of the transaction. */
export async function requireThread(
  db: Db,
  caller: Caller,
  threadId: string,
  lock: 'for update' | 'no lock' = 'no lock',
  need: MailboxNeed = 'read',
): Promise<ThreadRow & ReachRow> {
  const id = decodeId('thr', threadId);
  const { rows } = await sql<ThreadRow & ReachRow>`
    select ${THREAD_COLUMNS}, ${reachColumns(caller)} from threads t
    join mailboxes box on box.team_id = t.team_id and box.id = t.mailbox_id
    where t.team_id = ${caller.teamId} and t.id = coalesce(
      (select into_id from merged_threads where team_id = ${caller.teamId} and id = ${id}), ${id})
    ${lock === 'for update' ? sql`for update of t` : sql``}
  `.execute(db);
  const row = rows[0];
  if (!row) throw notFound('Thread');
  await requireReachable(db, caller, row, 'Thread', need);
  return row;
}
