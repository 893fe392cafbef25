/** Deletes reports that arrived long ago. Their rows go with them. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';

/** As many days as the statistics of emails can show at once. */
const KEPT_DAYS = 400;
const AT_ONCE = 100;

export async function dropOldReports(db: Db): Promise<void> {
  await dropOf(db, 'dmarc_reports');
  await dropOf(db, 'tls_reports');
}

async function dropOf(db: Db, name: 'dmarc_reports' | 'tls_reports'): Promise<void> {
  const table = sql.table(name);
  for (let count = AT_ONCE; count === AT_ONCE;) {
    const { rows } = await sql`
      delete from ${table} where (team_id, id) in (
        select team_id, id from ${table}
        where received_at < now() - make_interval(days => ${KEPT_DAYS})
        order by received_at limit ${AT_ONCE}
      ) returning 1
    `.execute(db);
    count = rows.length;
  }
}
