/**
 * Snoozes threads. A thread that is snoozed for everyone has its messages in the folder `snoozed`, which email apps show.
 * A thread that is snoozed for one person stays where it is and is left out of that person's lists. Threads come back by
 * return-threads.ts.
 */
import { sql } from 'kysely';
import { databaseNow, inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { requireLevel } from '../../api/mailbox-access.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { userKeyOf, type Actor } from '../activity/record-activity.ts';
import { recordHappening, type ThreadRef } from '../activity/record-happening.ts';
import { requireThread } from '../reading/find-thread.ts';
import { presentThread } from '../reading/present-thread.ts';
import type { Thread } from '../reading/threads.schema.ts';
import { finishChange } from '../storage/change-flags.ts';
import { lockChangeNumber, storeChangeNumber } from '../storage/change-numbers.ts';
import { isDraft } from '../storage/message-kinds.ts';
import { moveRows } from '../storage/move-messages.ts';
import { bringBack } from './return-threads.ts';
import { keepSnoozedFolder } from './snoozed-folder.ts';
import type { SnoozeInput, SnoozeWake } from './snoozing.schema.ts';
import { refuseOutOfRange } from './wake-time.ts';

export async function snoozeThread(
  db: Db,
  caller: Caller,
  threadId: string,
  { until, wake, for: whom }: SnoozeInput,
): Promise<Thread> {
  return inTransaction(db, async (trx) => {
    const thread = await requireThread(
      trx,
      caller,
      threadId,
      'for update',
      whom === 'all' ? 'reply' : 'read',
    );
    const me = whom === 'me' ? userKeyOf(caller) : null;
    if (whom === 'me' && me === null)
      throw badRequest('Only people who are signed in can snooze for themselves.');
    refuseOutOfRange('until', until, await databaseNow(trx));
    const ref = { mailboxId: thread.mailbox_id, threadId: thread.id };
    if (me !== null) await snoozeFor(trx, caller, ref, me, { until, wake });
    else if (!(await snoozeForAll(trx, caller, ref, { until, wake })))
      throw badRequest('A thread that has only drafts, or is in the trash or spam, cannot be snoozed.');
    return presentThread(trx, caller, await requireThread(trx, caller, threadId));
  });
}

interface Until {
  until: Date;
  wake: SnoozeWake;
}

async function snoozeFor(trx: Db, caller: Caller, ref: ThreadRef, me: string, until: Until): Promise<void> {
  await replaceSnooze(trx, caller, ref, me, until);
  await recordHappening(trx, caller, ref, { type: 'snoozed', data: describe(until, 'me'), event: null });
}

/**
 * Returns false, and changes nothing, if the thread has no message that can be snoozed. The caller must have locked the
 * thread.
 */
export async function snoozeForAll(trx: Db, actor: Actor, ref: ThreadRef, until: Until): Promise<boolean> {
  const { teamId } = actor;
  const { mailboxId, threadId } = ref;
  const mailbox = { teamId, mailboxId };
  const { messages, isSnoozed } = await chooseMessages(trx, teamId, threadId);
  if (messages.length === 0 && !isSnoozed) return false;
  if (messages.length > 0) {
    const modseq = await lockChangeNumber(trx, mailbox);
    await keepSnoozedFolder(trx, mailbox, modseq);
    const moved = await moveRows(trx, mailbox, messages, 'snoozed', modseq);
    await finishChange(trx, mailbox, modseq, moved);
    await storeChangeNumber(trx, mailbox, modseq);
  }
  await replaceSnooze(trx, actor, ref, null, until);
  await recordHappening(trx, actor, ref, {
    type: 'snoozed',
    data: describe(until, 'all'),
    event: { type: 'mailbox.thread.snoozed', fields: { until: until.until.toISOString() } },
  });
  return true;
}

function describe({ until, wake }: Until, whom: 'all' | 'me') {
  return { until: until.toISOString(), wake, for: whom };
}

/** A thread that has only sent messages is snoozed with the last of them. */
async function chooseMessages(
  trx: Db,
  teamId: number,
  threadId: string,
): Promise<{ messages: string[]; isSnoozed: boolean }> {
  const { rows } = await sql<Row<'messages', 'id' | 'folder'>>`
    select id, folder from messages
    where team_id = ${teamId} and thread_id = ${threadId} and folder not in ('drafts', 'spam', 'trash')
      and not ${isDraft('messages')}
    order by created_at, id
  `.execute(trx);
  const isSnoozed = rows.some(({ folder }) => folder === 'snoozed');
  const shown = rows.filter(({ folder }) => folder !== 'sent' && folder !== 'snoozed');
  const chosen = shown.length > 0 || isSnoozed ? shown : rows.slice(-1);
  return { messages: chosen.map(({ id }) => id), isSnoozed };
}

async function replaceSnooze(
  trx: Db,
  { teamId, by }: Actor,
  { mailboxId, threadId }: ThreadRef,
  userKey: string | null,
  { until, wake }: Until,
): Promise<void> {
  const id = newUuid();
  await sql`
    delete from thread_snoozes
    where team_id = ${teamId} and thread_id = ${threadId} and kind = 'snooze' and user_id is not distinct from ${userKey}::uuid
  `.execute(trx);
  await sql`
    insert into thread_snoozes (team_id, id, thread_id, mailbox_id, user_id, until, wake, created_by)
    values (${teamId}, ${id}, ${threadId}, ${mailboxId}, ${userKey}, ${until}, ${wake}, ${by})
  `.execute(trx);
  if (wake !== 'reply_only') await enqueue(trx, 'return-thread', { teamId, snoozeId: id }, { runAt: until });
}

/** Ends the snooze for everyone, and the caller's own. */
export async function endSnooze(db: Db, caller: Caller, threadId: string): Promise<Thread> {
  return inTransaction(db, async (trx) => {
    const thread = await requireThread(trx, caller, threadId, 'for update');
    const { teamId } = caller;
    const me = userKeyOf(caller);
    const { rows } = await sql<Row<'thread_snoozes', 'id' | 'user_id'>>`
      select id, user_id from thread_snoozes
      where team_id = ${teamId} and thread_id = ${thread.id} and kind = 'snooze'
        and (user_id is null or user_id = ${me}::uuid) for update
    `.execute(trx);
    if (rows.length === 0) throw notFound('Snooze');
    const ref = { mailboxId: thread.mailbox_id, threadId: thread.id };
    const isForAll = rows.some(({ user_id }) => user_id === null);
    if (isForAll) requireLevel(thread, 'reply', 'Thread');
    await sql`
      delete from thread_snoozes where team_id = ${teamId} and id = any(${rows.map(({ id }) => id)}::uuid[])
    `.execute(trx);
    await bringBack(trx, caller, ref, { reason: 'ended', whom: isForAll ? 'all' : 'me' });
    return presentThread(trx, caller, await requireThread(trx, caller, threadId));
  });
}
