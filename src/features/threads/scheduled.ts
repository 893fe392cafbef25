/**
 * Messages that wait: for their time, or for the end of the moment in which they can be undone. Their email is the
 * only truth about that. Moving one, letting it go and taking it back are each one UPDATE of the email where it is
 * still SCHEDULED, as the courier's own is: exactly one side wins.
 */
import { sql } from 'kysely';
import { databaseNow, inTransaction, type Db } from '../../platform/database.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';
import type { Caller } from '../../platform/route.ts';
import { cancelWaiting } from '../emails/cancel-waiting.ts';
import { releaseNow } from '../emails/release.ts';
import { WAITS_IN_MAILBOX } from '../emails/waiting.ts';
import { keepToDomainName, requireMailbox } from '../mailboxes/find-mailbox.ts';
import { refuseOutOfRange } from './send-time.ts';
import type { WaitingMessage } from './sending.schema.ts';

const AT_MOST = 100;

/** Soonest first. */
export async function listWaiting(db: Db, caller: Caller, mailboxId: string): Promise<WaitingMessage[]> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  const { rows } = await sql<{
    id: string;
    thread_id: string;
    subject: string;
    to_addresses: string[];
    scheduled_at: Date;
    created_at: Date;
  }>`
    select m.id, m.thread_id, m.subject, m.to_addresses, e.scheduled_at, m.created_at
    from emails e join messages m on m.team_id = e.team_id and m.email_id = e.id and m.mailbox_id = ${mailbox.id}
    where e.team_id = ${caller.teamId} and ${WAITS_IN_MAILBOX}
    order by e.waits_until, m.id limit ${AT_MOST}
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
  refuseOutOfRange(sendAt, await databaseNow(db));
  const { rows } = await sql`
    update emails set scheduled_at = ${sendAt}, updated_at = now()
    where team_id = ${caller.teamId} and id = ${email_id} and status = 'SCHEDULED' returning 1
  `.execute(db);
  if (rows.length === 0) await tellWhy(db, caller, messageId);
  return sendAt;
}

/** It is with the courier when this returns. */
export async function sendNow(db: Db, caller: Caller, messageId: string): Promise<Date> {
  return inTransaction(db, async (trx) => {
    const { email_id } = await requireWaiting(trx, caller, messageId);
    const leftAt = await releaseNow(trx, caller.teamId, email_id);
    return leftAt ?? tellWhy(trx, caller, messageId);
  });
}

/** It is a draft when this returns (the trigger on emails sees to that, whoever cancels). */
export async function takeBack(db: Db, caller: Caller, messageId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { email_id } = await requireWaiting(trx, caller, messageId);
    const cancelled = await cancelWaiting(trx, caller.teamId, [email_id]);
    if (cancelled.length === 0) await tellWhy(trx, caller, messageId);
  });
}

/** Somebody was quicker: the courier (it has gone), or who took it back (it is not there). */
async function tellWhy(db: Db, caller: Caller, messageId: string): Promise<never> {
  await requireWaiting(db, caller, messageId);
  throw new Error('A message that waits could not be moved.');
}

async function requireWaiting(db: Db, caller: Caller, messageId: string): Promise<{ email_id: string }> {
  const { rows } = await sql<{ email_id: string; status: string; domain: string }>`
    select m.email_id, e.status, box.domain from messages m
    join emails e on e.team_id = m.team_id and e.id = m.email_id
    join mailboxes box on box.team_id = m.team_id and box.id = m.mailbox_id
    where m.team_id = ${caller.teamId} and m.id = ${decodeId('msg', messageId)}
  `.execute(db);
  const row = rows[0];
  if (!row) throw notFound('Waiting message');
  await keepToDomainName(db, caller, row.domain);
  if (row.status !== 'SCHEDULED') throw new AppError('already_sent', 'This message has already gone.');
  return row;
}
