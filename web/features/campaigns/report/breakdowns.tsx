/** Mailbox providers, languages, reasons for bounces, and the previous campaigns. */
import type { Campaign } from '../../../../src/features/campaigns/campaigns.schema.ts';
import type { CampaignReport } from '../../../../src/features/campaigns/report.schema.ts';
import { texts } from '../../../texts/en.ts';
import { campaignTexts } from '../../../texts/en/campaigns.ts';
import { translationTexts } from '../../../texts/en/translations.ts';
import { reportTexts } from '../../../texts/en/report.ts';
import { Section } from '../../../ui/page.tsx';
import { TextLink } from '../../../ui/text-link.tsx';
import { Time } from '../../../ui/dates/time.tsx';
import { nameLanguage } from '../../translations/translation-fields.ts';
import { DataTable } from './data-table.tsx';

const t = reportTexts;
const { number } = texts.common;

export function Domains({ report: { domains, otherDomains, tracked } }: { report: CampaignReport }) {
  const others = otherDomains && { ...otherDomains, domain: t.otherDomains(otherDomains.domains) };
  const counts = ['sent', 'delivered', 'bounced', 'opened'] as const;
  return (
    <Section title={t.domains}>
      <DataTable
        label={t.domains}
        rows={others ? [...domains, others] : domains}
        keyOf={({ domain }) => domain}
        empty={t.noDomains}
        columns={[
          { name: t.domain, cell: ({ domain }) => domain },
          ...counts.map((name) => ({
            name: t.counts[name],
            isNumber: true,
            wideOnly: name === 'delivered',
            cell: (row: CampaignReport['domains'][number]) =>
              name === 'opened' && !tracked.opens ? '–' : number(row[name]),
          })),
        ]}
      />
    </Section>
  );
}

/** Nothing for a campaign without translations. */
export function Languages({ report: { languages, tracked } }: { report: CampaignReport }) {
  if (languages.length === 0) return null;
  const counts = ['sent', 'opened', 'clicked', 'unsubscribed'] as const;
  const isCounted = { sent: true, opened: tracked.opens, clicked: tracked.clicks, unsubscribed: true };
  return (
    <Section title={t.languages}>
      <DataTable
        label={t.languages}
        rows={languages}
        keyOf={({ language }) => language ?? ''}
        empty={t.noDomains}
        columns={[
          {
            name: translationTexts.language,
            cell: ({ language }) => (language === null ? t.defaultContent : nameLanguage(language)),
          },
          ...counts.map((name) => ({
            name: t.languageCounts[name],
            isNumber: true,
            wideOnly: name === 'unsubscribed',
            cell: (row: CampaignReport['languages'][number]) => (isCounted[name] ? number(row[name]) : '–'),
          })),
        ]}
      />
    </Section>
  );
}

export function Bounces({ report: { bounces, counts } }: { report: CampaignReport }) {
  return (
    <Section title={t.bounces}>
      <DataTable
        label={t.bounces}
        rows={bounces}
        keyOf={({ reason }) => reason}
        empty={t.noBounces}
        columns={[
          { name: t.reason, cell: ({ reason }) => t.reasons[reason] },
          { name: t.counts.bounced, isNumber: true, cell: ({ count }) => number(count) },
          {
            name: t.ofSent,
            isNumber: true,
            cell: ({ count }) => texts.common.percent(counts.sent === 0 ? 0 : (100 * count) / counts.sent),
          },
        ]}
      />
    </Section>
  );
}

interface ComparedRow {
  id: string;
  name: string;
  startedAt: string | null;
  sent: number;
  rates: CampaignReport['rates'];
  tracked: CampaignReport['tracked'];
}

export function Comparison({ campaign, report }: { campaign: Campaign; report: CampaignReport }) {
  const { campaigns } = report.comparison;
  if (campaigns.length === 0) {
    return <Section title={t.comparison} description={t.noComparison} children={null} />;
  }
  const { id, startedAt } = campaign;
  const own = { id, name: t.thisCampaign, startedAt, sent: report.counts.sent, ...report };
  const rate = (name: 'openRate' | 'clickRate', tracked: 'opens' | 'clicks') => (row: ComparedRow) =>
    row.tracked[tracked] ? texts.common.percent(row.rates[name]) : '–';
  return (
    <Section title={t.comparison}>
      <DataTable<ComparedRow>
        label={t.comparison}
        rows={[own, ...campaigns]}
        keyOf={(row) => row.id}
        isMarked={(row) => row.id === id}
        empty={t.noComparison}
        columns={[
          {
            name: t.campaign,
            cell: (row) =>
              row.id === id ? (
                row.name
              ) : (
                <TextLink to="/campaigns/$campaignId" params={{ campaignId: row.id }}>
                  {row.name}
                </TextLink>
              ),
          },
          {
            name: campaignTexts.startedAt,
            wideOnly: true,
            cell: (row) => row.startedAt && <Time at={row.startedAt} />,
          },
          { name: t.counts.sent, isNumber: true, wideOnly: true, cell: (row) => number(row.sent) },
          { name: t.rates.openRate, isNumber: true, cell: rate('openRate', 'opens') },
          { name: t.rates.clickRate, isNumber: true, cell: rate('clickRate', 'clicks') },
          {
            name: t.rates.bounceRate,
            isNumber: true,
            wideOnly: true,
            cell: (row) => texts.common.percent(row.rates.bounceRate),
          },
          {
            name: t.rates.unsubscribeRate,
            isNumber: true,
            wideOnly: true,
            cell: (row) => texts.common.percent(row.rates.unsubscribeRate),
          },
        ]}
      />
    </Section>
  );
}
