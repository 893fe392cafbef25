/** The variants of an A/B test compared, and the choice of the winner. */
import { useQuery } from '@tanstack/react-query';
import { Trophy } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import type { VariantResults } from '../../../src/features/campaigns/variants.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { abTestTexts } from '../../texts/en/ab-test.ts';
import { reportTexts } from '../../texts/en/report.ts';
import { Badge } from '../../ui/badge.tsx';
import { ConfirmButton } from '../../ui/dialogs/confirm-dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { DataTable } from './report/data-table.tsx';
import { figuresEveryMs } from './report/report-api.ts';
import { letterOf } from './variant-fields.ts';

const t = abTestTexts;
const { number } = texts.common;

type Result = VariantResults['variants'][number];

/** Shows nothing for a campaign without a test. */
export function AbTestResults({ campaign }: { campaign: Campaign }) {
  const { data: results } = useQuery({
    queryKey: ['campaigns', 'variants', campaign.id],
    queryFn: () => getJson<VariantResults>(`/campaigns/${campaign.id}/variants`),
    refetchInterval: () => figuresEveryMs(campaign),
    enabled: campaign.variants !== null,
  });
  if (campaign.variants === null || results === undefined) return null;
  return (
    <Section title={t.title} description={<TestState campaign={campaign} results={results} />}>
      <Comparison campaign={campaign} results={results} />
    </Section>
  );
}

interface ResultsProps {
  campaign: Campaign;
  results: VariantResults;
}

function TestState({ campaign, results }: ResultsProps): ReactNode {
  const { winner, testSentAt, decideAt } = results;
  if (winner !== null) return t.states.decided(letterOf(winner));
  if (campaign.status === 'SENT') {
    const leader = leaderOf(campaign, results);
    return leader === null ? t.states.allSame : t.states.all(letterOf(leader));
  }
  if (testSentAt === null) return campaign.startedAt === null ? t.states.before : t.states.sending;
  if (decideAt === null || campaign.decideBy === 'person') return t.states.person;
  return (
    <>
      {t.decidesAt[campaign.decideBy]} <Time at={decideAt} precise />.
    </>
  );
}

function rate(count: number, sent: number, isTracked: boolean): string {
  return isTracked && sent > 0 ? `${texts.common.percent((100 * count) / sent)} (${number(count)})` : '–';
}

function Comparison({ campaign, results }: ResultsProps) {
  const { tracked, total } = campaign;
  const leader = leaderOf(campaign, results);
  const inTest = results.variants.reduce((sum, { recipients }) => sum + recipients, 0);
  const canChoose =
    results.testSentAt !== null && results.winner === null && campaign.status !== 'SENT' && inTest < total;
  return (
    <>
      {/* On a phone there is no space for the subjects in the table. */}
      <ul aria-hidden className="mb-3 space-y-1 sm:hidden">
        {results.variants.map(({ variant, subject }) => (
          <li key={variant} className="flex gap-2">
            <span className="font-semibold">{letterOf(variant)}</span>
            <span className="min-w-0 break-words">{subject}</span>
          </li>
        ))}
      </ul>
      <DataTable<Result>
        label={t.title}
        rows={results.variants}
        keyOf={({ variant }) => String(variant)}
        isMarked={({ variant }) => variant === results.winner}
        empty=""
        columns={[
          {
            name: t.name,
            cell: ({ variant, subject }) => (
              <>
                <span className="mr-2 font-semibold">{letterOf(variant)}</span>
                {variant === results.winner && (
                  <Badge tone="good">
                    <Trophy aria-hidden className="mr-1 size-3" />
                    {t.winner}
                  </Badge>
                )}
                {results.winner === null && variant === leader && <Badge tone="info">{t.leads}</Badge>}
                <span className="block break-words max-sm:sr-only">{subject}</span>
              </>
            ),
          },
          {
            name: t.recipients,
            isNumber: true,
            wideOnly: true,
            cell: ({ recipients }) => number(recipients),
          },
          {
            name: reportTexts.rates.deliveryRate,
            isNumber: true,
            wideOnly: true,
            cell: (row) => number(row.delivered),
          },
          {
            name: reportTexts.rates.openRate,
            isNumber: true,
            cell: ({ opened, sent }) => rate(opened, sent, tracked.opens),
          },
          {
            name: reportTexts.rates.clickRate,
            isNumber: true,
            cell: ({ clicked, sent }) => rate(clicked, sent, tracked.clicks),
          },
          ...(canChoose
            ? [
                {
                  name: t.winner,
                  isNumber: true,
                  cell: ({ variant }: Result) => (
                    <Choose campaignId={campaign.id} variant={variant} rest={total - inTest} />
                  ),
                },
              ]
            : []),
        ]}
      />
    </>
  );
}

function Choose({ campaignId, variant, rest }: { campaignId: string; variant: number; rest: number }) {
  const letter = letterOf(variant);
  return (
    <ConfirmButton
      size="small"
      title={t.chooseTitle(letter)}
      text={t.chooseText(rest)}
      action={t.chooseLetter(letter)}
      done={t.chosen(letter)}
      run={async () => {
        await sendJson('POST', `/campaigns/${campaignId}/winner`, { variant });
        await refresh('campaigns');
      }}
    >
      {t.choose}
    </ConfirmButton>
  );
}

/** Returns the variant with the highest rate so far, or null when there is none or two are equal. */
function leaderOf({ decideBy, tracked }: Campaign, { variants }: VariantResults): number | null {
  const kind = decideBy === 'clicks' || !tracked.opens ? 'clicked' : 'opened';
  const rated = variants
    .map((row) => ({ variant: row.variant, rate: row[kind] / Math.max(row.sent, 1) }))
    .toSorted((a, b) => b.rate - a.rate);
  const [first, second] = rated;
  return first && first.rate > (second?.rate ?? 0) ? first.variant : null;
}
