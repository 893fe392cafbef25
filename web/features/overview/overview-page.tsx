import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { hasFailed } from '../../api/has-failed.ts';
import { texts } from '../../texts/en.ts';
import { Card, Page, Section } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { reputationQuery, timeSeriesQuery } from './analytics-api.ts';
import { CountsTable } from './counts-table.tsx';
import { entryNames } from './entry-name.ts';
import { FirstSteps } from './first-steps.tsx';
import { OverviewFilters } from './overview-filters.tsx';
import { rangeOf, unfinishedAt, type Range } from './overview-range.ts';
import { RatePanel } from './rate-panel.tsx';
import { TotalCounts } from './total-counts.tsx';

const t = texts.overview;
const CountChart = lazy(async () => ({ default: (await import('./count-chart.tsx')).CountChart }));

export function OverviewPage() {
  const search = useSearch({ from: '/app/' });
  const navigate = useNavigate({ from: '/' });
  const range = rangeOf(search, new Date());
  const series = useQuery(timeSeriesQuery(range, search));
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
      <FirstSteps />
      <OverviewFilters
        search={search}
        range={range}
        change={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
      />
      {hasFailed(series) ? (
        <ErrorState error={series.error} retry={() => void series.refetch()} />
      ) : (
        <>
          <TotalCounts counts={series.data?.totalCounts} tracked={series.data?.tracked} />
          <p className="mt-2 mb-8 max-w-3xl text-[0.8125rem] text-soft">{t.ratesNote}</p>
          <Section title={t.charts.delivery}>
            <Card>{chart('delivery')}</Card>
          </Section>
          <Section title={t.charts.reactions} description={t.reactionsLead}>
            <Card>{chart('reactions')}</Card>
            {shown && <CountsTable {...shown} />}
          </Section>
        </>
      )}
      <ReputationSection domainId={search.domainId} />
    </Page>
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
