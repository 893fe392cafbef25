/**
 * Deletes the content of emails: the message with its headers, bodies and attachments, and the copies in the sandbox.
 * The rows of the email, its recipients, events and counts stay.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict } from '../../../platform/errors.ts';
import type { Caller } from '../../api/caller.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { storeLedgerEmails } from '../ledger/store-emails.ts';
import { findEmail } from './emails.ts';

/** An email that has left the queue never returns to it, so the check needs no lock. */
export async function deleteEmailContent(db: Db, caller: Caller, emailId: string): Promise<void> {
  const { teamId } = caller;
  const { id, status } = await findEmail(db, caller, emailId);
  if (status === 'SCHEDULED')
    throw conflict('This email is scheduled. Cancel it with POST /emails/{emailId}/cancel first.');
  const { rows } = await sql<{ isQueued: boolean; isInMailbox: boolean }>`
    select exists (select from deliveries where team_id = ${teamId} and email_id = ${id}) as "isQueued",
      exists (select from messages where team_id = ${teamId} and email_id = ${id}) as "isInMailbox"
  `.execute(db);
  if (rows[0]!.isQueued)
    throw conflict(
      'This email is still being sent to at least one recipient. Try again when it has been delivered or has failed.',
    );
  if (rows[0]!.isInMailbox)
    throw conflict('This email is part of a thread in a mailbox. Delete the thread instead.');
  await inTransaction(db, async (trx) => {
    await storeLedgerEmails(trx, [{ teamId, emailId: id }]);
    await deleteContents(trx, teamId, [id], { withSubject: true });
    await enqueue(trx, 'clear-subject-in-calls', { teamId, emailId: id });
  });
}

/** All emails must have left the queue. `withSubject` also deletes the subject and metadata, which retention keeps. */
export async function deleteContents(
  db: Db,
  teamId: number,
  emailIds: string[],
  { withSubject }: { withSubject: boolean },
): Promise<void> {
  await sql`
    with contents as (
      delete from email_contents where team_id = ${teamId} and email_id = any(${emailIds}::uuid[])
    ), parts as (
      delete from email_content_parts where team_id = ${teamId} and email_id = any(${emailIds}::uuid[])
      returning sha256
    ), marked as (
      -- Other messages may share the blobs, so they are deleted later, if nothing refers to them by then.
      update blobs set unused_since = now() where team_id = ${teamId} and sha256 in (select sha256 from parts)
    ), sandbox as (
      delete from sandbox_messages where team_id = ${teamId} and email_id = any(${emailIds}::uuid[])
    ), approved as (
      update approvals set new_text = null where team_id = ${teamId} and email_id = any(${emailIds}::uuid[])
    ), locked as (
      select id from emails where team_id = ${teamId} and id = any(${emailIds}::uuid[]) order by id for update
    )
    update emails e set content_deleted_at = coalesce(content_deleted_at, now()),
      subject = case when ${withSubject}::boolean then '' else subject end,
      labels = case when ${withSubject}::boolean then jsonb_set(labels, '{metadata}', '{}') else labels end
    from locked where e.team_id = ${teamId} and e.id = locked.id
  `.execute(db);
}
