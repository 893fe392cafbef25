/**
 * A restore returns runs to an earlier state. What was due since the backup may have been done already, so the automations
 * of such runs are paused until a person has looked at them and resumes them.
 */
import type pg from 'pg';
import type { Row } from '../../platform/database/rows.ts';
import { encodeId } from '../../platform/ids.ts';

export interface PausedByRestore extends Row<'automations', 'id' | 'name'> {
  /** How many of its runs are due. */
  runs: number;
}

/** With `overdue: shift`, people who are resumed have the time that was left when the backup was made. */
export async function pauseOverdue(client: pg.ClientBase, backupMadeAt: string): Promise<PausedByRestore[]> {
  const { rows } = await client.query<PausedByRestore>(
    `with due as (
       select team_id, automation_id, count(*)::integer as runs from automation_runs
       where status = 'ACTIVE' and due_at <= now() group by team_id, automation_id
     )
     update automations a set status = 'PAUSED', resumes_as = a.status, paused_at = $1, updated_at = now() from due
     where a.team_id = due.team_id and a.id = due.automation_id and a.deleted_at is null
       and a.status in ('ACTIVE', 'CLOSED')
     returning a.id, a.name, due.runs`,
    [backupMadeAt],
  );
  return rows.map(({ id, ...row }) => ({ id: encodeId('aut', id), ...row }));
}
