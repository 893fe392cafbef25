/** Cancels the scheduled emails that have a tag. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { cancelWaiting } from './cancel-waiting.ts';

const BATCH = 1_000;

/** Returns the number of cancelled emails. A key that is bound to a domain cancels only emails of that domain. */
export async function cancelTagged(
  db: Db,
  { teamId, domainIds }: Pick<Caller, 'teamId' | 'domainIds'>,
  tag: { name: string; value: string },
): Promise<number> {
  let count = 0;
  for (;;) {
    const { rows } = await sql<Row<'emails', 'id'>>`
      select e.id from email_tags t join emails e on e.team_id = t.team_id and e.id = t.email_id
      where t.team_id = ${teamId} and t.tag = ${`${tag.name}:${tag.value}`} and e.status = 'SCHEDULED'
        and (${domainIds}::integer[] is null or e.domain_id = any (${domainIds}::integer[]))
      order by e.id limit ${BATCH}
    `.execute(db);
    if (rows.length === 0) return count;
    const ids = rows.map(({ id }) => id);
    count += (await cancelWaiting(db, teamId, ids)).length;
    if (rows.length < BATCH) return count;
  }
}
