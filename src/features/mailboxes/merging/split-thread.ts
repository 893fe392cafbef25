/**
 * Splits a thread at a message: it and all later ones become a thread of their own. Later answers follow the message
 * that they answer, and the two are not merged again by messages that refer to both.
 *
 * - Notes, activity and reminders stay with the first part.
 * - The new thread gets the same assignee, so that nobody loses sight of it.
 * - If the thread is snoozed, both parts are, until the same time. If it is muted, both are.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest, conflict, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { recordActivity } from '../activity/record-activity.ts';
import { reachColumns, requireReachable, type ReachRow } from '../mailboxes/find-mailbox.ts';
import { lockThreads } from '../reading/change-threads.ts';
import type { ThreadWithMessages } from '../reading/threads.schema.ts';
import { getThread } from '../reading/threads.ts';
import { lockChangeNumber, type MailboxRef } from '../storage/change-numbers.ts';
import { inheritSeparations, separateThreads } from '../storage/separated-threads.ts';
import { joinThreads } from './merge-threads.ts';
import {
  describeThreads,
  finishThreads,
  giveMessages,
  insertThread,
  lockConversationsOf,
  recordThreadChange,
  UNDOABLE,
} from './thread-pieces.ts';

type FoundMessage = Row<'messages', 'id' | 'mailbox_id' | 'thread_id'>;

async function findMessage(trx: Db, caller: Caller, messageId: string): Promise<FoundMessage> {
  const { rows } = await sql<FoundMessage & ReachRow>`
    select m.id, m.mailbox_id, m.thread_id, ${reachColumns(caller)} from messages m
    join mailboxes box on box.team_id = m.team_id and box.id = m.mailbox_id
    where m.team_id = ${caller.teamId} and m.id = ${decodeId('msg', messageId)}
  `.execute(trx);
  const row = rows[0];
  if (!row) throw notFound('Message');
  await requireReachable(trx, caller, row, 'Message', 'reply');
  return row;
}

/** Locks threads against changes and against incoming messages that refer to them. */
async function lockAll(trx: Db, mailbox: MailboxRef, threadIds: readonly string[]): Promise<number> {
  await lockConversationsOf(trx, mailbox, threadIds);
  const ids = threadIds.map((id) => encodeId('thr', id));
  const locked = await lockThreads(trx, mailbox.teamId, mailbox.mailboxId, ids);
  if (threadIds.some((id, at) => locked.get(ids[at]!) !== id)) throw notFound('Thread');
  return lockChangeNumber(trx, mailbox);
}

export async function splitThread(db: Db, caller: Caller, messageId: string): Promise<ThreadWithMessages> {
  return inTransaction(db, async (trx) => {
    const { teamId } = caller;
    const { id, mailbox_id: mailboxId, thread_id: oldId } = await findMessage(trx, caller, messageId);
    const mailbox = { teamId, mailboxId };
    const modseq = await lockAll(trx, mailbox, [oldId]);
    const messageIds = await listFrom(trx, teamId, oldId, id);
    const newId = newUuid();
    await insertThread(trx, mailbox, newId);
    await giveMessages(trx, teamId, messageIds, newId, modseq);
    await copyWork(trx, teamId, oldId, newId);
    await inheritSeparations(trx, teamId, oldId, newId);
    await separateThreads(trx, teamId, oldId, newId);
    await describeThreads(trx, mailbox, [oldId, newId]);
    await finishThreads(trx, mailbox, modseq, { changed: [oldId, newId] });
    await recordThreadChange(trx, {
      mailbox,
      kind: 'split',
      threadId: oldId,
      otherId: newId,
      messageIds,
      had: null,
      modseq,
    });
    const [from, into] = [encodeId('thr', oldId), encodeId('thr', newId)];
    await recordActivity(trx, caller, [
      { mailboxId, threadId: oldId, type: 'split', data: { into } },
      { mailboxId, threadId: newId, type: 'split', data: { from } },
    ]);
    return getThread(trx, caller, into);
  });
}

/** Returns the message and the later ones of its thread. */
async function listFrom(trx: Db, teamId: number, threadId: string, messageId: string): Promise<string[]> {
  const { rows } = await sql<Row<'messages', 'id'>>`
    select id from messages where team_id = ${teamId} and thread_id = ${threadId} order by created_at, id
  `.execute(trx);
  const ids = rows.map(({ id }) => id);
  const at = ids.indexOf(messageId);
  if (at === -1) throw notFound('Message');
  if (at === 0) throw badRequest('A thread cannot be split at its first message. Choose a later one.');
  return ids.slice(at);
}

async function copyWork(trx: Db, teamId: number, oldId: string, newId: string): Promise<void> {
  await sql`
    with snoozes as (
      insert into thread_snoozes (team_id, id, thread_id, mailbox_id, kind, user_id, until, wake, created_by, created_at)
      select team_id, gen_random_uuid(), ${newId}, mailbox_id, kind, user_id, until, wake, created_by, created_at
      from thread_snoozes where team_id = ${teamId} and thread_id = ${oldId} and kind = 'snooze'
    ), muted as (
      update threads t set muted = old.muted from threads old
      where t.team_id = ${teamId} and t.id = ${newId} and old.team_id = t.team_id and old.id = ${oldId}
    )
    insert into thread_assignments (team_id, thread_id, mailbox_id, user_id, assigned_at)
    select team_id, ${newId}, mailbox_id, user_id, assigned_at from thread_assignments
    where team_id = ${teamId} and thread_id = ${oldId}
  `.execute(trx);
}

/** Merges the thread that was split at the message into the one that it came from, with what has arrived since. */
export async function undoSplit(db: Db, caller: Caller, messageId: string): Promise<ThreadWithMessages> {
  return inTransaction(db, async (trx) => {
    const { teamId } = caller;
    const { id, mailbox_id: mailboxId, thread_id: splitId } = await findMessage(trx, caller, messageId);
    const mailbox = { teamId, mailboxId };
    const { rows } = await sql<Row<'thread_changes', 'id'> & { kept_id: Row<'threads'>['id'] }>`
      select c.id, t.id as kept_id from thread_changes c
      join threads t on t.team_id = c.team_id and t.id = coalesce(
        (select into_id from merged_threads g where g.team_id = c.team_id and g.id = c.thread_id), c.thread_id)
      where c.team_id = ${teamId} and c.mailbox_id = ${mailboxId} and c.kind = 'split' and c.other_id = ${splitId}
        and c.message_ids[1] = ${id} and ${UNDOABLE}
      order by c.id desc limit 1
    `.execute(trx);
    const change = rows[0];
    if (!change || change.kept_id === splitId)
      throw conflict(
        'The thread was not split at this message in the last 30 days, or that was undone already.',
      );
    const modseq = await lockAll(trx, mailbox, [change.kept_id, splitId]);
    await joinThreads(trx, mailbox, change.kept_id, [splitId], modseq);
    await sql`
      update thread_changes set undone_at = now(), undone_modseq = ${modseq}
      where team_id = ${teamId} and id = ${change.id}
    `.execute(trx);
    const kept = encodeId('thr', change.kept_id);
    await recordActivity(trx, caller, [
      {
        mailboxId,
        threadId: change.kept_id,
        type: 'merged',
        data: { from: [encodeId('thr', splitId)], undo: true },
      },
    ]);
    return getThread(trx, caller, kept);
  });
}
