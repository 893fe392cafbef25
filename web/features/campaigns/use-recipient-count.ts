/** How many people would get a campaign now, counted again when a change of its audience has been saved. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import type { CampaignCheck } from '../../../src/features/campaigns/check/check.schema.ts';
import { getJson } from '../../api/client.ts';

export function useRecipientCount(campaign: Campaign) {
  const { id, contactBookIds, segmentId, topicId, excludeSegmentIds, excludeCampaignId, notOpened } =
    campaign;
  const audience = [contactBookIds, segmentId, topicId, excludeSegmentIds, excludeCampaignId, notOpened];
  return useQuery({
    queryKey: ['campaigns', 'recipient-count', id, JSON.stringify(audience)],
    queryFn: () => getJson<CampaignCheck>(`/campaigns/${id}/check`, { links: 'false' }),
    placeholderData: keepPreviousData,
  });
}
