/**
 * The server's check of a campaign: first without its links, then with the responses of the servers that they lead to.
 */
import { useQuery } from '@tanstack/react-query';
import type { CampaignCheck } from '../../../../src/features/campaigns/check/check.schema.ts';
import { getJson } from '../../../api/client.ts';

export interface RunningCheck {
  /** Undefined until the first part has arrived. */
  check: CampaignCheck | undefined;
  /** True while the targets of the links are requested. */
  isAsking: boolean;
  hasFailed: boolean;
}

export function useCampaignCheck(campaignId: string): RunningCheck {
  const quick = useQuery(checkQuery(campaignId, false));
  const full = useQuery({ ...checkQuery(campaignId, true), enabled: quick.isSuccess || quick.isError });
  return {
    check: full.data ?? quick.data,
    isAsking: full.isPending,
    hasFailed: full.isError,
  };
}

/** Never cached: the campaign, its contacts and the pages behind its links may have changed. */
function checkQuery(campaignId: string, links: boolean) {
  return {
    queryKey: ['campaigns', 'check', campaignId, links],
    queryFn: () => getJson<CampaignCheck>(`/campaigns/${campaignId}/check`, { links: String(links) }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  };
}
