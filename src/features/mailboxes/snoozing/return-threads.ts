/** Brings threads back that were snoozed, or that have a reminder: by their time, by a reply, or because someone ends it. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { MAIL_CHANNEL } from '../../events/live-updates.ts';
import type { Actor } from '../activity/record-activity.ts';
import { addNotifications } from '../notifications/add-notifications.ts';
import { recordHappening, type ThreadRef } from '../activity/record-happening.ts';
import { finishChange } from '../storage/change-flags.ts';
import { lockChangeNumber } from '../storage/change-numbers.ts';
import { isDraft } from '../storage/message-kinds.ts';
import { moveRows } from '../storage/move-messages.ts';

/** Who does what nobody in particular did. */
const BY_CLOCK = 'clock';
const AT_ONCE = 100;

interface Return {
  reason: 'time' | 'reply' | 'reminder' | 'ended';
  whom: 'all' | 'me';
}

/** The caller must have locked the thread and deleted the snooze. */
export async function bringBack(
  trx: Db,
  actor: Actor,
  ref: ThreadRef,
  { reason, whom }: Return,
): Promise<void> {
  const { teamId } = actor;
  const mailbox = { teamId, mailboxId: ref.mailboxId };
  const modseq = await lockChangeNumber(trx, mailbox);
  const messages = await chooseMessages(trx, teamId, ref.threadId, reason);
  await moveRows(trx, mailbox, messages, 'inbox', modseq);
  // Someone who ends it sees the thread. By a reply, the reply itself is unread.
  if (reason === 'time' || reason === 'reminder') {
    await sql`
      update messages set read = false, modseq = ${modseq}
      where team_id = ${teamId} and id = (
        select id from messages
        where team_id = ${teamId} and thread_id = ${ref.threadId} and direction = 'in' and folder = 'inbox'
        order by created_at desc, id desc limit 1)
    `.execute(trx);
    await sql`
      update threads set returned_at = now() where team_id = ${teamId} and id = ${ref.threadId}
    `.execute(trx);
  }
  await finishChange(trx, mailbox, modseq, [ref]);
  await recordHappening(trx, actor, ref, {
    type: reason === 'reminder' ? 'reminder' : 'returned',
    data: { reason, for: whom },
    event: whom === 'all' ? { type: 'mailbox.thread.returned', fields: { reason } } : null,
  });
}

/** Snoozed messages return. For a reminder, one message brings the thread back if none is in the inbox. */
async function chooseMessages(
  trx: Db,
  teamId: number,
  threadId: string,
  reason: Return['reason'],
): Promise<string[]> {
  const { rows } = await sql<Row<'messages', 'id' | 'folder' | 'direction'>>`
    select id, folder, direction from messages
    where team_id = ${teamId} and thread_id = ${threadId} and folder not in ('drafts', 'spam', 'trash')
      and not ${isDraft('messages')}
    order by created_at desc, id desc
  `.execute(trx);
  const snoozed = rows.filter(({ folder }) => folder === 'snoozed').map(({ id }) => id);
  if (reason !== 'reminder' || snoozed.length > 0) return snoozed;
  if (rows.some(({ folder }) => folder === 'inbox')) return [];
  const shown = rows.find(({ direction }) => direction === 'in') ?? rows[0];
  return shown ? [shown.id] : [];
}

type DueRow = Row<'thread_snoozes', 'thread_id' | 'mailbox_id' | 'kind' | 'user_id' | 'created_by'> & {
  folder: Row<'threads'>['folder'];
};

/** Does nothing if the snooze has ended, or was replaced by another. */
export async function returnThread(
  db: Db,
  { teamId, snoozeId }: { teamId: number; snoozeId: string },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const own = sql`s.team_id = ${teamId} and s.id = ${snoozeId}`;
    // Threads are locked before anything that belongs to them.
    await sql`
      select 1 from threads where team_id = ${teamId} and id = (select thread_id from thread_snoozes s where ${own}) for update
    `.execute(trx);
    const { rows } = await sql<DueRow>`
      delete from thread_snoozes s using threads t
      where ${own} and s.until <= now() and s.wake <> 'reply_only' and t.team_id = s.team_id and t.id = s.thread_id
      returning s.thread_id, s.mailbox_id, s.kind, s.user_id, s.created_by, t.folder
    `.execute(trx);
    const due = rows[0];
    if (!due) return;
    const isOver = due.folder === 'trash' || due.folder === 'spam';
    // What others have archived in the meantime needs no one, unless it is a reminder.
    if (isOver || (due.user_id !== null && due.folder === 'archive')) return;
    await bringBack(
      trx,
      { teamId, by: BY_CLOCK },
      { mailboxId: due.mailbox_id, threadId: due.thread_id },
      { reason: due.kind === 'reminder' ? 'reminder' : 'time', whom: due.user_id === null ? 'all' : 'me' },
    );
    await notify(trx, teamId, due);
    await sql`select pg_notify(${MAIL_CHANNEL}, '')`.execute(trx);
  });
}

/** Tells whom it concerns: the person who snoozed it alone, otherwise the assignee, or else who asked for it. */
async function notify(trx: Db, teamId: number, due: DueRow): Promise<void> {
  const { rows } = await sql<Row<'thread_assignments', 'user_id'>>`
    select user_id from thread_assignments where team_id = ${teamId} and thread_id = ${due.thread_id}
  `.execute(trx);
  const creator = decodeId('usr', due.created_by.replace(/^user:/, ''));
  await addNotifications(trx, teamId, [
    {
      mailboxId: due.mailbox_id,
      threadId: due.thread_id,
      messageId: null,
      kind: 'reminder',
      userIds: [due.user_id ?? rows[0]?.user_id ?? creator],
    },
  ]);
}

/** Returns the threads whose job is missing, such as those of a split thread, and those of a restored backup. */
export async function returnDueThreads(db: Db): Promise<void> {
  for (;;) {
    const { rows } = await sql<CamelRow<'thread_snoozes', 'team_id' | 'id'>>`
      select team_id as "teamId", id from thread_snoozes
      where until <= now() and wake <> 'reply_only' order by until limit ${AT_ONCE}
    `.execute(db);
    for (const { teamId, id } of rows) await returnThread(db, { teamId, snoozeId: id });
    if (rows.length < AT_ONCE) return;
  }
}
