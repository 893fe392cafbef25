/** How many people would get a draft if it was sent now, counted again when its audience has been saved. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import type { CampaignCheck } from '../../../src/features/campaigns/check/check.schema.ts';
import { getJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { AudienceCount } from './check/audience-count.tsx';

const t = texts.campaigns;

export function RecipientCount({ campaign }: { campaign: Campaign }) {
  const { id, contactBookIds, segmentId, topicId, excludeSegmentIds, excludeCampaignId, notOpened } =
    campaign;
  const audience = [contactBookIds, segmentId, topicId, excludeSegmentIds, excludeCampaignId, notOpened];
  const { data } = useQuery({
    queryKey: ['campaigns', 'recipient-count', id, JSON.stringify(audience)],
    queryFn: () => getJson<CampaignCheck>(`/campaigns/${id}/check`, { links: 'false' }),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="min-w-0 sm:col-span-full">
      <span className="mr-3 font-medium">{t.recipients}</span>
      {data ? <AudienceCount audience={data.audience} /> : '…'}
    </div>
  );
}
