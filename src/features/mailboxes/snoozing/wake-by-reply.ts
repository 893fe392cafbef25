/** What a received message does to a thread that is snoozed or has a reminder, in the transaction that stores it. */
import { sql } from 'kysely';
import { toJson, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { StoredMessage } from '../storage/store-message.ts';
import { bringBack } from './return-threads.ts';

/** Who does what a reply does. */
const BY_REPLY = 'reply';

interface Arriving extends StoredMessage {
  /** The thread that it replies to; null for automatic replies and messages of a new thread. */
  repliedThreadId: string | null;
}

type SnoozeRow = Row<'thread_snoozes', 'id' | 'team_id' | 'thread_id' | 'mailbox_id' | 'kind' | 'user_id'> & {
  wakes: boolean;
};

/**
 * Runs before the messages are stored, under the locks of their threads. What does not wake a thread joins the messages
 * that are snoozed. Returns what the replies end.
 */
export async function readSnoozes(trx: Db, arriving: readonly Arriving[]): Promise<SnoozeRow[]> {
  const known = arriving.map(({ message, thread, repliedThreadId }) => ({
    team_id: message.teamId,
    thread_id: thread.id,
    is_reply: repliedThreadId !== null,
  }));
  const { rows } = await sql<SnoozeRow>`
    select s.id, s.team_id, s.thread_id, s.mailbox_id, s.kind, s.user_id,
      k.is_reply and (s.kind = 'reminder' or s.wake <> 'time_only') as wakes
    from json_to_recordset(${toJson(known)}::json) as k (team_id integer, thread_id uuid, is_reply boolean)
    join thread_snoozes s on s.team_id = k.team_id and s.thread_id = k.thread_id
  `.execute(trx);
  for (const { message, thread } of arriving) {
    if (message.folder !== 'inbox') continue;
    const forAll = rows.find(
      (row) => row.thread_id === thread.id && row.kind === 'snooze' && row.user_id === null,
    );
    if (forAll && !forAll.wakes) message.folder = 'snoozed';
  }
  return rows.filter(({ wakes }) => wakes);
}

/** Runs after the messages are stored. */
export async function wakeThreads(trx: Db, ended: readonly SnoozeRow[]): Promise<void> {
  for (const { id, team_id: teamId, thread_id: threadId, mailbox_id: mailboxId, kind, user_id } of ended) {
    await sql`delete from thread_snoozes where team_id = ${teamId} and id = ${id}`.execute(trx);
    if (kind === 'reminder') continue;
    await bringBack(
      trx,
      { teamId, by: BY_REPLY },
      { mailboxId, threadId },
      { reason: 'reply', whom: user_id === null ? 'all' : 'me' },
    );
  }
}
