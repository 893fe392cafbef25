/** Finds the automations whose runs are held by something that someone has to mend, such as a template that was deleted. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import type { Row } from '../../platform/database/rows.ts';
import { encodeId } from '../../platform/ids.ts';
import { HELD } from './runs/held-runs.ts';

export interface HeldAutomation {
  id: string;
  name: string;
  people: number;
  /** What the first of them says. */
  reason: string;
  since: Date;
}

export async function findHeldAutomations(db: Db, teamId: number): Promise<HeldAutomation[]> {
  const { rows } = await sql<Row<'automations', 'id' | 'name'> & Omit<HeldAutomation, 'id' | 'name'>>`
    select a.id, a.name, held.people, held.reason, held.since
    from automations a join (
      select automation_id, count(*)::integer as people, min(held_by) as reason, min(entered_at) as since
      from automation_runs
      where team_id = ${teamId} and ${HELD}
      group by automation_id
    ) held on held.automation_id = a.id
    where a.team_id = ${teamId} and a.deleted_at is null and a.status in ('ACTIVE', 'CLOSED')
    order by held.since limit 20
  `.execute(db);
  return rows.map(({ id, ...row }) => ({ id: encodeId('aut', id), ...row }));
}
