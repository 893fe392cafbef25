/** Reminders of sent messages: the thread comes back to the inbox if nobody has answered by then. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { invalidField } from '../../../platform/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import { enqueue } from '../../jobs/jobs.ts';
import type { Actor } from '../activity/record-activity.ts';
import type { ThreadRef } from '../activity/record-happening.ts';
import { refuseOutOfRange } from './wake-time.ts';

/** A thread has one reminder: that of the message that was sent last. */
export async function setReminder(
  trx: Db,
  { teamId, by }: Actor,
  { mailboxId, threadId }: ThreadRef,
  { messageId, at }: { messageId: string; at: Date },
): Promise<void> {
  const id = newUuid();
  await sql`
    delete from thread_snoozes where team_id = ${teamId} and thread_id = ${threadId} and kind = 'reminder'
  `.execute(trx);
  await sql`
    insert into thread_snoozes (team_id, id, thread_id, mailbox_id, kind, until, wake, created_by, message_id)
    values (${teamId}, ${id}, ${threadId}, ${mailboxId}, 'reminder', ${at}, 'time_or_reply', ${by}, ${messageId})
  `.execute(trx);
  await enqueue(trx, 'return-thread', { teamId, snoozeId: id }, { runAt: at });
}

/** It must be later than the message itself. */
export function refuseReminder(at: Date, now: Date, leavesAt: Date | null): void {
  refuseOutOfRange('remind_at', at, now);
  if (leavesAt && at <= leavesAt) throw invalidField('remind_at', 'must be later than the message is sent');
}

/** For a message that is taken back. */
export async function dropReminder(trx: Db, teamId: number, messageId: string): Promise<void> {
  await sql`
    delete from thread_snoozes s using messages m
    where m.team_id = ${teamId} and m.id = ${messageId} and s.team_id = m.team_id and s.thread_id = m.thread_id
      and s.kind = 'reminder' and s.message_id = m.id
  `.execute(trx);
}
