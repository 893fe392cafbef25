/** Presents threads with what the team knows about them. */
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Caller } from '../../api/caller.ts';
import { readTeamwork } from './read-teamwork.ts';
import { NO_TEAMWORK, type ThreadTeamwork } from './thread-teamwork.schema.ts';
import type { ThreadRow } from './find-thread.ts';
import type { Thread } from './threads.schema.ts';

export async function presentThreads(db: Db, caller: Caller, rows: readonly ThreadRow[]): Promise<Thread[]> {
  const teamwork = await readTeamwork(
    db,
    caller,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toThread(row, teamwork.get(row.id) ?? NO_TEAMWORK));
}

export async function presentThread(db: Db, caller: Caller, row: ThreadRow): Promise<Thread> {
  return (await presentThreads(db, caller, [row]))[0]!;
}

function toThread(row: ThreadRow, teamwork: ThreadTeamwork): Thread {
  return {
    id: encodeId('thr', row.id),
    mailbox_id: encodeId('mbx', row.mailbox_id),
    subject: row.subject,
    folder: row.folder,
    unread: row.unread_count > 0,
    starred: row.starred_count > 0,
    muted: row.muted,
    message_count: row.message_count,
    participants: row.participants,
    snippet: row.snippet,
    last_message_at: row.last_message_at.toISOString(),
    ...teamwork,
  };
}
