/** The numbers of automations in a list, from counters: a million runs cost the list nothing. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';
import type { Row } from '../../platform/database/rows.ts';
import type { Automation, AutomationListItem } from './definition/automations.schema.ts';

type CountRow = Row<'automation_counts', 'automation_id' | 'name'> & { count: number };

/** Those of runs that end. A run that is retried after it has failed is under way again. */
const ENDS = ['done', 'exited', 'failed', 'cancelled'];

export async function withCounts(
  db: Db,
  teamId: number,
  automations: readonly Automation[],
): Promise<AutomationListItem[]> {
  const { rows } = await sql<CountRow>`
    select automation_id, name, sum(count)::bigint as count from automation_counts
    where team_id = ${teamId} and automation_id = any(${automations.map(({ id }) => decodeId('aut', id)!)}::uuid[])
      and step = '' and name = any(${['started', 'sent', 'retried', ...ENDS]}::text[])
    group by automation_id, name
  `.execute(db);
  const counts = new Map(rows.map((row) => [`${encodeId('aut', row.automation_id)} ${row.name}`, row.count]));
  return automations.map((automation) => {
    const count = (name: string) => counts.get(`${automation.id} ${name}`) ?? 0;
    const ended = ENDS.reduce((sum, name) => sum + count(name), 0);
    const active = Math.max(0, count('started') + count('retried') - ended);
    return {
      ...automation,
      counts: { started: count('started'), active, done: count('done'), emails: count('sent') },
    };
  });
}
