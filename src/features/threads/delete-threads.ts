/** Threads that go for good, from the trash alone: one, several, or all there are. What waited in them never leaves. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { conflict } from '../../platform/errors.ts';
import type { Caller } from '../../platform/route.ts';
import { cancelWaiting } from '../emails/cancel-waiting.ts';
import { deleteThreadRows } from '../mailboxes/drop-mail.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { lockThreads } from './change-threads.ts';
import { noteThreadsChanged } from './events.ts';
import { requireThread } from './find-thread.ts';
import { MAX_AT_ONCE, type ManyThreadsUpdated, type TrashEmptied } from './threads.schema.ts';

/** Of one step, unless a single thread has more. */
const MAX_MESSAGES = 10_000;

export async function deleteThread(db: Db, caller: Caller, threadId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { id, folder, mailbox_id } = await requireThread(trx, caller, threadId, 'for update');
    if (folder !== 'trash') throw conflict('Only a thread in the trash can be deleted. Move it there first.');
    await deleteLocked(trx, caller.teamId, mailbox_id, [id]);
  });
}

/** Those that are in the trash, all of them together; the others are named. */
export async function deleteThreads(
  db: Db,
  caller: Caller,
  mailboxId: string,
  threadIds: readonly string[],
): Promise<ManyThreadsUpdated> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId);
    const found = await lockThreads(trx, caller.teamId, mailbox.id, threadIds);
    const { rows } = await sql<{ id: string }>`
      select id from threads
      where team_id = ${caller.teamId} and id = any(${[...new Set(found.values())]}::uuid[]) and folder = 'trash'
    `.execute(trx);
    const inTrash = new Set(rows.map(({ id }) => id));
    await deleteLocked(trx, caller.teamId, mailbox.id, [...inTrash]);
    const notFound = [...new Set(threadIds)].filter((id) => !inTrash.has(found.get(id) ?? ''));
    return { success: notFound.length === 0, not_found: notFound };
  });
}

/** The oldest first, so many at once that nobody waits long for it. Two callers take different ones. */
export async function emptyTrash(db: Db, caller: Caller, mailboxId: string): Promise<TrashEmptied> {
  return inTransaction(db, async (trx) => {
    const { id: mailbox } = await requireMailbox(trx, caller, mailboxId);
    const { rows } = await sql<{ id: string; message_count: number }>`
      select id, message_count from threads
      where team_id = ${caller.teamId} and mailbox_id = ${mailbox} and folder = 'trash'
      order by last_message_at, id limit ${MAX_AT_ONCE} for update skip locked
    `.execute(trx);
    let messages = 0;
    const some = rows.filter(
      ({ message_count }) => (messages += message_count) - message_count < MAX_MESSAGES,
    );
    const ids = some.map(({ id }) => id);
    await deleteLocked(trx, caller.teamId, mailbox, ids);
    const { rows: counted } = await sql<{ left: number }>`
      select coalesce(sum(threads), 0)::integer as left from mailbox_folder_counts
      where team_id = ${caller.teamId} and mailbox_id = ${mailbox} and folder = 'trash'
    `.execute(trx);
    return { deleted: ids.length, left: counted[0]!.left };
  });
}

async function deleteLocked(trx: Db, teamId: number, mailboxId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const { rows } = await sql<{ email_id: string }>`
    select email_id from messages
    where team_id = ${teamId} and thread_id = any(${ids}::uuid[]) and email_id is not null
  `.execute(trx);
  await cancelWaiting(
    trx,
    teamId,
    rows.map(({ email_id }) => email_id),
  );
  await deleteThreadRows(trx, teamId, ids);
  await noteThreadsChanged(trx, teamId, mailboxId, ids);
}
