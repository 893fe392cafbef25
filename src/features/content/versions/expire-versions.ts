/** Deletes versions after 30 days. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { deleteInBatches } from '../../../platform/database/delete-in-batches.ts';

const KEPT_DAYS = 30;
const BATCH_SIZE = 200;

/** Returns the number of deleted versions. IDs are in the order of time, so the oldest of each team come first. */
export async function expireVersions(db: Db): Promise<number> {
  return deleteInBatches(BATCH_SIZE, async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from content_versions where (team_id, id) in (
        select t.id, v.id from teams t cross join lateral (
          select id, created_at from content_versions where team_id = t.id order by id limit ${limit}
        ) v
        where v.created_at < now() - make_interval(days => ${KEPT_DAYS}) limit ${limit}
      )
    `.execute(db);
    return Number(numAffectedRows);
  });
}
