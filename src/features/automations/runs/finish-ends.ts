/** Finishes what the SQL function end_runs_of_contacts has begun when contacts unsubscribed or were deleted. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { JobPayloads } from '../../jobs/jobs.ts';
import { endRuns, tellOfEnds, type EndedRun } from './end-runs.ts';

const AT_ONCE = 500;

type RunToEnd = CamelRow<'automation_runs', 'team_id' | 'id' | 'automation_id' | 'contact_id'>;

export async function finishEnds(
  db: Db,
  { teamId, runIds, contactIds }: JobPayloads['end-automation-runs'],
): Promise<void> {
  await inTransaction(db, async (trx) => {
    for (let at = 0; at < runIds.length; at += AT_ONCE) {
      const { rows } = await sql<RunToEnd & Row<'automation_runs', 'reason'>>`
        select team_id as "teamId", id, automation_id as "automationId", contact_id as "contactId", reason
        from automation_runs
        where team_id = ${teamId} and id = any(${runIds.slice(at, at + AT_ONCE)}::uuid[]) and status = 'EXITED'
        order by id
      `.execute(trx);
      await tellOfEnds(
        trx,
        rows.map((run): EndedRun => ({ ...run, status: 'EXITED' })),
      );
    }
    for (let at = 0; at < contactIds.length; at += AT_ONCE)
      await endMissed(trx, teamId, contactIds.slice(at, at + AT_ONCE));
  });
}

/** Runs that were locked at the time. Their contacts may have subscribed again. */
async function endMissed(trx: Db, teamId: number, contactIds: string[]): Promise<void> {
  const { rows } = await sql<RunToEnd & { isGone: boolean }>`
    select r.team_id as "teamId", r.id, r.automation_id as "automationId", r.contact_id as "contactId",
      c.id is null as "isGone"
    from automation_runs r left join contacts c on c.team_id = r.team_id and c.contact_book_id = r.contact_book_id
      and c.id = r.contact_id
    where r.team_id = ${teamId} and r.contact_id = any(${contactIds}::uuid[]) and r.status = 'ACTIVE'
      and (c.id is null or c.subscription = 'unsubscribed' and r.exits_on_unsubscribe
        and c.subscription_changed_at >= r.started_at + interval '1 millisecond')
    order by r.id for update of r
  `.execute(trx);
  await endRuns(
    trx,
    rows.map(({ isGone, ...run }) => ({
      ...run,
      status: 'EXITED',
      reason: isGone ? 'contact_deleted' : 'unsubscribed',
    })),
  );
}
