import { queryOptions } from '@tanstack/react-query';
import type { Campaign } from '../../../../src/features/campaigns/campaigns.schema.ts';
import type { CampaignReport } from '../../../../src/features/campaigns/report.schema.ts';
import { getJson } from '../../../api/client.ts';

const LIVE_EVERY_MS = 2_000;
const QUIET_EVERY_MS = 15_000;
/** A campaign is SENT after the first attempt for its last recipient; most outcomes follow within this time. */
const SETTLING_MS = 60_000;

export function reportQuery(campaign: Campaign) {
  return queryOptions({
    queryKey: ['campaigns', 'report', campaign.id],
    queryFn: () => getJson<CampaignReport>(`/campaigns/${campaign.id}/report`),
    refetchInterval: () => figuresEveryMs(campaign),
  });
}

/** How often the figures of a campaign are loaded. */
export function figuresEveryMs({ status, sentAt }: Campaign): number {
  const isSettling = sentAt !== null && Date.parse(sentAt) > Date.now() - SETTLING_MS;
  return status === 'RUNNING' || isSettling ? LIVE_EVERY_MS : QUIET_EVERY_MS;
}
