/**
 * Messages that wait for their send time or for the end of the undo period. The email row is the only source of truth
 * for both. Rescheduling, sending now and cancelling are each one UPDATE of the email `where status = 'SCHEDULED'`,
 * like the delivery worker's own release, so exactly one of them wins.
 */
import { dropReminder } from '../snoozing/reminders.ts';
import { sql } from 'kysely';
import { databaseNow, inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError, badRequest, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { cancelWaiting } from '../../sending/emails/cancel-waiting.ts';
import { refuseOthersEmail } from '../../sending/policies/own-emails.ts';
import { releaseNow } from '../../sending/emails/release.ts';
import { WAITS_IN_MAILBOX } from '../../sending/emails/waiting.ts';
import { reachColumns, requireMailbox, requireReachable, type ReachRow } from '../mailboxes/find-mailbox.ts';
import { refuseOutOfRange } from './send-time.ts';
import type { WaitingMessage } from './sending.schema.ts';

const MAX_LISTED = 100;

/** Soonest first. */
export async function listWaiting(db: Db, caller: Caller, mailboxId: string): Promise<WaitingMessage[]> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  const { rows } = await sql<
    Row<'messages', 'id' | 'thread_id' | 'subject' | 'to_addresses' | 'created_at'> & {
      scheduled_at: NonNullable<Row<'emails'>['scheduled_at']>;
    }
  >`
    select m.id, m.thread_id, m.subject, m.to_addresses, e.scheduled_at, m.created_at
    from emails e join messages m on m.team_id = e.team_id and m.email_id = e.id and m.mailbox_id = ${mailbox.id}
    where e.team_id = ${caller.teamId} and ${WAITS_IN_MAILBOX}
    order by e.waits_until, m.id limit ${MAX_LISTED}
  `.execute(db);
  return rows.map((row) => ({
    id: encodeId('msg', row.id),
    thread_id: encodeId('thr', row.thread_id),
    subject: row.subject,
    to: row.to_addresses,
    send_at: row.scheduled_at.toISOString(),
    created_at: row.created_at.toISOString(),
  }));
}

export async function reschedule(db: Db, caller: Caller, messageId: string, sendAt: Date): Promise<Date> {
  const { email_id } = await requireWaiting(db, caller, messageId);
  await refuseOthersEmail(db, caller, email_id);
  refuseOutOfRange(sendAt, await databaseNow(db));
  const { rows } = await sql`
    update emails set scheduled_at = ${sendAt}, updated_at = now()
    where team_id = ${caller.teamId} and id = ${email_id} and status = 'SCHEDULED' and scheduled_at is not null returning 1
  `.execute(db);
  if (rows.length === 0) await throwReason(db, caller, messageId);
  return sendAt;
}

/** The email is in the delivery queue when this returns. */
export async function sendNow(db: Db, caller: Caller, messageId: string): Promise<Date> {
  return inTransaction(db, async (trx) => {
    const { email_id } = await requireWaiting(trx, caller, messageId);
    await refuseOthersEmail(trx, caller, email_id);
    const leftAt = await releaseNow(trx, caller.teamId, email_id);
    return leftAt ?? throwReason(trx, caller, messageId);
  });
}

/** The message is a draft again when this returns (follow-messages.ts). */
export async function cancelScheduled(db: Db, caller: Caller, messageId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { email_id } = await requireWaiting(trx, caller, messageId);
    const cancelled = await cancelWaiting(trx, caller.teamId, [email_id]);
    if (cancelled.length === 0) await throwReason(trx, caller, messageId);
    await dropReminder(trx, caller.teamId, decodeId('msg', messageId)!);
  });
}

/** Throws the reason why an update found no SCHEDULED email: it was sent or cancelled concurrently. */
async function throwReason(db: Db, caller: Caller, messageId: string): Promise<never> {
  const { scheduled_at } = await requireWaiting(db, caller, messageId);
  if (scheduled_at === null) throw badRequest('This message waits for the approval of a person.');
  throw new Error('The waiting message could not be rescheduled.');
}

interface WaitingRow extends ReachRow, Row<'emails', 'status' | 'scheduled_at'> {
  email_id: NonNullable<Row<'messages'>['email_id']>;
}

async function requireWaiting(db: Db, caller: Caller, messageId: string): Promise<WaitingRow> {
  const { rows } = await sql<WaitingRow>`
    select m.email_id, e.status, e.scheduled_at, ${reachColumns(caller)} from messages m
    join emails e on e.team_id = m.team_id and e.id = m.email_id
    join mailboxes box on box.team_id = m.team_id and box.id = m.mailbox_id
    where m.team_id = ${caller.teamId} and m.id = ${decodeId('msg', messageId)}
  `.execute(db);
  const row = rows[0];
  if (!row) throw notFound('Waiting message');
  await requireReachable(db, caller, row, 'Waiting message', 'reply');
  if (row.status !== 'SCHEDULED') throw new AppError('already_sent', 'This message has already been sent.');
  return row;
}
