/** Deletes what the request log no longer keeps. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { deleteInBatches } from '../../../platform/database/delete-in-batches.ts';
import { uuidAt } from '../../../platform/ids.ts';

const KEPT_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;
const AT_ONCE = 5_000;

/** The IDs are in the order of time, so the primary key finds what is old. */
export function expireRequests(db: Db): Promise<number> {
  const oldest = uuidAt(Date.now() - KEPT_DAYS * DAY_MS);
  return deleteInBatches(AT_ONCE, async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from request_log where (team_id, id) in (
        select r.team_id, r.id from teams t cross join lateral (
          select team_id, id from request_log
          where team_id = t.id and id < ${oldest}::uuid order by id limit ${limit}
        ) r limit ${limit}
      )
    `.execute(db);
    return Number(numAffectedRows);
  });
}

/** Removes the bodies of requests about an erased person. */
export async function eraseFromRequests(db: Db, teamId: number, addressKey: string): Promise<void> {
  await sql`
    update request_log set request_body = null, response_body = null, path = regexp_replace(path, '[^/]*$', '')
    where team_id = ${teamId}
      and position(${addressKey} in lower(concat(path, ' ', request_body, ' ', response_body))) > 0
  `.execute(db);
}
