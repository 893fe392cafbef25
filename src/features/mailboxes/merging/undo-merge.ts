/**
 * Undoes the latest merge into a thread. Each merged thread exists again under its ID, with its messages, the answers to
 * them that have arrived since, its notes and its assignee. It is not snoozed again. Messages do not merge the threads
 * again.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { listReaders } from '../access/readers.ts';
import { recordActivity } from '../activity/record-activity.ts';
import { lockThreads } from '../reading/change-threads.ts';
import { requireThread } from '../reading/find-thread.ts';
import { lockChangeNumber, type MailboxRef } from '../storage/change-numbers.ts';
import { separateThreads } from '../storage/separated-threads.ts';
import { shortenId } from '../storage/store-message.ts';
import type { ThreadBelongings } from '../storage/take-over-threads.ts';
import type { MergeUndone } from './merging.schema.ts';
import {
  describeThreads,
  finishThreads,
  giveMessages,
  insertThread,
  lockConversationsOf,
  moveBetween,
  UNDOABLE,
} from './thread-pieces.ts';

type MergeRow = Row<'thread_changes', 'id' | 'other_id' | 'message_ids' | 'created_at'> & {
  before: ThreadBelongings;
};

/** The ID of a merged thread undoes only its own merge. */
export async function undoMerge(db: Db, caller: Caller, threadId: string): Promise<MergeUndone> {
  return inTransaction(db, async (trx) => {
    const { teamId } = caller;
    const kept = await requireThread(trx, caller, threadId, 'no lock', 'reply');
    const mailbox = { teamId, mailboxId: kept.mailbox_id };
    await lockConversationsOf(trx, mailbox, [kept.id]);
    const keptId = encodeId('thr', kept.id);
    const locked = await lockThreads(trx, teamId, mailbox.mailboxId, [keptId]);
    if (locked.get(keptId) !== kept.id) throw notFound('Thread');
    const named = decodeId('thr', threadId)!;
    const merges = await findMerges(trx, teamId, kept.id, named === kept.id ? null : named);
    const modseq = await lockChangeNumber(trx, mailbox);
    const restored: string[] = [];
    for (const merge of merges)
      if (await restoreThread(trx, mailbox, kept.id, merge, modseq)) restored.push(merge.other_id);
    if (restored.length === 0) throw conflict('No merge into this thread in the last 30 days can be undone.');
    const separate = restored.map((id, at) => [id, kept.id, ...restored.slice(0, at)]);
    for (const [id, ...others] of separate)
      for (const other of others) await separateThreads(trx, teamId, id!, other);
    const changed = [kept.id, ...restored];
    await describeThreads(trx, mailbox, changed);
    await finishThreads(trx, mailbox, modseq, { changed });
    await sql`
      update thread_changes set undone_at = now(), undone_modseq = ${modseq}
      where team_id = ${teamId} and id = any(${merges.map(({ id }) => id)}::uuid[])
    `.execute(trx);
    const ids = restored.map((id) => encodeId('thr', id));
    await recordActivity(
      trx,
      caller,
      changed.map((id) => ({
        mailboxId: mailbox.mailboxId,
        threadId: id,
        type: 'unmerged',
        data: { kept: keptId, restored: ids },
      })),
    );
    return { success: true, thread_ids: [keptId, ...ids] };
  });
}

/** All merges of the latest request have the same time, that of its transaction. */
async function findMerges(
  trx: Db,
  teamId: number,
  keptId: string,
  otherId: string | null,
): Promise<MergeRow[]> {
  const { rows } = await sql<MergeRow>`
    select id, other_id, message_ids, before, created_at from thread_changes c
    where team_id = ${teamId} and thread_id = ${keptId} and kind = 'merge' and ${UNDOABLE}
      and (${otherId}::uuid is null or other_id = ${otherId}::uuid)
    order by id desc limit 50
  `.execute(trx);
  const latest = rows[0]?.created_at.getTime();
  return rows.filter(({ created_at }) => created_at.getTime() === latest);
}

/** Returns false if none of its messages is still in the thread. */
async function restoreThread(
  trx: Db,
  mailbox: MailboxRef,
  keptId: string,
  { other_id: otherId, message_ids, before, created_at }: MergeRow,
  modseq: number,
): Promise<boolean> {
  const { teamId } = mailbox;
  const messageIds = await listFollowing(trx, teamId, keptId, message_ids, created_at);
  if (messageIds.length === 0) return false;
  await insertThread(trx, mailbox, otherId);
  await giveMessages(trx, teamId, messageIds, otherId, modseq);
  const ofKept = sql`team_id = ${teamId} and thread_id = ${keptId}`;
  await sql`
    with alias as (
      delete from merged_threads where team_id = ${teamId} and id = ${otherId}
    ), aliases as (
      update merged_threads set into_id = ${otherId}
      where team_id = ${teamId} and into_id = ${keptId} and id = any(${before.aliases}::uuid[]) and id <> ${otherId}
    ), notes as (
      update thread_notes set thread_id = ${otherId} where ${ofKept} and id = any(${before.notes}::uuid[])
    ), notifications as (
      update mail_notifications set thread_id = ${otherId} where ${ofKept} and message_id = any(${messageIds}::uuid[])
    )
    update mailbox_activity set thread_id = ${otherId} where ${ofKept} and id = any(${before.activity}::uuid[])
  `.execute(trx);
  await restoreAssignee(trx, mailbox, keptId, otherId, before);
  await sql`
    insert into separated_threads (team_id, thread_id, other_id)
    select ${teamId}, pair.* from unnest(${before.separated}::uuid[]) as s (id)
    join threads t on t.team_id = ${teamId} and t.id = s.id
    cross join lateral (values (${otherId}::uuid, s.id), (s.id, ${otherId}::uuid)) as pair
    on conflict do nothing
  `.execute(trx);
  await moveBetween(trx, mailbox, [otherId], ['snoozed', 'inbox'], modseq);
  return true;
}

/** Whoever has lost access since is not assigned again. */
async function restoreAssignee(
  trx: Db,
  { teamId, mailboxId }: MailboxRef,
  keptId: string,
  otherId: string,
  { assignee, isAssigneeTaken }: ThreadBelongings,
): Promise<void> {
  if (!assignee) return;
  const { userId, at } = assignee;
  if (isAssigneeTaken)
    await sql`
      delete from thread_assignments
      where team_id = ${teamId} and thread_id = ${keptId} and user_id = ${userId}
        and date_trunc('milliseconds', assigned_at) = ${at}::timestamptz
    `.execute(trx);
  if (!(await listReaders(trx, teamId, mailboxId)).has(userId)) return;
  await sql`
    insert into thread_assignments (team_id, thread_id, mailbox_id, user_id, assigned_at)
    values (${teamId}, ${otherId}, ${mailboxId}, ${userId}, ${at})
  `.execute(trx);
}

type LaterMessage = Row<'messages', 'id' | 'message_id' | 'reference_ids' | 'created_at'>;

/** The messages of the merged thread that are still here, and the later ones that answer them. */
async function listFollowing(
  trx: Db,
  teamId: number,
  keptId: string,
  mergedIds: readonly string[],
  mergedAt: Date,
): Promise<string[]> {
  const { rows } = await sql<LaterMessage>`
    select id, message_id, reference_ids, created_at from messages
    where team_id = ${teamId} and thread_id = ${keptId} order by created_at, id
  `.execute(trx);
  const merged = new Set(mergedIds);
  const following = new Set<string>();
  const goesAlong = new Map<string, boolean>();
  for (const { id, message_id, reference_ids, created_at } of rows) {
    const parent = reference_ids.map(shortenId).findLast((name) => goesAlong.has(name));
    const answers = created_at > mergedAt && parent !== undefined && goesAlong.get(parent)!;
    if (merged.has(id) || answers) following.add(id);
    if (message_id !== null) goesAlong.set(message_id, following.has(id));
  }
  return rows.some(({ id }) => merged.has(id)) ? [...following] : [];
}
