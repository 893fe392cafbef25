/**
 * DRAFT → SCHEDULED → RUNNING → SENT, with PAUSED beside them. Each change is one transaction on the campaign's row; a
 * trigger tells every process, so that what is not to go out any more stops within a moment.
 */
import { sql } from 'kysely';
import { databaseNow, inTransaction, together, type Db } from '../../platform/database.ts';
import { badRequest, conflict } from '../../platform/errors.ts';
import { timeToLeave } from '../emails/submit.ts';
import { hasAudience } from './audience.ts';
import { canBeChanged, findCampaign, type Asking, type CampaignRow } from './campaign-row.ts';
import type { CampaignSchedule } from './campaigns.schema.ts';
import { readScheduleTime } from './schedule-time.ts';
import { tellCampaign } from './tell.ts';
import { checkTags, type TagCheck } from './unknown-tags.ts';

export async function scheduleCampaign(
  db: Db,
  caller: Asking,
  campaignId: string,
  { scheduledAt, batchSize }: CampaignSchedule,
): Promise<void> {
  const checked = await checkBeforeLock(db, await findCampaign(db, caller, campaignId));
  await inTransaction(db, async (trx) => {
    const row = await findCampaign(trx, caller, campaignId, 'locked');
    if (row.status === 'RUNNING') throw conflict('This campaign is running already.');
    if (row.status === 'SENT') throw conflict('This campaign was sent already.');
    const now = await databaseNow(trx);
    const later = timeToLeave({ scheduledAt: scheduledAt ? requireTime(scheduledAt, now) : null }, now);
    await requireReady(trx, row, checked);
    if (!later && !row.begunAt && !(await hasAudience(trx, row))) {
      throw badRequest('There is nobody to send this campaign to: no subscribed contact is in its audience.');
    }
    await move(trx, row, { status: later ? 'SCHEDULED' : 'RUNNING', at: later ?? now, batchSize });
    if (later) await tellCampaign(trx, row, 'campaign.scheduled');
    else if (row.begunAt) await tellCampaign(trx, row, 'campaign.resumed');
  });
}

/** By the clock of the database: "in an hour" is the same hour for every process. */
function requireTime(written: string, now: Date): Date {
  const at = readScheduleTime(written, now);
  if (!at) throw badRequest('scheduledAt is not a time.');
  return at;
}

/** One that is paused stays so. */
export async function pauseCampaign(db: Db, caller: Asking, campaignId: string): Promise<void> {
  const { id, teamId } = await findCampaign(db, caller, campaignId);
  if (await pause(db, teamId, id, null)) return;
  const { status } = await findCampaign(db, caller, campaignId);
  if (status === 'DRAFT') throw conflict('A campaign that is a DRAFT has nothing to pause.');
  if (status === 'SENT') throw conflict('This campaign was sent already.');
}

/** Where it was: at once, or at its time where that is still to come. */
export async function resumeCampaign(db: Db, caller: Asking, campaignId: string): Promise<void> {
  const checked = await checkBeforeLock(db, await findCampaign(db, caller, campaignId));
  await inTransaction(db, async (trx) => {
    const row = await findCampaign(trx, caller, campaignId, 'locked');
    if (row.status !== 'PAUSED') throw conflict(`This campaign is not paused but ${row.status}.`);
    await requireReady(trx, row, checked);
    const now = await databaseNow(trx);
    const later = row.scheduledAt && row.scheduledAt > now ? row.scheduledAt : null;
    await move(trx, row, { status: later ? 'SCHEDULED' : 'RUNNING', at: row.scheduledAt ?? now });
    await tellCampaign(trx, row, 'campaign.resumed');
  });
}

/** Back to a DRAFT. The lock decides between this and a runner that starts the campaign at the same moment. */
export async function unscheduleCampaign(db: Db, caller: Asking, campaignId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const row = await findCampaign(trx, caller, campaignId, 'locked');
    if (row.status === 'DRAFT') throw conflict('This campaign is a DRAFT and is not scheduled.');
    if (!canBeChanged(row)) throw conflict(describeRefusal(row, 'unscheduled'));
    await discardAudience(trx, row);
    await sql`
      update campaigns set status = 'DRAFT', status_reason = null, scheduled_at = null, rate_used_to = null,
        updated_at = now()
      where team_id = ${row.teamId} and id = ${row.id}
    `.execute(trx);
    await tellCampaign(trx, row, 'campaign.unscheduled');
  });
}

/** Why a campaign that cannot be changed any more is left as it is. */
export function describeRefusal({ status }: CampaignRow, action: 'changed' | 'unscheduled'): string {
  if (status === 'SENT') return 'This campaign was sent already.';
  if (status === 'RUNNING') return `A campaign that is RUNNING cannot be ${action}.`;
  return `A part of this campaign has been sent already, so it cannot be ${action}.`;
}

/** A campaign that was paused while its audience was written begins with a new audience. The caller holds its row. */
export async function discardAudience(trx: Db, { teamId, id, begunAt }: CampaignRow): Promise<void> {
  if (begunAt === null) return;
  await sql`delete from campaign_recipients where team_id = ${teamId} and campaign_id = ${id}`.execute(trx);
  await sql`
    update campaigns set begun_at = null, audience_book = 0, audience_after = '', audience_ready = false, total = 0,
      released_all = false
    where team_id = ${teamId} and id = ${id}
  `.execute(trx);
}

/** By itself, with the reason for it, or because somebody asked. False when it was in no state to be paused. */
export async function pause(db: Db, teamId: number, id: string, reason: string | null): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const { rows } = await sql`
      update campaigns set status = 'PAUSED', status_reason = ${reason}, updated_at = now()
      where team_id = ${teamId} and id = ${id} and status in ('SCHEDULED', 'RUNNING') and deleted_at is null returning 1
    `.execute(trx);
    if (rows.length > 0) await tellCampaign(trx, { teamId, id }, 'campaign.paused');
    return rows.length > 0;
  });
}

async function move(
  trx: Db,
  row: CampaignRow,
  to: { status: 'SCHEDULED' | 'RUNNING'; at: Date; batchSize?: number | null | undefined },
): Promise<void> {
  await sql`
    update campaigns set status = ${to.status}, status_reason = null, scheduled_at = ${to.at},
      batch_size = ${to.batchSize ?? row.batchSize}, rate_used_to = null, updated_at = now(),
      begun_at = case when ${to.status} = 'RUNNING' then coalesce(begun_at, now()) else begun_at end
    where team_id = ${row.teamId} and id = ${row.id}
  `.execute(trx);
}

/** Reading all contacts for its tags takes long. While its row is locked, others would wait for that. */
export async function checkBeforeLock(db: Db, row: CampaignRow): Promise<TagCheck | null> {
  // Its content cannot change after the first release.
  return row.hasReleased || row.status === 'SENT' || row.status === 'RUNNING' ? null : checkTags(db, row);
}

/** What may have changed since it was written. `checked` is what was found before the campaign was locked. */
export async function requireReady(trx: Db, row: CampaignRow, checked: TagCheck | null): Promise<void> {
  await holdAudience(trx, row);
  const problem = await findProblem(trx, row);
  if (problem) throw badRequest(problem);
  if (row.hasReleased) return;
  const tags = checked?.isFor(row) ? checked : await checkTags(trx, row);
  if (tags.problem) throw badRequest(tags.problem);
}

/** Whoever deletes what chooses its audience comes before this, and it is gone, or after it, and is told that it is used. */
async function holdAudience(trx: Db, row: CampaignRow): Promise<void> {
  const { teamId, contactBookIds, segmentId, excludeSegmentIds, topicId } = row;
  const hold = (table: string, ids: (string | null)[]) =>
    sql`
      select 1 from ${sql.table(table)} where team_id = ${teamId} and id = any(${ids}::uuid[]) order by id for key share
    `.execute(trx);
  await together(
    hold('contact_books', contactBookIds),
    hold('segments', [segmentId, ...excludeSegmentIds]),
    hold('topics', [topicId]),
  );
}

/**
 * Why a campaign cannot run, in a sentence; null when it can. What chooses its audience must be there until that is
 * fixed: without a segment that it leaves out it would go to all of them.
 */
export async function findProblem(
  db: Db,
  {
    teamId,
    id,
    domainId,
    contactBookIds,
  }: Pick<CampaignRow, 'teamId' | 'id' | 'domainId' | 'contactBookIds'>,
): Promise<string | null> {
  const { rows } = await sql<{ held: boolean; books: number; lacksSegment: boolean; lacksTopic: boolean }>`
    select exists (select 1 from domains where team_id = ${teamId} and id = ${domainId} and held) as held,
      (select count(*) from contact_books where team_id = ${teamId} and id = any(${contactBookIds}::uuid[])) as books,
      not c.audience_ready and exists (
        select 1 from unnest(c.exclude_segment_ids || c.segment_id) as named (id)
        where named.id is not null
          and not exists (select 1 from segments s where s.team_id = c.team_id and s.id = named.id)
      ) as "lacksSegment",
      not c.audience_ready and c.topic_id is not null
        and not exists (select 1 from topics t where t.team_id = c.team_id and t.id = c.topic_id) as "lacksTopic"
    from campaigns c where c.team_id = ${teamId} and c.id = ${id}
  `.execute(db);
  const { held, books, lacksSegment, lacksTopic } = rows[0]!;
  if (!held) return 'Its domain is not verified any more.';
  if (books < contactBookIds.length) return 'Its contact book was deleted.';
  if (lacksSegment) return 'A segment that it goes to or leaves out was deleted.';
  return lacksTopic ? 'Its topic was deleted.' : null;
}
