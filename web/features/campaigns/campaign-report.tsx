import { useQuery } from '@tanstack/react-query';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { hasFailed } from '../../api/has-failed.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { reportTexts } from '../../texts/en/report.ts';
import { Badge } from '../../ui/badge.tsx';
import { Page } from '../../ui/page.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AbTestResults } from './ab-test-results.tsx';
import { ArchiveChoice } from './archive-fields.tsx';
import { CampaignActions } from './campaign-actions.tsx';
import { CampaignPreview } from './campaign-preview.tsx';
import { CampaignTimes } from './campaign-times.tsx';
import { CAMPAIGN_TONES } from './campaigns-api.ts';
import { SandboxNotice } from '../../shell/sandbox-notice.tsx';
import { Recipients } from './recipients.tsx';
import { BestHourResult } from './report/best-hour-result.tsx';
import { Bounces, Comparison, Domains, Languages } from './report/breakdowns.tsx';
import { RateTiles } from './report/rate-tiles.tsx';
import { reportQuery } from './report/report-api.ts';
import { ReportLinks } from './report/report-links.tsx';
import { VisitCharts } from './report/visit-charts.tsx';

const t = campaignTexts;
const back = { to: '/campaigns', label: t.title } as const;
const SOON_MS = 60_000;

interface CampaignReportPageProps {
  campaign: Campaign;
  onEdit(): void;
}

/** A campaign that is scheduled, in progress or sent. */
export function CampaignReportPage({ campaign, onEdit }: CampaignReportPageProps) {
  const { id, status, sent, total } = campaign;
  const figures = [
    { id: 'report', name: reportTexts.title, content: <Figures campaign={campaign} part="report" /> },
    { id: 'links', name: reportTexts.links, content: <Figures campaign={campaign} part="links" /> },
    {
      id: 'recipients',
      name: t.recipients,
      content: <Recipients campaignId={id} isLive={status === 'RUNNING'} />,
    },
  ];
  const preview = {
    id: 'preview',
    name: t.preview,
    content: (
      <>
        {!campaign.editable && <ArchiveChoice campaign={campaign} />}
        <CampaignPreview campaign={campaign} />
      </>
    ),
  };
  // Long before the campaign starts, the email is more useful than figures that are all zero.
  const isWaiting = status === 'SCHEDULED' && Date.parse(campaign.scheduledAt ?? '') > Date.now() + SOON_MS;
  return (
    <Page
      wide
      title={campaign.name}
      mark={<Badge tone={CAMPAIGN_TONES[status]}>{t.statuses[status]}</Badge>}
      description={campaign.subject}
      back={back}
      actions={<CampaignActions campaign={campaign} onEdit={onEdit} />}
    >
      {campaign.statusReason && (
        <p className="mb-6 rounded-lg bg-warn-tint px-4 py-3 text-warn">{campaign.statusReason}</p>
      )}
      <SandboxNotice className="mb-6">
        {status === 'SCHEDULED' ? t.sandboxSend : t.sandboxReport}
      </SandboxNotice>
      <CampaignTimes campaign={campaign} />
      {total > 0 && status !== 'SENT' && (
        <ProgressBar label={t.progressOf(sent, total)} share={sent / total} />
      )}
      <Tabs label={t.views} tabs={isWaiting ? [preview, ...figures] : [...figures, preview]} />
    </Page>
  );
}

function Figures({ campaign, part }: { campaign: Campaign; part: 'report' | 'links' }) {
  const report = useQuery(reportQuery(campaign));
  if (report.isPending) return <Skeleton className="h-96" />;
  if (hasFailed(report)) return <ErrorState error={report.error} retry={() => void report.refetch()} />;
  if (part === 'links') return <ReportLinks campaignId={campaign.id} report={report.data} />;
  return (
    <>
      <AbTestResults campaign={campaign} />
      <BestHourResult report={report.data} />
      <RateTiles report={report.data} isSent={campaign.status === 'SENT'} />
      <VisitCharts report={report.data} />
      <div className="grid grid-cols-1 gap-x-4 lg:grid-cols-2">
        <Domains report={report.data} />
        <Languages report={report.data} />
        <Bounces report={report.data} />
      </div>
      <Comparison campaign={campaign} report={report.data} />
    </>
  );
}
