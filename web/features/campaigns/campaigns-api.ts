import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  Campaign,
  CampaignListItem,
  CampaignStatus,
} from '../../../src/features/campaigns/campaigns.schema.ts';
import { getJson } from '../../api/client.ts';
import type { Tone } from '../../ui/badge.tsx';

const LIVE_EVERY_MS = 1_000;
const QUIET_EVERY_MS = 10_000;

export const CAMPAIGN_TONES: Record<CampaignStatus, Tone> = {
  DRAFT: 'neutral',
  SCHEDULED: 'info',
  RUNNING: 'info',
  PAUSED: 'warn',
  SENT: 'good',
};
export const CAMPAIGN_STATUSES = Object.keys(CAMPAIGN_TONES) as CampaignStatus[];

export interface CampaignFilter {
  page: number;
  status?: CampaignStatus;
  search?: string;
}

export interface CampaignList {
  campaigns: CampaignListItem[];
  totalPage: number;
}

export function campaignsQuery({ page, status, search }: CampaignFilter) {
  return queryOptions({
    queryKey: ['campaigns', 'list', page, status, search],
    queryFn: () => getJson<CampaignList>('/campaigns', { page, status, search }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.campaigns.some((campaign) => campaign.status === 'RUNNING') ? LIVE_EVERY_MS : false,
  });
}

export function campaignQuery(id: string) {
  return queryOptions({
    queryKey: ['campaigns', 'one', id],
    queryFn: () => getJson<Campaign>(`/campaigns/${id}`),
    // A draft may have been changed in another tab. Fields that were changed here stay (draft-saver.ts).
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) => {
      if (!state.data || state.data.status === 'DRAFT') return false;
      return state.data.status === 'RUNNING' || startsSoon(state.data) ? LIVE_EVERY_MS : QUIET_EVERY_MS;
    },
  });
}

/** True if the campaign may have started before it would be loaded again. */
function startsSoon({ status, scheduledAt }: Campaign): boolean {
  return status === 'SCHEDULED' && Date.parse(scheduledAt ?? '') < Date.now() + QUIET_EVERY_MS;
}
