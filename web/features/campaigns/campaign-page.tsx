import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { Page } from '../../ui/page.tsx';
import { ErrorState, SkeletonRows } from '../../ui/states.tsx';
import { campaignQuery } from './campaigns-api.ts';
import { DraftEditor } from './draft-editor.tsx';

/** Whoever writes a draft needs nothing of the report. */
const CampaignReportPage = lazy(async () => ({
  default: (await import('./campaign-report.tsx')).CampaignReportPage,
}));

const t = campaignTexts;
const back = { to: '/campaigns', label: t.title } as const;

/** Shows the editor of a draft. Later it shows the report, and can open the editor until the campaign starts. */
export function CampaignPage() {
  const { campaignId } = useParams({ from: '/app/campaigns/$campaignId' });
  const campaign = useQuery(campaignQuery(campaignId));
  // The editor stays open if the campaign starts in the meantime, so that changes are not lost.
  const [editing, setEditing] = useState<string | null>(null);
  const waiting = <Page title={t.title} back={back} children={<SkeletonRows />} />;
  if (campaign.isPending) return waiting;
  // Show this only without data, because the editor stays open when a refetch fails.
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
    <Suspense fallback={waiting}>
      <CampaignReportPage campaign={campaign.data} onEdit={() => setEditing(campaignId)} />
    </Suspense>
  );
}
