import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { hasFailed } from '../../api/has-failed.ts';
import { texts } from '../../texts/en.ts';
import { SelectField } from '../../ui/field.tsx';
import { Card, Page, Section } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { domainsQuery } from '../domains/domains-api.ts';
import { COUNTED, reputationQuery, timeSeriesQuery, type Counts } from './analytics-api.ts';
import { DaysTable } from './days-table.tsx';
import { FirstSteps } from './first-steps.tsx';
import { RatePanel } from './rate-panel.tsx';

const t = texts.overview;
const DayChart = lazy(async () => ({ default: (await import('./day-chart.tsx')).DayChart }));

export function OverviewPage() {
  const { days = 30, domainId } = useSearch({ from: '/app/' });
  const navigate = useNavigate({ from: '/' });
  const { data: domains = [] } = useQuery(domainsQuery);
  const series = useQuery(timeSeriesQuery(days, domainId));
  return (
    <Page
      title={t.title}
      actions={
        <>
          <SelectField
            bare
            label={t.domain}
            value={domainId ?? ''}
            onChange={({ target }) =>
              void navigate({
                search: (search) => ({ ...search, domainId: Number(target.value) || undefined }),
              })
            }
          >
            <option value="">{t.allDomains}</option>
            {domains.map((domain) => (
              <option key={domain.id} value={domain.id}>
                {domain.name}
              </option>
            ))}
          </SelectField>
          <SelectField
            bare
            label={t.period}
            value={days}
            onChange={({ target }) =>
              void navigate({
                search: (search) => ({ ...search, days: target.value === '7' ? 7 : undefined }),
              })
            }
          >
            <option value={7}>{t.days(7)}</option>
            <option value={30}>{t.days(30)}</option>
          </SelectField>
        </>
      }
    >
      <FirstSteps />
      <TotalCounts counts={series.data?.totalCounts} />
      <Section title={t.chart}>
        <Card>
          {hasFailed(series) ? (
            <ErrorState error={series.error} retry={() => void series.refetch()} />
          ) : (
            <Suspense fallback={<Skeleton className="h-64" />}>
              {series.data ? (
                <DayChart days={series.data.result} label={t.chartLabel(days)} />
              ) : (
                <Skeleton className="h-64" />
              )}
            </Suspense>
          )}
        </Card>
        {series.data && <DaysTable days={series.data.result} />}
      </Section>
      <ReputationSection domainId={domainId} />
    </Page>
  );
}

function TotalCounts({ counts }: { counts: Counts | undefined }) {
  return (
    <dl className="mb-8 grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line sm:grid-cols-3 lg:grid-cols-6">
      {COUNTED.map((name) => (
        <div key={name} className="bg-raised px-4 py-3.5">
          <dt className="text-soft">{t.counts[name]}</dt>
          <dd className="mt-0.5 text-xl font-semibold tabular-nums">
            {counts ? texts.common.number(counts[name]) : <Skeleton className="my-1.5 h-4 w-12" />}
          </dd>
          <dd className="h-4 text-xs text-soft">
            {counts && name !== 'sent' && counts.sent > 0
              ? t.ofSent(percent(counts[name] / counts.sent))
              : ''}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ReputationSection({ domainId }: { domainId: number | undefined }) {
  const reputation = useQuery(reputationQuery(domainId));
  const { data } = reputation;
  return (
    <Section title={t.reputation} description={t.reputationLead}>
      {hasFailed(reputation) ? (
        <ErrorState error={reputation.error} retry={() => void reputation.refetch()} />
      ) : (
        <div className="grid gap-4 sm:grid-cols-2">
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

function percent(share: number): string {
  const maximumFractionDigits = share < 0.01 ? 2 : 1;
  return new Intl.NumberFormat(texts.locale, { style: 'percent', maximumFractionDigits }).format(share);
}
