import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { MAX_ATTEMPTS } from '../../../platform/jobs/jobs.ts';

/**
 * A contact gets at most one confirmation email in this time, however often it is posted. A last-sent time in the
 * future is ignored, because it means that the database's clock was set back.
 */
export const MINUTES_BETWEEN_CONFIRMATIONS = 10;

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
    select graphile_worker.add_job('confirm-sign-ups', json_build_object(
      'teamId', team_id, 'contactBookId', contact_book_id, 'contactIds', json_build_array(id)
    ), max_attempts => ${MAX_ATTEMPTS}::integer)
    from contacts
    where team_id = ${contact.teamId} and contact_book_id = ${contact.contactBookId} and id = ${contact.contactId}
      and ${AWAITS_CONFIRMATION}
      and coalesce(confirmation_sent_at not between
        now() - make_interval(mins => ${MINUTES_BETWEEN_CONFIRMATIONS}::integer) and now(), true)
  `.execute(db);
}
