import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';
import { encodeId } from '../../platform/ids.ts';
import { announce } from '../webhooks/announce.ts';
import type { EventType } from '../webhooks/event-types.ts';

/** Tells webhooks what a campaign has come to, in the transaction in which it did. */
export async function tellCampaign(
  trx: Db,
  { teamId, id }: { teamId: number; id: string },
  type: Extract<EventType, `campaign.${string}`>,
): Promise<void> {
  const { rows } = await sql<{
    name: string;
    subject: string;
    status: string;
    statusReason: string | null;
    scheduledAt: Date | null;
    total: number;
    sent: number;
  }>`
    select name, subject, status, status_reason as "statusReason", scheduled_at as "scheduledAt", total,
      (select coalesce(sum(sent), 0)::int8 from campaign_counts where team_id = ${teamId} and campaign_id = ${id}) as sent
    from campaigns where team_id = ${teamId} and id = ${id}
  `.execute(trx);
  await announce(trx, teamId, [{ type, data: { campaignId: encodeId('cmp', id), ...rows[0]! } }]);
}
