/** Moves threads and marks them as read or unread, with all their messages. */
import { recordMoves } from './record-moves.ts';
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { changeFlags } from '../storage/change-flags.ts';
import { moveMessages } from '../storage/move-messages.ts';
import { needToChange } from './change-message.ts';
import { requireThread } from './find-thread.ts';
import type { ManyThreadsUpdate, ManyThreadsUpdated, ThreadUpdate } from './threads.schema.ts';

export async function updateThread(
  db: Db,
  caller: Caller,
  threadId: string,
  update: ThreadUpdate,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { id, mailbox_id } = await requireThread(trx, caller, threadId, 'for update', needToChange(update));
    await changeThreads(trx, caller, mailbox_id, [id], update);
  });
}

/** Changes all threads that exist in one transaction and returns the IDs of the others. */
export async function updateThreads(
  db: Db,
  caller: Caller,
  mailboxId: string,
  { ids, ...update }: ManyThreadsUpdate,
): Promise<ManyThreadsUpdated> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, needToChange(update));
    const found = await lockThreads(trx, caller.teamId, mailbox.id, ids);
    await changeThreads(trx, caller, mailbox.id, [...new Set(found.values())], update);
    const notFound = [...new Set(ids)].filter((id) => !found.has(id));
    return { success: notFound.length === 0, not_found: notFound };
  });
}

/**
 * Locks the threads in the order of their IDs and maps each public ID to its row. The ID of a merged thread maps to
 * the thread it was merged into.
 */
export async function lockThreads(
  trx: Db,
  teamId: number,
  mailboxId: string,
  threadIds: readonly string[],
): Promise<Map<string, string>> {
  const keyOf = new Map<string, string>();
  for (const threadId of threadIds) {
    const key = decodeId('thr', threadId);
    if (key) keyOf.set(threadId, key);
  }
  const { rows } = await sql<Row<'threads', 'id'> & { requested: string }>`
    with requested as (
      select a.id as requested, coalesce(into_id, a.id) as id from unnest(${[...keyOf.values()]}::uuid[]) as a (id)
      left join merged_threads m on m.team_id = ${teamId} and m.id = a.id
    ), locked as materialized (
      select t.id from threads t
      where t.team_id = ${teamId} and t.mailbox_id = ${mailboxId} and t.id in (select requested.id from requested)
      order by t.id for update
    )
    select requested.requested, requested.id from requested join locked using (id)
  `.execute(trx);
  const rowOf = new Map(rows.map(({ requested, id }) => [requested, id]));
  return new Map(
    [...keyOf].flatMap(([threadId, key]) => (rowOf.has(key) ? [[threadId, rowOf.get(key)!]] : [])),
  );
}

/** Changes all messages of the threads. The caller must have locked the threads. */
async function changeThreads(
  trx: Db,
  caller: Caller,
  mailboxId: string,
  threadIds: string[],
  { read, folder, starred }: ThreadUpdate,
): Promise<void> {
  const mailbox = { teamId: caller.teamId, mailboxId };
  const { rows } = await sql<Row<'messages', 'id'> & { is_newest: boolean }>`
    select id, row_number() over (partition by thread_id order by created_at desc, id desc) = 1 as is_newest
    from messages where team_id = ${mailbox.teamId} and thread_id = any(${threadIds}::uuid[])
  `.execute(trx);
  const messageIds = rows.map(({ id }) => id);
  const flags = ['read'] as const;
  if (read !== undefined)
    await changeFlags(trx, mailbox, messageIds, read ? { add: { flags } } : { remove: { flags } });
  const newest = rows.filter(({ is_newest }) => is_newest).map(({ id }) => id);
  const star = { flags: ['starred'] as const };
  if (starred === true) await changeFlags(trx, mailbox, newest, { add: star });
  if (starred === false) await changeFlags(trx, mailbox, messageIds, { remove: star });
  if (folder === undefined) return;
  const { moved } = await moveMessages(trx, mailbox, messageIds, folder);
  await recordMoves(trx, caller, mailboxId, moved, folder);
}
