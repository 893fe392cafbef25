/** Assigns threads to the people who are to answer them. Everyone who may read the mailbox can assign. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest, conflict } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { listReaders } from '../access/readers.ts';
import { userKeyOf, type Actor } from '../activity/record-activity.ts';
import { recordHappening, type ThreadRef } from '../activity/record-happening.ts';
import { addNotifications } from '../notifications/add-notifications.ts';
import { requireThread } from '../reading/find-thread.ts';
import type { Thread } from '../reading/threads.schema.ts';
import { presentThread } from '../reading/present-thread.ts';
import type { AssigneeInput } from './teamwork.schema.ts';

export async function assignThread(
  db: Db,
  caller: Caller,
  threadId: string,
  { user_id, if_assignee }: AssigneeInput,
): Promise<Thread> {
  return inTransaction(db, async (trx) => {
    const thread = await requireThread(trx, caller, threadId, 'for update');
    const ref = { mailboxId: thread.mailbox_id, threadId: thread.id };
    if (if_assignee !== undefined) await refuseFaster(trx, caller.teamId, ref, if_assignee);
    const isSet = await setAssignee(
      trx,
      caller,
      ref,
      user_id === null ? null : (decodeId('usr', user_id) ?? ''),
    );
    if (!isSet)
      throw badRequest('user_id must be a person with access to the mailbox.', [
        { path: '/user_id', message: 'must be a person with access to the mailbox' },
      ]);
    return presentThread(trx, caller, thread);
  });
}

async function refuseFaster(trx: Db, teamId: number, ref: ThreadRef, expected: string | null): Promise<void> {
  const before = await findAssignee(trx, teamId, ref.threadId);
  if (expected === (before && encodeId('usr', before.user_id))) return;
  throw conflict(
    before
      ? `${before.name} has this thread in the meantime.`
      : 'This thread is no longer assigned to anyone. Reload it before you assign it.',
  );
}

/**
 * Assigns the thread to a person, or to nobody. Returns false, and changes nothing, if the person has no access. The
 * caller must have locked the thread.
 */
export async function setAssignee(
  trx: Db,
  actor: Actor,
  ref: ThreadRef,
  userKey: string | null,
): Promise<boolean> {
  const { teamId } = actor;
  const before = await findAssignee(trx, teamId, ref.threadId);
  const readers = await listReaders(trx, teamId, ref.mailboxId);
  if (userKey !== null && !readers.has(userKey)) return false;
  if (userKey === (before?.user_id ?? null)) return true;
  const previous = before && encodeId('usr', before.user_id);
  if (userKey === null) {
    await sql`
      delete from thread_assignments where team_id = ${teamId} and thread_id = ${ref.threadId}
    `.execute(trx);
    await recordHappening(trx, actor, ref, {
      type: 'unassigned',
      data: { previous_user_id: previous, previous_name: before!.name },
      event: { type: 'mailbox.thread.unassigned', fields: { previousUserId: previous } },
    });
    return true;
  }
  await sql`
    insert into thread_assignments (team_id, thread_id, mailbox_id, user_id)
    values (${teamId}, ${ref.threadId}, ${ref.mailboxId}, ${userKey})
    on conflict (team_id, thread_id) do update set user_id = excluded.user_id, assigned_at = now()
  `.execute(trx);
  const userId = encodeId('usr', userKey);
  await recordHappening(trx, actor, ref, {
    type: 'assigned',
    data: {
      user_id: userId,
      name: readers.get(userKey),
      previous_user_id: previous ?? null,
      previous_name: before?.name ?? null,
    },
    event: { type: 'mailbox.thread.assigned', fields: { userId, previousUserId: previous ?? null } },
  });
  if (userKey !== userKeyOf(actor))
    await addNotifications(trx, teamId, [{ ...ref, messageId: null, kind: 'assigned', userIds: [userKey] }]);
  return true;
}

type AssigneeRow = Row<'thread_assignments', 'user_id'> & { name: string };

async function findAssignee(trx: Db, teamId: number, threadId: string): Promise<AssigneeRow | null> {
  const { rows } = await sql<AssigneeRow>`
    select a.user_id, coalesce(u.name, u.email) as name from thread_assignments a join users u on u.id = a.user_id
    where a.team_id = ${teamId} and a.thread_id = ${threadId}
  `.execute(trx);
  return rows[0] ?? null;
}
