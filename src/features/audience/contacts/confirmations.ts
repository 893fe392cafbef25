import { sql } from 'kysely';
import { Fragment, type Db } from '../../../platform/database/database.ts';
import { MAX_ATTEMPTS } from '../../../platform/jobs/jobs.ts';

/**
 * SQL condition on `contacts c`: the contact got a confirmation email in the last ten minutes, so it gets no other one
 * yet, however often it is posted. A last-sent time in the future is ignored, because it means that the database's
 * clock was set back. This must read the clock when the row is checked: to a transaction that waited for the row,
 * now() is earlier than the time that the other transaction has just written.
 */
export const ASKED_RECENTLY = new Fragment(`coalesce(
  c.confirmation_sent_at between clock_timestamp() - interval '10 minutes' and clock_timestamp(), false)`);

/**
 * SQL condition on `contacts`: the contact has to confirm. It is pending, or has signed up by a form for something that
 * only the person may decide: to resubscribe, or to join a topic again. A later change of the subscription ends the
 * wait.
 */
export const AWAITS_CONFIRMATION = sql<boolean>`(subscription = 'pending'
  or coalesce(sign_up_at >= subscription_changed_at, false))`;

/**
 * Enqueues the confirmation email for a contact that has to confirm and was not asked recently. Upserts have the same
 * condition in their own statement.
 */
export async function sendConfirmationsLater(
  db: Db,
  contact: { teamId: number; contactBookId: string; contactId: string },
): Promise<void> {
  await sql`
    select add_job('confirm-sign-ups', json_build_object(
      'teamId', team_id, 'contactBookId', contact_book_id, 'contactIds', json_build_array(id)
    ), most_attempts => ${MAX_ATTEMPTS}::integer)
    from contacts c
    where team_id = ${contact.teamId} and contact_book_id = ${contact.contactBookId} and id = ${contact.contactId}
      and ${AWAITS_CONFIRMATION}
      and not ${sql.raw(ASKED_RECENTLY.text)}
  `.execute(db);
}
