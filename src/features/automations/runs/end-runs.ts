/** Ends runs. The caller must have locked them. Counts and records the ends of those that were ACTIVE until now. */
import { groupBy } from '../../../platform/group-by.ts';
import { statement, toJson, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { recordEvents } from '../../events/record-events.ts';
import { cancelQueued } from '../../sending/emails/cancel-queued.ts';
import { countRuns } from './count-runs.ts';
import { shownIds, type RunStatus } from './run-row.ts';

export interface EndedRun {
  teamId: number;
  id: string;
  automationId: string;
  contactId: string;
  status: Exclude<RunStatus, 'ACTIVE'>;
  reason: string | null;
  /** Set for an exit step: the emails before it go out. */
  keepsEmails?: boolean;
}

export async function endRuns(trx: Db, runs: EndedRun[]): Promise<void> {
  if (runs.length === 0) return;
  const changed = await statement<Row<'automation_runs', 'id'>>(trx)`
    update automation_runs r set status = e.status, reason = e.reason,
      memory = case when e.status = 'FAILED' then r.memory || jsonb_build_object('failedAt', r.step) else r.memory end,
      step = null, due_at = null, waiting_for = null,
      held_by = null, ended_at = now()
    from json_to_recordset(${toJson(runs)}::json) as e ("teamId" integer, id uuid, status text, reason text)
    where r.team_id = e."teamId" and r.id = e.id and r.status = 'ACTIVE'
    returning r.id`;
  const ids = new Set(changed.map(({ id }) => id));
  const ended = runs.filter(({ id }) => ids.has(id));
  await countRuns(
    trx,
    ended.flatMap(({ teamId, automationId, status, reason }) => [
      { teamId, automationId, step: '', name: status.toLowerCase() },
      ...(status === 'EXITED' ? [{ teamId, automationId, step: '', name: `exit:${reason ?? 'exit'}` }] : []),
    ]),
  );
  await tellOfEnds(trx, ended);
}

/** Cancels the emails of runs that have ended, and records their ends. */
export async function tellOfEnds(trx: Db, runs: EndedRun[]): Promise<void> {
  await withdrawEmails(trx, runs);
  for (const [teamId, ofTeam] of groupBy(runs, (run) => run.teamId))
    await recordEvents(
      trx,
      teamId,
      ofTeam.map(({ id, automationId, contactId, status, reason }) => ({
        type: 'automation.run.ended' as const,
        subjectId: automationId,
        contactIds: [contactId],
        notice: {
          ...shownIds({ id, automationId, contactId }),
          status,
          reason,
        },
      })),
    );
}

/** After an exit no email of the run leaves, not even one that is in the queue. */
async function withdrawEmails(trx: Db, runs: EndedRun[]): Promise<void> {
  const stopped = runs.filter(
    ({ status, keepsEmails }) => !keepsEmails && (status === 'EXITED' || status === 'CANCELLED'),
  );
  for (const [teamId, ofTeam] of groupBy(stopped, (run) => run.teamId)) {
    const rows = await statement<Row<'automation_emails', 'email_id'>>(trx)`
      select s.email_id from automation_emails s join deliveries d on d.team_id = s.team_id and d.email_id = s.email_id
      where s.team_id = ${teamId} and s.run_id = any(${ofTeam.map(({ id }) => id)}::uuid[])`;
    await cancelQueued(
      trx,
      teamId,
      rows.map((row) => row.email_id),
    );
  }
}
