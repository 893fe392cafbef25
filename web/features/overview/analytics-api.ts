import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Reputation, TimeSeries } from '../../../src/features/activity/analytics/analytics.schema.ts';
import { getJson } from '../../api/client.ts';
import type { OverviewSearch, Range } from './overview-range.ts';

export const COUNTED = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'] as const;
export type Counts = TimeSeries['totalCounts'];
export type Entry = TimeSeries['result'][number];
export type Tracked = TimeSeries['tracked'];

export function timeSeriesQuery(range: Range, { domainId, campaignId, tag }: OverviewSearch) {
  return queryOptions({
    queryKey: ['analytics', 'time-series', range, domainId, campaignId, tag],
    queryFn: () =>
      getJson<TimeSeries>('/analytics/email-time-series', { ...range, domainId, campaignId, tag }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
}

export function reputationQuery(domainId: number | undefined) {
  return queryOptions({
    queryKey: ['analytics', 'reputation', domainId],
    queryFn: () => getJson<Reputation>('/analytics/reputation-metrics', { domainId }),
    placeholderData: keepPreviousData,
  });
}
