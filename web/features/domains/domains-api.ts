import { queryOptions } from '@tanstack/react-query';
import type { DomainHealth } from '../../../src/features/deliverability/health/health.schema.ts';
import type {
  DmarcReports,
  TlsReports,
} from '../../../src/features/deliverability/reports/reports.schema.ts';
import type { Domain, DomainStatus } from '../../../src/features/sending/domains/domains.schema.ts';
import { getJson } from '../../api/client.ts';
import type { Tone } from '../../ui/badge.tsx';

const LOOK_AGAIN_MS = 1_500;
const HEALTH_STALE_MS = 20_000;

export const domainsQuery = queryOptions({
  queryKey: ['domains'],
  queryFn: () => getJson<Domain[]>('/domains'),
  refetchInterval: ({ state }) =>
    state.data?.some(({ isVerifying }) => isVerifying) ? LOOK_AGAIN_MS : false,
});

export function domainQuery(id: string) {
  return queryOptions({
    queryKey: ['domains', id],
    queryFn: () => getJson<Domain>(`/domains/${id}`),
    refetchInterval: ({ state }) => (state.data?.isVerifying ? LOOK_AGAIN_MS : false),
  });
}

/** Looking takes seconds, so the answer is kept for a while. A change of the domain asks again. */
export function healthQuery(id: number) {
  return queryOptions({
    queryKey: ['domains', String(id), 'health'],
    queryFn: () => getJson<DomainHealth>(`/domains/${id}/health`),
    staleTime: HEALTH_STALE_MS,
  });
}

const REPORT_DAYS = 30;

/** The day that many days ago, in UTC. */
function firstDay(): string {
  return new Date(Date.now() - REPORT_DAYS * 86_400_000).toISOString().slice(0, 10);
}

export function dmarcReportsQuery(id: number) {
  return queryOptions({
    queryKey: ['domains', String(id), 'dmarc'],
    queryFn: () => getJson<DmarcReports>(`/domains/${id}/reports/dmarc?from=${firstDay()}`),
  });
}

export function tlsReportsQuery(id: number) {
  return queryOptions({
    queryKey: ['domains', String(id), 'tls'],
    queryFn: () => getJson<TlsReports>(`/domains/${id}/reports/tls?from=${firstDay()}`),
  });
}

export function toneOfDomain(status: DomainStatus): Tone {
  switch (status) {
    case 'SUCCESS':
      return 'good';
    case 'FAILED':
      return 'bad';
    case 'TEMPORARY_FAILURE':
      return 'warn';
    case 'PENDING':
      return 'info';
    case 'NOT_STARTED':
      return 'neutral';
  }
}
