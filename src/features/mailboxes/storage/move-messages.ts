/** Moves messages to another folder of their mailbox. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest, type AppError } from '../../../platform/errors.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { learnFromMove } from './learn-from-move.ts';
import { finishChange } from './change-flags.ts';
import { lockChangeNumber, type MailboxRef } from './change-numbers.ts';
import { requireFolderRow } from './folder-rows.ts';
import { lockThreadsOf } from './refresh-threads.ts';

export interface MovedMessage extends CamelRow<'messages', 'id' | 'thread_id'> {
  /** The previous folder. */
  fromFolder: string;
  fromUid: number;
  /** The UID in the new folder. */
  uid: Row<'messages'>['uid'];
}

export interface MessagesMoved {
  /** Sorted by UID. */
  moved: MovedMessage[];
  modseq: number;
}

/**
 * Ignores messages that do not exist or are already in that folder. With `renumbers`, messages in that folder get a new
 * UID, as IMAP requires. If several clients move the same message, they do so one after the other, and each gets the
 * folder in which it found the message. `byRule`: nobody has looked at the messages, so the spam filter learns nothing.
 */
export async function moveMessages(
  db: Db,
  mailbox: MailboxRef,
  messageIds: readonly string[],
  folder: string,
  { renumbers = false, byRule = false }: { renumbers?: boolean; byRule?: boolean } = {},
): Promise<MessagesMoved> {
  return inTransaction(db, async (trx) => {
    await lockThreadsOf(trx, mailbox, messageIds);
    const modseq = await lockChangeNumber(trx, mailbox);
    if (folder === 'snoozed') throw cannotSnoozeByMoving();
    await requireFolderRow(trx, mailbox, folder);
    const moved = await moveRows(trx, mailbox, messageIds, folder, modseq, renumbers);
    if (moved.length > 0) await finishChange(trx, mailbox, modseq, moved);
    await endSnoozesOf(trx, mailbox, moved);
    if (!byRule) await learnFromMove(trx, mailbox.teamId, moved, folder);
    return { moved, modseq };
  });
}

/** A thread with a message that was moved out of the snoozed ones is not snoozed any more. */
async function endSnoozesOf(trx: Db, { teamId }: MailboxRef, moved: MovedMessage[]): Promise<void> {
  const threadIds = moved.flatMap(({ fromFolder, threadId }) => (fromFolder === 'snoozed' ? [threadId] : []));
  if (threadIds.length === 0) return;
  await sql`
    delete from thread_snoozes
    where team_id = ${teamId} and thread_id = any(${threadIds}::uuid[]) and kind = 'snooze' and user_id is null
  `.execute(trx);
}

/** A snooze has an end, which a move cannot say. */
export function cannotSnoozeByMoving(): AppError {
  return badRequest('Messages cannot be moved to the snoozed folder. Snooze the thread instead.');
}

/** The caller must hold the locks and finish the change. */
export async function moveRows(
  trx: Db,
  { teamId, mailboxId }: MailboxRef,
  messageIds: readonly string[],
  folder: string,
  modseq: number,
  renumbers = false,
): Promise<MovedMessage[]> {
  const { rows } = await sql<MovedMessage>`
    with leaving as materialized (
      select id, thread_id, folder, uid, row_number() over (order by folder, uid) - 1 as nth from messages
      where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = any(${messageIds}::uuid[])
        and (${renumbers} or folder <> ${folder})
    ), place as (
      update folders set next_uid = next_uid + (select count(*) from leaving)
      where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = ${folder}
      returning next_uid - (select count(*) from leaving) as first_uid
    ), logged as (
      insert into vanished_messages (team_id, mailbox_id, modseq, folder, uid, message_id, thread_id)
      select ${teamId}, ${mailboxId}, ${modseq}, folder, uid, id, thread_id from leaving
    ), moved as (
      update messages m set folder = ${folder}, uid = first_uid + nth, modseq = ${modseq}, saved_at = now()
      from leaving, place where m.team_id = ${teamId} and m.id = leaving.id
      returning m.id, m.uid
    )
    select id, thread_id as "threadId", leaving.folder as "fromFolder", leaving.uid as "fromUid", moved.uid
    from leaving join moved using (id) order by moved.uid
  `.execute(trx);
  return rows;
}
