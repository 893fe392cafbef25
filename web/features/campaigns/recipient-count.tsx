/** How many people would get a draft if it was sent now, and who is left out. */
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { useRecipientCount } from './use-recipient-count.ts';
import { AudienceCount } from './check/audience-count.tsx';

export function RecipientCount({ campaign }: { campaign: Campaign }) {
  const { data } = useRecipientCount(campaign);
  return <div className="min-w-0">{data ? <AudienceCount audience={data.audience} /> : '…'}</div>;
}
