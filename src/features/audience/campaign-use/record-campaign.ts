/**
 * Records events of campaigns. This file is not in `campaigns`, because deleting a contact book pauses the campaigns
 * that use it.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import type { EventType } from '../../events/event-types.ts';
import { recordEvents } from '../../events/record-events.ts';

type CampaignState = CamelRow<'campaigns', 'name' | 'subject' | 'status' | 'scheduled_at' | 'total'> & {
  sent: number;
};

/** The part of a campaign that the API and webhooks both show. */
export function presentCampaignState({ name, subject, status, scheduledAt, total, sent }: CampaignState) {
  return { name, subject, status, scheduledAt: scheduledAt?.toISOString() ?? null, total, sent };
}

/** Records the event in the transaction of the change. */
export async function recordCampaignEvent(
  trx: Db,
  { teamId, id }: { teamId: number; id: string },
  type: Extract<EventType, `campaign.${string}`>,
): Promise<void> {
  const { rows } = await sql<CampaignState & CamelRow<'campaigns', 'status_reason'>>`
    select name, subject, status, status_reason as "statusReason", scheduled_at as "scheduledAt", total,
      (select coalesce(sum(sent), 0)::int8 from campaign_counts where team_id = ${teamId} and campaign_id = ${id}) as sent
    from campaigns where team_id = ${teamId} and id = ${id}
  `.execute(trx);
  const [{ statusReason, ...state }] = rows as [(typeof rows)[number]];
  const notice = { campaignId: encodeId('cmp', id), ...presentCampaignState(state), statusReason };
  await recordEvents(trx, teamId, [{ type, subjectId: id, notice }]);
}
