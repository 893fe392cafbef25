/** What campaigns hold on to: other features ask here before they delete it. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';
import { conflict } from '../../platform/errors.ts';
import { tellCampaign } from './tell.ts';

/**
 * Before a contact book goes: a campaign that runs keeps it; one that waits is paused, and one that is paused stays
 * so, and both say why. Campaigns are locked before books, here and where they start.
 */
export async function releaseBook(trx: Db, teamId: number, bookKey: string): Promise<void> {
  const { rows } = await sql<{ id: string; status: string }>`
    select id, status from campaigns
    where team_id = ${teamId} and ${bookKey}::uuid = any(contact_book_ids) and deleted_at is null
      and status in ('SCHEDULED', 'RUNNING', 'PAUSED')
    order by id for update
  `.execute(trx);
  if (rows.some(({ status }) => status === 'RUNNING')) {
    throw conflict('A campaign is being sent to this contact book. Pause it first.');
  }
  if (rows.length === 0) return;
  await sql`
    update campaigns set status = 'PAUSED', status_reason = 'Its contact book was deleted.', updated_at = now()
    where team_id = ${teamId} and ${bookKey}::uuid = any(contact_book_ids) and deleted_at is null
      and status in ('SCHEDULED', 'PAUSED')
  `.execute(trx);
  for (const { id, status } of rows) {
    if (status === 'SCHEDULED') await tellCampaign(trx, { teamId, id }, 'campaign.paused');
  }
}

/** Before a segment or a topic goes: one that a campaign waits for or is being sent by must stay. */
export async function refuseInUse(
  trx: Db,
  teamId: number,
  what: { segment: string } | { topic: string },
): Promise<void> {
  const names =
    'topic' in what
      ? sql`topic_id = ${what.topic}`
      : sql`(segment_id = ${what.segment} or ${what.segment}::uuid = any(exclude_segment_ids))`;
  const { rows } = await sql`
    select 1 from campaigns
    where team_id = ${teamId} and ${names} and deleted_at is null and status in ('SCHEDULED', 'RUNNING', 'PAUSED')
    limit 1
  `.execute(trx);
  if (rows.length > 0) {
    throw conflict(`A campaign that is not through yet uses this ${'topic' in what ? 'topic' : 'segment'}.`);
  }
}
