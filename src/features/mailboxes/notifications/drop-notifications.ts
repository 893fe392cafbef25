/** Deletes old notifications. */
import { sql } from 'kysely';
import { deleteInBatches } from '../../../platform/database/delete-in-batches.ts';
import type { Db } from '../../../platform/database/database.ts';

const KEEP_FOR = '30 days';
const AT_ONCE = 1_000;

export async function dropOldNotifications(db: Db): Promise<void> {
  await deleteInBatches(AT_ONCE, async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from mail_notifications where (team_id, id) in (
        select team_id, id from mail_notifications where created_at < now() - ${KEEP_FOR}::interval
        order by created_at limit ${limit}
      )
    `.execute(db);
    return Number(numAffectedRows);
  });
}
