/** Deletes threads permanently, only from the trash. Scheduled messages in them are cancelled. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict } from '../../../platform/errors.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { cancelWaiting } from '../../sending/emails/cancel-waiting.ts';
import { deleteThreadRows } from '../mailboxes/drop-mail.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { lockThreads } from './change-threads.ts';
import { lockChangeNumber, storeChangeNumber, type MailboxRef } from '../storage/change-numbers.ts';
import { deleteMessageRows, expungeMessages } from '../storage/expunge-messages.ts';
import { recordThreadChanges } from '../../events/live-updates.ts';
import { requireThread } from './find-thread.ts';
import { MAX_AT_ONCE, type ManyThreadsUpdated, type TrashEmptied } from './threads.schema.ts';

/** Messages per request. A single thread may have more. */
const MAX_MESSAGES = 10_000;

export async function deleteThread(db: Db, caller: Caller, threadId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { id, folder, mailbox_id } = await requireThread(trx, caller, threadId, 'for update', 'reply');
    if (folder !== 'trash')
      throw conflict('Only threads in the trash can be deleted. Move the thread to the trash first.');
    await deleteLocked(trx, { teamId: caller.teamId, mailboxId: mailbox_id }, [id]);
  });
}

/** Deletes all threads that are in the trash in one transaction and returns the IDs of the others. */
export async function deleteThreads(
  db: Db,
  caller: Caller,
  mailboxId: string,
  threadIds: readonly string[],
): Promise<ManyThreadsUpdated> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'reply');
    const found = await lockThreads(trx, caller.teamId, mailbox.id, threadIds);
    const { rows } = await sql<Row<'threads', 'id'>>`
      select id from threads
      where team_id = ${caller.teamId} and id = any(${[...new Set(found.values())]}::uuid[]) and folder = 'trash'
    `.execute(trx);
    const inTrash = new Set(rows.map(({ id }) => id));
    await deleteLocked(trx, { teamId: caller.teamId, mailboxId: mailbox.id }, [...inTrash]);
    const notFound = [...new Set(threadIds)].filter((id) => !inTrash.has(found.get(id) ?? ''));
    return { success: notFound.length === 0, not_found: notFound };
  });
}

/** Deletes a limited batch, oldest first, to keep the transaction short. Concurrent callers take different threads. */
export async function emptyTrash(db: Db, caller: Caller, mailboxId: string): Promise<TrashEmptied> {
  const { id } = await requireMailbox(db, caller, mailboxId, 'reply');
  const mailbox = { teamId: caller.teamId, mailboxId: id };
  const result = await inTransaction(db, async (trx) => {
    const { rows } = await sql<Row<'threads', 'id' | 'message_count'>>`
      select id, message_count from threads
      where team_id = ${caller.teamId} and mailbox_id = ${id} and folder = 'trash'
      order by last_message_at, id limit ${MAX_AT_ONCE} for update skip locked
    `.execute(trx);
    let messages = 0;
    const batch = rows.filter(
      ({ message_count }) => (messages += message_count) - message_count < MAX_MESSAGES,
    );
    const ids = batch.map((thread) => thread.id);
    await deleteLocked(trx, mailbox, ids);
    const { rows: counted } = await sql<{ left: number }>`
      select coalesce(sum(threads), 0)::integer as left from mailbox_folder_counts
      where team_id = ${caller.teamId} and mailbox_id = ${id} and folder = 'trash'
    `.execute(trx);
    return { deleted: ids.length, left: counted[0]!.left };
  });
  if (result.left === 0) await deleteSingleMessages(db, mailbox);
  return result;
}

/** Deletes messages in the trash whose threads have other messages elsewhere. */
async function deleteSingleMessages(db: Db, mailbox: MailboxRef): Promise<void> {
  for (let found = MAX_MESSAGES; found === MAX_MESSAGES;) {
    const { rows } = await sql<Row<'messages', 'id'>>`
      select id from messages
      where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and folder = 'trash' limit ${MAX_MESSAGES}
    `.execute(db);
    found = rows.length;
    if (found === 0) return;
    const ids = rows.map(({ id }) => id);
    await expungeMessages(db, mailbox, ids, { inFolder: 'trash' });
  }
}

async function deleteLocked(trx: Db, mailbox: MailboxRef, threadIds: string[]): Promise<void> {
  if (threadIds.length === 0) return;
  const { teamId } = mailbox;
  const { rows } = await sql<Row<'messages', 'id' | 'email_id'>>`
    select id, email_id from messages where team_id = ${teamId} and thread_id = any(${threadIds}::uuid[])
  `.execute(trx);
  await cancelWaiting(
    trx,
    teamId,
    rows.flatMap(({ email_id }) => email_id ?? []),
  );
  const modseq = await lockChangeNumber(trx, mailbox);
  await storeChangeNumber(trx, mailbox, modseq);
  const messageIds = rows.map(({ id }) => id);
  await deleteMessageRows(trx, mailbox, messageIds, modseq);
  await deleteThreadRows(trx, teamId, threadIds);
  await recordThreadChanges(trx, teamId, mailbox.mailboxId, threadIds);
}
