import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';

/**
 * Lets the confirmation mail follow, for a contact that has still to confirm and was not asked in the last ten
 * minutes. (Upserts say the same in their own statement.)
 */
export async function sendConfirmationsLater(
  db: Db,
  contact: { teamId: number; contactBookId: string; contactId: string },
): Promise<void> {
  await sql`
    select graphile_worker.add_job('send-confirmations', json_build_object(
      'teamId', team_id, 'contactBookId', contact_book_id, 'contactIds', json_build_array(id)
    ), queue_name => 'confirmations ' || team_id, max_attempts => 25)
    from contacts
    where team_id = ${contact.teamId} and contact_book_id = ${contact.contactBookId} and id = ${contact.contactId}
      and subscription = 'pending'
      and (confirmation_sent_at is null or confirmation_sent_at <= now() - interval '10 minutes')
  `.execute(db);
}
