import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { getJson } from '../../api/client.ts';

export const COUNTED = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'] as const;
export type Counts = Record<(typeof COUNTED)[number], number>;
export type Day = Counts & { date: string };

export interface TimeSeries {
  result: Day[];
  totalCounts: Counts;
}

export interface Reputation {
  delivered: number;
  hardBounced: number;
  complained: number;
  bounceRate: number;
  complaintRate: number;
}

export function timeSeriesQuery(days: 7 | 30, domainId: number | undefined) {
  return queryOptions({
    queryKey: ['analytics', 'time-series', days, domainId],
    queryFn: () => getJson<TimeSeries>('/analytics/email-time-series', { days, domainId }),
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
