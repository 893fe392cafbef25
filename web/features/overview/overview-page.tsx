import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import type { TimeSeries } from '../../../src/features/activity/analytics/analytics.schema.ts';
import { getJson } from '../../api/client.ts';
import { hasFailed } from '../../api/has-failed.ts';
import { texts } from '../../texts/en.ts';
import { overviewTexts } from '../../texts/en/overview.ts';
import { Page, Section } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { reputationQuery, timeSeriesQuery } from './analytics-api.ts';
import { Today } from './attention.tsx';
import { CountsTable } from './counts-table.tsx';
import { entryNames } from './entry-name.ts';
import { Headline } from './headline.tsx';
import { OverviewFilters } from './overview-filters.tsx';
import { rangeOf, unfinishedAt, type OverviewSearch, type Range } from './overview-range.ts';
import { RatePanel } from './rate-panel.tsx';

const t = overviewTexts;
const StartPath = lazy(async () => ({ default: (await import('./start-path.tsx')).StartPath }));
const PathHint = lazy(async () => ({ default: (await import('./start-path.tsx')).PathHint }));
const AudienceGrowth = lazy(async () => ({
  default: (await import('./audience-growth.tsx')).AudienceGrowth,
}));
const ActiveAutomations = lazy(async () => ({
  default: (await import('../automations/summaries/active-automations.tsx')).ActiveAutomations,
}));
const CountChart = lazy(async () => ({ default: (await import('./count-chart.tsx')).CountChart }));

export function OverviewPage() {
  const search = useSearch({ from: '/app/' });
  const range = rangeOf(search, new Date());
  const series = useQuery(timeSeriesQuery(range, search));
  const emails = useQuery({
    queryKey: ['emails', 'any'],
    queryFn: () => getJson<{ items: unknown[] }>('/emails', { limit: 1 }),
  });
  // Someone who looks for something in particular is not at the beginning.
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  if (!isFiltered && emails.isPending) return <Page title={t.title} children={<OverviewSkeleton />} />;
  const hasSent = (emails.data?.items.length ?? 1) > 0 || (series.data?.totalCounts.sent ?? 0) > 0;
  if (!isFiltered && !hasSent && series.isSuccess) {
    return (
      <Page title={t.title}>
        <Suspense fallback={<OverviewSkeleton />}>
          <StartPath hasSent={false} />
        </Suspense>
      </Page>
    );
  }
  return <Figures search={search} range={range} series={series} isFiltered={isFiltered} />;
}

interface FiguresProps {
  search: OverviewSearch;
  range: Range;
  series: UseQueryResult<TimeSeries>;
  isFiltered: boolean;
}

function Figures({ search, range, series, isFiltered }: FiguresProps) {
  const navigate = useNavigate({ from: '/' });
  const entries = series.data?.result;
  const { names, unfinished } = useNames(entries, range);
  const shown = entries && { entries, names, unfinished };
  const chart = (kind: 'delivery' | 'reactions') => (
    <Suspense fallback={<Skeleton className="h-64" />}>
      {shown ? (
        <CountChart kind={kind} label={t.chartLabels[kind]} {...shown} />
      ) : (
        <Skeleton className="h-64" />
      )}
    </Suspense>
  );
  return (
    <Page title={t.title}>
      <OverviewFilters
        search={search}
        range={range}
        change={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
      />
      {hasFailed(series) ? (
        <ErrorState error={series.error} retry={() => void series.refetch()} />
      ) : (
        <Headline
          search={search}
          range={range}
          entries={entries}
          names={names}
          counts={series.data?.totalCounts}
          tracked={series.data?.tracked}
        />
      )}
      <Today />
      <Suspense>
        <ActiveAutomations />
      </Suspense>
      <Suspense fallback={<Skeleton className="mb-10 h-72" />}>
        <AudienceGrowth range={range} />
        {!isFiltered && <PathHint />}
      </Suspense>
      {!hasFailed(series) && (
        <>
          <div className="grid grid-cols-1 gap-x-8 lg:grid-cols-2">
            <Section title={t.charts.delivery}>{chart('delivery')}</Section>
            <Section title={t.charts.reactions}>{chart('reactions')}</Section>
          </div>
          <p className="-mt-4 text-note text-soft">{t.reactionsLead}</p>
          <div className="mb-10">{shown && <CountsTable {...shown} />}</div>
        </>
      )}
      <ReputationSection domainId={search.domainId} />
    </Page>
  );
}

function OverviewSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">{texts.common.loading}</span>
      <Skeleton className="mb-8 h-8 w-80" />
      <Skeleton className="mb-4 h-12 w-40" />
      <Skeleton className="h-52" />
    </div>
  );
}

/** `entries` may still belong to the previous range. Their dates have the same form unless the interval changed. */
function useNames(entries: { date: string }[] | undefined, range: Range) {
  const { interval, timezone, from, to } = range;
  return useMemo(() => {
    const shown = { interval, timezone, from, to };
    const dates = entries?.map(({ date }) => date) ?? [];
    return {
      names: entryNames(dates, shown),
      unfinished: unfinishedAt(dates, shown, new Date()),
    };
  }, [entries, interval, timezone, from, to]);
}

function ReputationSection({ domainId }: { domainId: number | undefined }) {
  const reputation = useQuery(reputationQuery(domainId));
  const { data } = reputation;
  return (
    <Section title={t.reputation} description={t.reputationLead}>
      {hasFailed(reputation) ? (
        <ErrorState error={reputation.error} retry={() => void reputation.refetch()} />
      ) : (
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <RatePanel
            name={t.bounceRate}
            explanation={t.bounceLimit}
            rate={data?.bounceRate}
            count={data?.hardBounced}
            total={data && data.delivered + data.hardBounced}
            watchAt={2}
            limitAt={5}
            scaleTo={10}
          />
          <RatePanel
            name={t.complaintRate}
            explanation={t.complaintLimit}
            rate={data?.complaintRate}
            count={data?.complained}
            total={data?.delivered}
            watchAt={0.1}
            limitAt={0.3}
            scaleTo={0.6}
          />
        </div>
      )}
    </Section>
  );
}
