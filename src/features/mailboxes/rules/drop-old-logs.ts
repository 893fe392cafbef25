import { sql } from 'kysely';
import { deleteInBatches } from '../../../platform/database/delete-in-batches.ts';
import type { Db } from '../../../platform/database/database.ts';

const AT_ONCE = 1_000;
const KEEP_LOG_FOR = '30 days';
/** Longer than the days between two replies to a person. */
const KEEP_REPLIES_FOR = '7 days';

export async function dropOldRuleLogs(db: Db): Promise<void> {
  await deleteInBatches(AT_ONCE, async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from rule_log where (team_id, id) in (
        select team_id, id from rule_log where created_at < now() - ${KEEP_LOG_FOR}::interval
        order by created_at limit ${limit}
      )
    `.execute(db);
    return Number(numAffectedRows);
  });
  await deleteInBatches(AT_ONCE, async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from rule_replies where (team_id, mailbox_id, address_key) in (
        select team_id, mailbox_id, address_key from rule_replies
        where replied_at < now() - ${KEEP_REPLIES_FOR}::interval order by replied_at limit ${limit}
      )
    `.execute(db);
    return Number(numAffectedRows);
  });
}
