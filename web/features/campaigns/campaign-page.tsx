import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { texts } from '../../texts/en.ts';
import { Page } from '../../ui/page.tsx';
import { ErrorState, SkeletonRows } from '../../ui/states.tsx';
import { CampaignProgress } from './campaign-progress.tsx';
import { campaignQuery } from './campaigns-api.ts';
import { DraftEditor } from './draft-editor.tsx';

const t = texts.campaigns;
const back = { to: '/campaigns', label: t.title } as const;

/** A draft is written here; later the same address shows how it goes, and opens it to correct it before it starts. */
export function CampaignPage() {
  const { campaignId } = useParams({ from: '/app/campaigns/$campaignId' });
  const campaign = useQuery(campaignQuery(campaignId));
  // It stays open when the campaign starts meanwhile: what was changed in it is not thrown away.
  const [editing, setEditing] = useState<string | null>(null);
  if (campaign.isPending) return <Page title={t.title} back={back} children={<SkeletonRows />} />;
  // Only without data: a draft that is being written stays when news of it could not be fetched.
  if (campaign.data === undefined) {
    return (
      <Page
        title={t.title}
        back={back}
        children={<ErrorState error={campaign.error} retry={() => void campaign.refetch()} />}
      />
    );
  }
  return campaign.data.status === 'DRAFT' || editing === campaignId ? (
    <DraftEditor key={campaignId} campaign={campaign.data} onDone={() => setEditing(null)} />
  ) : (
    <CampaignProgress campaign={campaign.data} onEdit={() => setEditing(campaignId)} />
  );
}
