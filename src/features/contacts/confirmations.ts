import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';
import { MAX_ATTEMPTS } from '../../platform/jobs.ts';

/**
 * However often a contact is posted, and by whomever, it is asked once in so long. A time that lies ahead does not count:
 * the clock of the database was set back.
 */
export const MINUTES_BETWEEN_CONFIRMATIONS = 10;

/**
 * Lets the confirmation mail follow, for a contact that has still to confirm and was not asked a moment
 * ago. (Upserts say the same in their own statement.)
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
      and subscription = 'pending'
      and coalesce(confirmation_sent_at not between
        now() - make_interval(mins => ${MINUTES_BETWEEN_CONFIRMATIONS}::integer) and now(), true)
  `.execute(db);
}
