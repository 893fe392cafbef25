/** Deletes what runs that ended long ago remember of the person. The runs themselves stay, for re-entry and reports. */
import { sql } from 'kysely';
import { deleteInBatches } from '../../../platform/database/delete-in-batches.ts';
import type { Db } from '../../../platform/database/database.ts';

const AT_ONCE = 1_000;

/** Returns how many runs were changed. */
export async function expireRunData(db: Db, eventDays: number): Promise<number> {
  return deleteInBatches(AT_ONCE, async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      update automation_runs set event = null, memory = memory - 'outputs' where (team_id, id) in (
        select r.team_id, r.id from automation_runs r join teams t on t.id = r.team_id
        where r.ended_at < now() - make_interval(days => least(t.event_days, ${eventDays})) and r.event is not null
        limit ${limit}
      )
    `.execute(db);
    return Number(numAffectedRows);
  });
}
