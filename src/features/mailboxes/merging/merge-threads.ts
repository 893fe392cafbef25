/**
 * Merges threads of a mailbox into one of them. Later answers follow, because they refer to a message of the thread.
 *
 * - Notes, activity and reminders go along (take-over-threads.ts).
 * - The assignee of the thread that is kept stays. If it has none, it gets the one that was assigned first.
 * - The thread that is kept decides whether it is snoozed for everyone: if it is, the other messages leave the inbox as
 *   well; if it is not, the others come back. A snooze of one person goes along. It also decides whether the
 *   conversation is muted.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Caller } from '../../api/caller.ts';
import { recordActivity } from '../activity/record-activity.ts';
import { lockThreads } from '../reading/change-threads.ts';
import { requireThread } from '../reading/find-thread.ts';
import type { ThreadWithMessages } from '../reading/threads.schema.ts';
import { getThread } from '../reading/threads.ts';
import { lockChangeNumber, type MailboxRef } from '../storage/change-numbers.ts';
import { takeOverThreads, type TakenOver } from '../storage/take-over-threads.ts';
import {
  describeThreads,
  finishThreads,
  lockConversationsOf,
  moveBetween,
  recordThreadChange,
} from './thread-pieces.ts';

export async function mergeIntoThread(
  db: Db,
  caller: Caller,
  threadId: string,
  from: readonly string[],
): Promise<ThreadWithMessages> {
  return inTransaction(db, async (trx) => {
    const { teamId } = caller;
    const kept = await requireThread(trx, caller, threadId, 'no lock', 'reply');
    const mailbox = { teamId, mailboxId: kept.mailbox_id };
    const ids = await findOthers(trx, caller, { ...mailbox, keptId: kept.id, threadId }, from);
    if (ids.length > 0) {
      await lockConversationsOf(trx, mailbox, [kept.id, ...ids]);
      const all = [kept.id, ...ids].map((id) => encodeId('thr', id));
      const locked = await lockThreads(trx, teamId, mailbox.mailboxId, all);
      if (all.some((id, at) => locked.get(id) !== [kept.id, ...ids][at])) throw notFound('Thread');
      const modseq = await lockChangeNumber(trx, mailbox);
      const taken = await joinThreads(trx, mailbox, kept.id, ids, modseq);
      for (const { threadId: otherId, messageIds, had } of taken)
        await recordThreadChange(trx, {
          mailbox,
          kind: 'merge',
          threadId: kept.id,
          otherId,
          messageIds,
          had,
          modseq,
        });
      const data = { from: ids.map((id) => encodeId('thr', id)) };
      await recordActivity(trx, caller, [
        { mailboxId: mailbox.mailboxId, threadId: kept.id, type: 'merged', data },
      ]);
    }
    return getThread(trx, caller, encodeId('thr', kept.id));
  });
}

/** Threads that already belong to the thread are left out, so that a request can be repeated. */
async function findOthers(
  trx: Db,
  caller: Caller,
  { mailboxId, keptId, threadId }: MailboxRef & { keptId: string; threadId: string },
  from: readonly string[],
): Promise<string[]> {
  const others = new Set<string>();
  let isElsewhere = false;
  for (const each of new Set(from)) {
    const { id, mailbox_id } = await requireThread(trx, caller, each, 'no lock', 'reply');
    isElsewhere ||= mailbox_id !== mailboxId;
    if (id !== keptId) others.add(id);
  }
  if (isElsewhere) throw badRequest('Only threads of the same mailbox can be merged.');
  if (from.includes(threadId)) throw badRequest('A thread cannot be merged into itself.');
  return [...others].toSorted();
}

/** The caller has locked the threads and the change number. */
export async function joinThreads(
  trx: Db,
  mailbox: MailboxRef,
  keptId: string,
  ids: readonly string[],
  modseq: number,
): Promise<TakenOver[]> {
  const { teamId } = mailbox;
  const { rows: snoozes } = await sql`
    select 1 from thread_snoozes
    where team_id = ${teamId} and thread_id = ${keptId} and kind = 'snooze' and user_id is null
  `.execute(trx);
  await moveBetween(
    trx,
    mailbox,
    ids,
    snoozes.length > 0 ? ['inbox', 'snoozed'] : ['snoozed', 'inbox'],
    modseq,
  );
  await sql`
    delete from thread_snoozes
    where team_id = ${teamId} and thread_id = any(${ids}::uuid[]) and kind = 'snooze' and user_id is null
  `.execute(trx);
  const taken = await takeOverThreads(trx, teamId, keptId, ids, modseq);
  await describeThreads(trx, mailbox, [keptId]);
  await finishThreads(trx, mailbox, modseq, { changed: [keptId], gone: ids });
  return taken;
}
