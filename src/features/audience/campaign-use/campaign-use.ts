/** Checks whether campaigns or segments use a book, segment or topic before it is deleted. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { conflict } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { recordCampaignEvent } from './record-campaign.ts';

/**
 * Called before a contact book is deleted. Throws while a campaign to the book is running; pauses scheduled campaigns
 * and records the reason. Locks campaigns before books, in the same order as starting a campaign.
 */
export async function releaseBook(trx: Db, teamId: number, bookKey: string): Promise<void> {
  const { rows } = await sql<Row<'campaigns', 'id' | 'status'>>`
    select id, status from campaigns
    where team_id = ${teamId} and ${bookKey}::uuid = any(contact_book_ids) and deleted_at is null
      and status in ('SCHEDULED', 'RUNNING', 'PAUSED')
    order by id for update
  `.execute(trx);
  if (rows.some(({ status }) => status === 'RUNNING')) {
    throw conflict('A campaign is being sent to this contact book. Pause the campaign first.');
  }
  if (rows.length === 0) return;
  await sql`
    update campaigns set status = 'PAUSED', status_reason = 'The contact book was deleted.', updated_at = now()
    where team_id = ${teamId} and ${bookKey}::uuid = any(contact_book_ids) and deleted_at is null
      and status in ('SCHEDULED', 'PAUSED')
  `.execute(trx);
  for (const { id, status } of rows) {
    if (status === 'SCHEDULED') await recordCampaignEvent(trx, { teamId, id }, 'campaign.paused');
  }
}

/**
 * Called before a segment or topic is deleted. Throws while a scheduled, running or paused campaign uses it, or while a
 * segment refers to the topic: without the topic, a campaign to that segment would reach other people.
 */
export async function refuseInUse(
  trx: Db,
  teamId: number,
  what: { segment: string } | { topic: string },
): Promise<void> {
  const usesIt =
    'topic' in what
      ? sql`topic_id = ${what.topic}`
      : sql`(segment_id = ${what.segment} or ${what.segment}::uuid = any(exclude_segment_ids))`;
  const { rows } = await sql`
    select 1 from campaigns
    where team_id = ${teamId} and ${usesIt} and deleted_at is null and status in ('SCHEDULED', 'RUNNING', 'PAUSED')
    limit 1
  `.execute(trx);
  if (rows.length > 0) {
    throw conflict(
      `An unfinished campaign uses this ${'topic' in what ? 'topic' : 'segment'}. Change or delete the campaign first.`,
    );
  }
  if ('topic' in what) await refuseInSegments(trx, teamId, what.topic);
}

async function refuseInSegments(trx: Db, teamId: number, topic: string): Promise<void> {
  const { rows } = await sql<Row<'segments', 'name'>>`
    select name from segments where team_id = ${teamId} and jsonb_path_exists(
      filter, '$.** ? (@.field == "topic" && @.value == $id)', jsonb_build_object('id', ${encodeId('top', topic)}::text)
    ) order by id limit 1
  `.execute(trx);
  if (rows[0]) {
    throw conflict(`The segment “${rows[0].name}” uses this topic. Change or delete the segment first.`);
  }
}
