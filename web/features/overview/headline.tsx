/** The one figure of the overview: how many emails went out, compared with the time before, and how that went. */
import { useQuery } from '@tanstack/react-query';
import { ArrowDownRight, ArrowUpRight } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { texts } from '../../texts/en.ts';
import { overviewTexts } from '../../texts/en/overview.ts';
import { addDays } from '../../ui/dates/date-text.ts';
import { Skeleton } from '../../ui/states.tsx';
import { timeSeriesQuery, type Counts, type Entry, type Tracked } from './analytics-api.ts';
import { daysBetween, type OverviewSearch, type Range } from './overview-range.ts';
import { TotalCounts } from './total-counts.tsx';

const t = overviewTexts;
const TrendChart = lazy(async () => ({ default: (await import('./trend-chart.tsx')).TrendChart }));

interface HeadlineProps {
  search: OverviewSearch;
  range: Range;
  entries: Entry[] | undefined;
  names: string[];
  counts: Counts | undefined;
  tracked: Tracked;
}

export function Headline({ search, range, entries, names, counts, tracked }: HeadlineProps) {
  const sent = useMemo(() => entries?.map((entry) => entry.sent), [entries]);
  return (
    <section aria-label={t.headline} className="mb-10">
      <dl>
        <dt className="text-soft">{t.headline}</dt>
        <dd className="mt-0.5 text-figure font-semibold tabular-nums">
          {counts ? texts.common.number(counts.sent) : <Skeleton className="my-1.5 h-9 w-40" />}
        </dd>
      </dl>
      <div className="min-h-5">{counts && <Change sent={counts.sent} range={range} search={search} />}</div>
      <div className="mt-4">
        <Suspense fallback={<Skeleton className="h-52" />}>
          {sent ? (
            <TrendChart label={t.headlineChart} name={t.counts.sent} names={names} values={sent} fromZero />
          ) : (
            <Skeleton className="h-52" />
          )}
        </Suspense>
      </div>
      <TotalCounts counts={counts} tracked={tracked} />
      <p className="mt-2 max-w-3xl text-note text-soft">{t.ratesNote}</p>
    </section>
  );
}

/** How this compares with as many days before. */
function Change({ sent, range, search }: { sent: number; range: Range; search: OverviewSearch }) {
  const days = daysBetween(range.from, range.to);
  const before = { ...range, from: addDays(range.from, -days), to: addDays(range.from, -1) };
  const { data } = useQuery(timeSeriesQuery(before, search));
  if (!data) return null;
  const earlier = data.totalCounts.sent;
  if (earlier === 0) return <p className="text-note text-soft">{t.noneBefore(days)}</p>;
  const change = Math.round((100 * (sent - earlier)) / earlier);
  const Icon = change < 0 ? ArrowDownRight : ArrowUpRight;
  return (
    <p className="flex items-center gap-1 text-note text-soft">
      {change !== 0 && <Icon aria-hidden className="size-4" />}
      {t.change(change, days)}
    </p>
  );
}
