/**
 * What happens when a step of a campaign fails. Each failure in a row doubles the wait before the next try four times
 * over, up to a minute. A failure that is not the database's own, such as a value that it rejects, comes again with
 * every try: after MAX_FAILURES of them the campaign pauses, with the reason. It can be resumed, which starts the count
 * anew. The counts are in the database, so all processes share them.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { isStatementTimeout, toAppError } from '../../../platform/database/database-errors.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import { notClosed } from '../../instance/closed-teams.ts';
import { pause } from '../states.ts';

export const MAX_FAILURES = 5;
const LONGEST_GAP_SECONDS = 60;

type FailingCampaign = CamelRow<'campaigns', 'team_id' | 'id'>;

/** Throws if the failure cannot be recorded, which means that the database is away. */
export async function noteFailure(
  { db, log }: { db: Db; log: Log },
  campaign: FailingCampaign,
  error: unknown,
): Promise<void> {
  const failures = await countFailure(db, campaign);
  const campaignId = encodeId('cmp', campaign.id);
  log.error(
    { err: error, teamId: campaign.teamId, campaignId, failures },
    'campaigns: a campaign cannot continue yet',
  );
  if (failures === null || failures < MAX_FAILURES || isPassing(error)) return;
  if (await pause(db, campaign.teamId, campaign.id, describe(error)))
    log.error({ teamId: campaign.teamId, campaignId, failures }, 'campaigns: a failing campaign was paused');
}

/** Several processes may fail with the same try. Only the first one counts it; for the others the result is null. */
async function countFailure(db: Db, { teamId, id }: FailingCampaign): Promise<number | null> {
  const { rows } = await sql<CamelRow<'campaigns', 'failures'>>`
    update campaigns set failures = least(failures, 1000) + 1, failing_since = coalesce(failing_since, now()),
      next_try_at = now() + make_interval(secs => least(${LONGEST_GAP_SECONDS}, 4 ^ least(failures, 10)))
    where team_id = ${teamId} and id = ${id} and status in ('SCHEDULED', 'RUNNING')
      and (next_try_at is null or next_try_at <= clock_timestamp()) and ${notClosed}
    returning failures
  `.execute(db);
  return rows[0]?.failures ?? null;
}

/** Repairs times after the clock was set back: no failing campaign waits longer than the longest gap. */
export async function retryCampaignsNow(db: Db): Promise<void> {
  await sql`
    update campaigns set next_try_at = now()
    where status in ('SCHEDULED', 'RUNNING') and next_try_at > now() + make_interval(secs => ${LONGEST_GAP_SECONDS})
  `.execute(db);
}

/** True if the database is away or busy, or the team is moving: the campaign itself can continue later. */
function isPassing(error: unknown): boolean {
  return toAppError(error).code === 'UNAVAILABLE' && !isStatementTimeout(error);
}

/** The team reads this. What the database says may name others, so it is only in the log. */
function describe(error: unknown): string {
  const what = isStatementTimeout(error)
    ? 'the database took too long to find its recipients'
    : 'an unexpected error occurred on the server';
  return `Sending failed ${MAX_FAILURES} times in a row, because ${what}. The server log has the details. Resume the campaign to try again.`;
}
