/** The clicks on each link, as a table and as marks in the email. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CampaignPreview } from '../../../../src/features/campaigns/campaigns.schema.ts';
import type { CampaignReport } from '../../../../src/features/campaigns/report.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { texts } from '../../../texts/en.ts';
import { reportTexts } from '../../../texts/en/report.ts';
import { Section } from '../../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { MessageFrame } from '../../../ui/message-frame.tsx';
import { DataTable } from './data-table.tsx';
import { markLinks } from './link-heat.ts';

const t = reportTexts;
const { number } = texts.common;

export function ReportLinks({ campaignId, report }: { campaignId: string; report: CampaignReport }) {
  const { links, counts, tracked } = report;
  return (
    <>
      <Section title={t.links}>
        <DataTable
          label={t.links}
          rows={links}
          keyOf={({ url }) => url}
          empty={tracked.clicks ? t.noLinks : t.linksNotTracked}
          columns={[
            {
              name: t.link,
              cell: ({ url }) => (
                <a
                  href={url}
                  target="_blank"
                  rel="noreferrer"
                  className="break-all underline decoration-line underline-offset-2 hover:decoration-current"
                >
                  {url}
                </a>
              ),
            },
            { name: t.peopleName, isNumber: true, cell: ({ people }) => number(people) },
            {
              name: t.ofDelivered,
              isNumber: true,
              wideOnly: true,
              cell: ({ people }) =>
                texts.common.percent(counts.delivered === 0 ? 0 : (100 * people) / counts.delivered),
            },
            { name: t.clicks, isNumber: true, cell: ({ clicks }) => number(clicks) },
            {
              name: t.machineClicks,
              isNumber: true,
              wideOnly: true,
              cell: ({ machineClicks }) => number(machineClicks),
            },
          ]}
        />
      </Section>
      {links.length > 0 && <HeatMap campaignId={campaignId} links={links} delivered={counts.delivered} />}
    </>
  );
}

interface HeatMapProps {
  campaignId: string;
  links: CampaignReport['links'];
  delivered: number;
}

function HeatMap({ campaignId, links, delivered }: HeatMapProps) {
  const preview = useQuery({
    queryKey: ['campaigns', 'preview', campaignId, undefined],
    queryFn: () => sendJson<CampaignPreview>('POST', `/campaigns/${campaignId}/preview`, { to: null }),
    retry: false,
  });
  const html = preview.data?.html;
  const marked = useMemo(
    () => (html === undefined ? '' : markLinks(html, links, delivered)),
    [html, links, delivered],
  );
  return (
    <Section title={t.heatTitle} description={t.heatText}>
      {preview.isPending && <Skeleton className="h-[36rem]" />}
      {preview.isError && <ErrorState error={preview.error} retry={() => void preview.refetch()} />}
      {preview.isSuccess && <MessageFrame images html={marked} title={t.heatTitle} className="h-[36rem]" />}
    </Section>
  );
}
