/** The counters of the report. */
import { statement, toJson, type Db } from '../../../platform/database/database.ts';

export interface Counted {
  teamId: number;
  automationId: string;
  /** Empty for runs as a whole. */
  step: string;
  name: string;
  /** Default: 1. */
  times?: number;
}

/** Concurrent transactions mostly have different slots, so that they do not wait for each other. */
export async function countRuns(trx: Db, counted: Counted[]): Promise<void> {
  if (counted.length === 0) return;
  await statement(trx)`
    insert into automation_counts as c (team_id, automation_id, step, name, slot, count)
    select "teamId", "automationId", step, name, pg_backend_pid() % 8, sum(coalesce(times, 1))
    from json_to_recordset(${toJson(counted)}::json) as n ("teamId" integer, "automationId" uuid, step text, name text,
      times integer)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (team_id, automation_id, step, name, slot) do update set count = c.count + excluded.count`;
}
