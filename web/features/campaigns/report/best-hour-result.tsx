/** Whether sending at each person's best hour helped: the groups beside each other, and a sentence. */
import type { CampaignReport } from '../../../../src/features/campaigns/report.schema.ts';
import { texts } from '../../../texts/en.ts';
import { bestHourTexts } from '../../../texts/en/best-hour.ts';
import { reportTexts } from '../../../texts/en/report.ts';
import { Section } from '../../../ui/page.tsx';
import { compareGroups } from './compare-groups.ts';
import { DataTable } from './data-table.tsx';

const t = bestHourTexts;
const { number, percent } = texts.common;
const GROUPS = ['best', 'holdout'] as const;

/** Nothing for a campaign that everyone gets at the same time. */
export function BestHourResult({ report: { bestHour, tracked } }: { report: CampaignReport }) {
  if (!bestHour) return null;
  return (
    <Section title={t.title} description={describe(bestHour, tracked)}>
      <DataTable<(typeof GROUPS)[number]>
        label={t.title}
        rows={bestHour.holdoutPercent === 0 ? ['best'] : GROUPS}
        keyOf={(group) => group}
        empty=""
        columns={[
          { name: t.group, cell: (group) => t[group] },
          {
            name: reportTexts.languageCounts.sent,
            isNumber: true,
            cell: (group) => number(bestHour[group].sent),
          },
          {
            name: reportTexts.languageCounts.opened,
            isNumber: true,
            cell: (group) => rate(bestHour[group].opened, bestHour[group].sent, tracked.opens),
          },
          {
            name: reportTexts.languageCounts.clicked,
            isNumber: true,
            cell: (group) => rate(bestHour[group].clicked, bestHour[group].sent, tracked.clicks),
          },
          {
            name: reportTexts.languageCounts.unsubscribed,
            isNumber: true,
            wideOnly: true,
            cell: (group) => number(bestHour[group].unsubscribed),
          },
        ]}
      />
    </Section>
  );
}

function rate(count: number, sent: number, isTracked: boolean): string {
  return isTracked && sent > 0 ? `${percent((100 * count) / sent)} (${number(count)})` : '–';
}

function describe(
  { best, holdout, holdoutPercent }: NonNullable<CampaignReport['bestHour']>,
  tracked: CampaignReport['tracked'],
): string {
  if (holdoutPercent === 0) return t.noHoldout;
  if (!tracked.opens && !tracked.clicks) return t.notTracked;
  const kind = tracked.opens ? 'opened' : 'clicked';
  const compared = compareGroups(best, holdout, kind);
  if (!compared) return t.tooEarly;
  const { verdict, points } = compared;
  const texts = t.verdicts[kind];
  return verdict === 'same' ? texts.same : texts[verdict](number(points));
}
