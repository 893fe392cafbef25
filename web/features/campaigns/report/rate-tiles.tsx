/** The rates of a campaign, each with its base and a comparison with earlier campaigns. */
import type { CampaignReport } from '../../../../src/features/campaigns/report.schema.ts';
import { texts } from '../../../texts/en.ts';
import { reportTexts } from '../../../texts/en/report.ts';
import { classes } from '../../../ui/classes.ts';

const t = reportTexts;

const TILES = [
  ['openRate', 'opened'],
  ['clickRate', 'clicked'],
  ['deliveryRate', 'delivered'],
  ['bounceRate', 'bounced'],
  ['unsubscribeRate', 'unsubscribed'],
  ['complaintRate', 'complained'],
] as const;

type RateName = (typeof TILES)[number][0];

/** Rates for which lower is better. */
const HARMFUL = new Set<RateName>(['bounceRate', 'unsubscribeRate', 'complaintRate']);

interface RateTilesProps {
  report: CampaignReport;
  /** While the campaign is being sent, a comparison is meaningless. */
  isSent: boolean;
}

export function RateTiles({ report, isSent }: RateTilesProps) {
  return (
    <dl className="mb-8 grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line lg:grid-cols-3">
      {TILES.map(([name, count], place) => (
        <div key={name} className="bg-raised px-4 py-4 sm:px-5">
          <dt className="text-soft">{t.rates[name]}</dt>
          <dd>
            <RateValue {...{ report, isSent, name }} count={report.counts[count]} isMain={place < 2} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface RateValueProps extends RateTilesProps {
  name: RateName;
  count: number;
  isMain: boolean;
}

function RateValue({ report, isSent, name, count, isMain }: RateValueProps) {
  const { counts, rates, rateBases, tracked } = report;
  const isTracked = name === 'openRate' ? tracked.opens : name === 'clickRate' ? tracked.clicks : true;
  if (!isTracked) {
    return (
      <>
        <div className="text-xl font-semibold text-soft">{t.notTracked}</div>
        <div className="text-[0.8125rem] text-soft">{t.trackingHint}</div>
      </>
    );
  }
  const base = rateBases[name];
  return (
    <>
      <div
        className={classes(
          'font-semibold tracking-tight tabular-nums',
          isMain ? 'text-3xl sm:text-4xl' : 'text-2xl',
        )}
      >
        {counts[base] === 0 ? '–' : texts.common.percent(rates[name])}
      </div>
      <div className="text-[0.8125rem] text-soft tabular-nums">
        {t.of(count, counts[base], t.bases[base])}
      </div>
      {isSent && counts[base] > 0 && <Difference report={report} name={name} />}
    </>
  );
}

/** The difference to the average of the last campaigns, in percentage points. */
function Difference({ report, name }: { report: CampaignReport; name: RateName }) {
  const average = report.comparison.average?.[name] ?? null;
  if (average === null) return null;
  const points = Math.round((report.rates[name] - average) * 10) / 10;
  if (points === 0) return <div className="mt-1 text-[0.8125rem] text-soft">{t.same}</div>;
  const isGood = points > 0 !== HARMFUL.has(name);
  const signed = new Intl.NumberFormat(texts.locale, { signDisplay: 'always' }).format(points);
  return (
    <div className={classes('mt-1 text-[0.8125rem] tabular-nums', isGood ? 'text-good' : 'text-warn')}>
      {t.versus(signed)}
    </div>
  );
}
