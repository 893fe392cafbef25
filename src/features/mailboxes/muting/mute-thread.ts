/**
 * Mutes conversations that concern nobody here any more. Such a conversation leaves the inbox, and its new messages go to
 * the archive instead (receive.ts), unread and without a notification. Rules that move messages still do.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { recordHappening } from '../activity/record-happening.ts';
import { requireThread } from '../reading/find-thread.ts';
import { presentThread } from '../reading/present-thread.ts';
import type { Thread } from '../reading/threads.schema.ts';
import { moveMessages } from '../storage/move-messages.ts';

/** Unmuting leaves the thread where it is. */
export async function setMuted(db: Db, caller: Caller, threadId: string, isMuted: boolean): Promise<Thread> {
  return inTransaction(db, async (trx) => {
    const { teamId } = caller;
    const thread = await requireThread(trx, caller, threadId, 'for update', 'reply');
    const ref = { mailboxId: thread.mailbox_id, threadId: thread.id };
    if (isMuted) await archiveShown(trx, teamId, ref);
    if (thread.muted !== isMuted) {
      await sql`
        update threads set muted = ${isMuted} where team_id = ${teamId} and id = ${thread.id}
      `.execute(trx);
      await recordHappening(trx, caller, ref, { type: isMuted ? 'muted' : 'unmuted', event: null });
    }
    return presentThread(trx, caller, await requireThread(trx, caller, threadId));
  });
}

/** Moving snoozed messages ends their snooze. */
async function archiveShown(
  trx: Db,
  teamId: number,
  { mailboxId, threadId }: { mailboxId: string; threadId: string },
): Promise<void> {
  const { rows } = await sql<Row<'messages', 'id'>>`
    select id from messages
    where team_id = ${teamId} and thread_id = ${threadId} and folder in ('inbox', 'snoozed')
  `.execute(trx);
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await moveMessages(trx, { teamId, mailboxId }, ids, 'archive');
}
