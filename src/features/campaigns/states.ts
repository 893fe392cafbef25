/**
 * Campaign states: DRAFT → SCHEDULED → RUNNING → SENT, and PAUSED. Each change is one transaction on the
 * campaign row. A trigger notifies every process, so that deliveries of a paused campaign stop within moments.
 */
import { sql } from 'kysely';
import { databaseNow, inTransaction, runTogether, type Db } from '../../platform/database/database.ts';
import { badRequest, conflict } from '../../platform/errors.ts';
import { findBraked } from '../sending/domains/domain-brake.ts';
import { timeToLeave } from '../sending/emails/time-to-leave.ts';
import { hasAudience } from './audience.ts';
import { bestHourOf, type BestHour } from './best-hour-setting.ts';
import { canBeChanged, findCampaign, type CampaignCaller, type CampaignRow } from './campaign-row.ts';
import { NOT_WITH_TEST, type CampaignSchedule } from './campaigns.schema.ts';
import { firstMoment, lastMoment } from './local-time.ts';
import { readScheduleTime } from './schedule-time.ts';
import { recordCampaignEvent } from '../audience/campaign-use/record-campaign.ts';
import { checkTags, type TagCheck } from './unknown-tags.ts';

export async function scheduleCampaign(
  db: Db,
  caller: CampaignCaller,
  campaignId: string,
  { scheduledAt, localTime, bestHour, batchSize }: CampaignSchedule,
): Promise<void> {
  const checked = await checkBeforeLock(db, await findCampaign(db, caller, campaignId));
  await inTransaction(db, async (trx) => {
    const row = await findCampaign(trx, caller, campaignId, 'locked');
    if (row.status === 'RUNNING') throw conflict('This campaign is already running.');
    if (row.status === 'SENT') throw conflict('This campaign has already been sent.');
    const now = await databaseNow(trx);
    const local = localTimeOf(row, localTime ?? null, now);
    const later =
      localTime && local
        ? whenAhead(firstMoment(local), now)
        : timeToLeave({ scheduledAt: scheduledAt ? requireTime(scheduledAt, now) : null }, now);
    await requireReady(trx, row, checked);
    // The ledger has the send times of the previous local time.
    const best = bestHourFor(row, bestHour ?? null);
    const isPlannedAnew = local !== row.localTime || !isSameHour(best, bestHourOf(row));
    if (isPlannedAnew) await discardAudience(trx, row);
    if (!later && (isPlannedAnew || !row.begunAt) && !(await hasAudience(trx, row))) {
      throw badRequest('This campaign has no recipients. Its audience contains no subscribed contacts.');
    }
    await move(trx, row, {
      status: later ? 'SCHEDULED' : 'RUNNING',
      at: later ?? now,
      batchSize,
      local,
      best,
    });
    if (later) await recordCampaignEvent(trx, row, 'campaign.scheduled');
    else if (row.begunAt) await recordCampaignEvent(trx, row, 'campaign.resumed');
  });
}

/** The new local time of the campaign. It cannot change after the first release. */
function localTimeOf(row: CampaignRow, wanted: string | null, now: Date): string | null {
  if (row.hasReleased) {
    if (wanted && wanted !== row.localTime) {
      throw conflict('Part of this campaign has already been sent, so its localTime cannot be changed.');
    }
    return row.localTime;
  }
  if (!wanted) return null;
  if (row.variants) throw badRequest(`localTime ${NOT_WITH_TEST}.`);
  if (lastMoment(wanted) < now) throw badRequest('localTime has passed in every time zone.');
  return wanted;
}

/** It cannot change after the first release either. */
function bestHourFor(row: CampaignRow, wanted: BestHour | null): BestHour | null {
  const now = bestHourOf(row);
  if (row.hasReleased) {
    if (wanted && !isSameHour(wanted, now))
      throw conflict('Part of this campaign has already been sent, so its bestHour cannot be changed.');
    return now;
  }
  if (wanted && row.variants) throw badRequest(`bestHour ${NOT_WITH_TEST}.`);
  return wanted;
}

function isSameHour(one: BestHour | null, other: BestHour | null): boolean {
  return one?.withinHours === other?.withinHours && one?.holdoutPercent === other?.holdoutPercent;
}

function whenAhead(at: Date, now: Date): Date | null {
  return at > now ? at : null;
}

/** Uses the database clock, so that "in an hour" means the same in every process. */
function requireTime(text: string, now: Date): Date {
  const at = readScheduleTime(text, now);
  if (!at) throw badRequest('scheduledAt is not a valid time.');
  return at;
}

/** Pausing a paused campaign does nothing. */
export async function pauseCampaign(db: Db, caller: CampaignCaller, campaignId: string): Promise<void> {
  const { id, teamId } = await findCampaign(db, caller, campaignId);
  if (await pause(db, teamId, id, null)) return;
  const { status } = await findCampaign(db, caller, campaignId);
  if (status === 'DRAFT') throw conflict('A DRAFT campaign cannot be paused.');
  if (status === 'SENT') throw conflict('This campaign has already been sent.');
}

/** Continues immediately, or at the scheduled time if that is in the future. */
export async function resumeCampaign(db: Db, caller: CampaignCaller, campaignId: string): Promise<void> {
  const checked = await checkBeforeLock(db, await findCampaign(db, caller, campaignId));
  await inTransaction(db, async (trx) => {
    const row = await findCampaign(trx, caller, campaignId, 'locked');
    if (row.status !== 'PAUSED')
      throw conflict(`Only a PAUSED campaign can be resumed. This campaign is ${row.status}.`);
    await requireReady(trx, row, checked);
    const now = await databaseNow(trx);
    const later = row.scheduledAt && row.scheduledAt > now ? row.scheduledAt : null;
    const status = later ? 'SCHEDULED' : 'RUNNING';
    await move(trx, row, { status, at: row.scheduledAt ?? now, local: row.localTime, best: bestHourOf(row) });
    await recordCampaignEvent(trx, row, 'campaign.resumed');
  });
}

/** Makes the campaign a DRAFT again. The row lock decides between this and a runner that starts it at the same time. */
export async function unscheduleCampaign(db: Db, caller: CampaignCaller, campaignId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const row = await findCampaign(trx, caller, campaignId, 'locked');
    if (row.status === 'DRAFT') throw conflict('This campaign is a DRAFT and is not scheduled.');
    if (!canBeChanged(row)) throw conflict(describeRefusal(row, 'unscheduled'));
    await discardAudience(trx, row);
    await sql`
      update campaigns set status = 'DRAFT', status_reason = null, scheduled_at = null, local_time = null,
        best_within_hours = null, holdout_percent = null,
        rate_used_to = null, updated_at = now(), ${NO_FAILURES}
      where team_id = ${row.teamId} and id = ${row.id}
    `.execute(trx);
    await recordCampaignEvent(trx, row, 'campaign.unscheduled');
  });
}

/** Explains why a campaign can no longer be changed. */
export function describeRefusal({ status }: CampaignRow, action: 'changed' | 'unscheduled'): string {
  if (status === 'SENT') return 'This campaign has already been sent.';
  if (status === 'RUNNING') return `A RUNNING campaign cannot be ${action}.`;
  return `Part of this campaign has already been sent, so it cannot be ${action}.`;
}

/**
 * A campaign that was paused before its first release gets a new audience. The caller must hold the row lock. The
 * runner removes the old one in chunks before it writes the new one; until then report/recipients.ts does not show it.
 */
export async function discardAudience(trx: Db, { teamId, id, begunAt }: CampaignRow): Promise<void> {
  if (begunAt === null) return;
  await sql`
    update campaigns set begun_at = null, audience_book = 0, audience_after = '', audience_ready = false, total = 0
    where team_id = ${teamId} and id = ${id}
  `.execute(trx);
}

/** Returns false when the campaign was not in a state that can be paused. `reason` is null when a user paused it. */
export async function pause(db: Db, teamId: number, id: string, reason: string | null): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const { rows } = await sql`
      update campaigns set status = 'PAUSED', status_reason = ${reason}, updated_at = now()
      where team_id = ${teamId} and id = ${id} and status in ('SCHEDULED', 'RUNNING') and deleted_at is null returning 1
    `.execute(trx);
    if (rows.length > 0) await recordCampaignEvent(trx, { teamId, id }, 'campaign.paused');
    return rows.length > 0;
  });
}

/** A person looked at the campaign, so its failures are counted anew. */
const NO_FAILURES = sql`failures = 0, failing_since = null, next_try_at = null, checked_at = null`;

async function move(
  trx: Db,
  row: CampaignRow,
  to: {
    status: 'SCHEDULED' | 'RUNNING';
    at: Date;
    local: string | null;
    best: BestHour | null;
    batchSize?: number | null | undefined;
  },
): Promise<void> {
  await sql`
    update campaigns set status = ${to.status}, status_reason = null, scheduled_at = ${to.at}, local_time = ${to.local},
      best_within_hours = ${to.best?.withinHours ?? null}, holdout_percent = ${to.best?.holdoutPercent ?? null},
      batch_size = ${to.batchSize ?? row.batchSize}, rate_used_to = null, updated_at = now(), ${NO_FAILURES},
      begun_at = case when ${to.status} = 'RUNNING' then coalesce(begun_at, now()) else begun_at end
    where team_id = ${row.teamId} and id = ${row.id}
  `.execute(trx);
}

/** Checking tags may read all contacts, so it runs before the campaign row is locked. */
export async function checkBeforeLock(db: Db, row: CampaignRow): Promise<TagCheck | null> {
  // The content cannot change after the first release.
  return row.hasReleased || row.status === 'SENT' || row.status === 'RUNNING' ? null : checkTags(db, row);
}

/** Checks everything that may have changed since the campaign was written. `checked` is from before the lock. */
export async function requireReady(trx: Db, row: CampaignRow, checked: TagCheck | null): Promise<void> {
  await lockAudience(trx, row);
  const braked = await findBrakeOf(trx, row);
  if (braked) throw conflict(describeBrake(braked));
  const problem = await findProblem(trx, row);
  if (problem) throw badRequest(problem);
  if (row.hasReleased) return;
  const tags = checked?.isFor(row) ? checked : await checkTags(trx, row);
  if (tags.problem) throw badRequest(tags.problem);
}

/** Locks everything that selects the audience. A concurrent delete either comes first, or finds it in use. */
async function lockAudience(trx: Db, row: CampaignRow): Promise<void> {
  const { teamId, contactBookIds, segmentId, excludeSegmentIds, topicId } = row;
  const lockRows = (table: string, ids: (string | null)[]) =>
    sql`
      select 1 from ${sql.table(table)} where team_id = ${teamId} and id = any(${ids}::uuid[]) order by id for key share
    `.execute(trx);
  await runTogether(
    lockRows('contact_books', contactBookIds),
    lockRows('segments', [segmentId, ...excludeSegmentIds]),
    lockRows('topics', [topicId]),
  );
}

/** Returns the name of a sending domain whose brake is on (deliverability/brakes), or null. */
function findBrakeOf(
  db: Db,
  { teamId, domainId, variants }: Pick<CampaignRow, 'teamId' | 'domainId' | 'variants'>,
): Promise<string | null> {
  return findBraked(db, teamId, [domainId, ...(variants ?? []).flatMap((variant) => variant.domainId ?? [])]);
}

function describeBrake(name: string): string {
  return `The brake of ${name} is on. Release it on the page of the domain first.`;
}

/**
 * Returns why a campaign cannot run, or null. Everything that selects the audience must exist until the
 * audience is written: without an excluded segment the campaign would go to its members too.
 */
export async function findProblem(
  db: Db,
  {
    teamId,
    id,
    domainId,
    contactBookIds,
    variants,
  }: Pick<CampaignRow, 'teamId' | 'id' | 'domainId' | 'contactBookIds' | 'variants'>,
): Promise<string | null> {
  const domainIds = [domainId, ...(variants ?? []).flatMap((variant) => variant.domainId ?? [])];
  const { rows } = await sql<{
    held: boolean;
    books: number;
    lacksSegment: boolean;
    lacksTopic: boolean;
    lacksCampaign: boolean;
  }>`
    select not exists (
        select 1 from unnest(${domainIds}::integer[]) as sender (id)
        where not exists (select 1 from domains d where d.team_id = ${teamId} and d.id = sender.id and d.held)
      ) as held,
      (select count(*) from contact_books where team_id = ${teamId} and id = any(${contactBookIds}::uuid[])) as books,
      not c.audience_ready and exists (
        select 1 from unnest(c.exclude_segment_ids || c.segment_id) as named (id)
        where named.id is not null
          and not exists (select 1 from segments s where s.team_id = c.team_id and s.id = named.id)
      ) as "lacksSegment",
      not c.audience_ready and c.topic_id is not null
        and not exists (select 1 from topics t where t.team_id = c.team_id and t.id = c.topic_id) as "lacksTopic",
      not c.audience_ready and c.exclude_campaign_id is not null and not exists (
        select 1 from campaigns o where o.team_id = c.team_id and o.id = c.exclude_campaign_id and o.deleted_at is null
      ) as "lacksCampaign"
    from campaigns c where c.team_id = ${teamId} and c.id = ${id}
  `.execute(db);
  const { held, books, lacksSegment, lacksTopic, lacksCampaign } = rows[0]!;
  if (!held) return 'The sending domain is no longer verified.';
  if (books < contactBookIds.length) return 'The contact book was deleted.';
  if (lacksSegment) return 'A segment of this campaign was deleted.';
  if (lacksCampaign) return 'The campaign in excludeCampaignId was deleted.';
  if (lacksTopic) return 'The topic was deleted.';
  const braked = await findBrakeOf(db, { teamId, domainId, variants });
  return braked && describeBrake(braked);
}
