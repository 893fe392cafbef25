import { queryOptions } from '@tanstack/react-query';
import type { Campaign } from '../../../../src/features/campaigns/campaigns.schema.ts';
import type { CampaignReport } from '../../../../src/features/campaigns/report.schema.ts';
import { getJson } from '../../../api/client.ts';

const LIVE_EVERY_MS = 2_000;
const QUIET_EVERY_MS = 15_000;

export function reportQuery({ id, status }: Campaign) {
  return queryOptions({
    queryKey: ['campaigns', 'report', id],
    queryFn: () => getJson<CampaignReport>(`/campaigns/${id}/report`),
    refetchInterval: status === 'RUNNING' ? LIVE_EVERY_MS : QUIET_EVERY_MS,
  });
}
