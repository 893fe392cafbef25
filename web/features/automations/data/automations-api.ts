/** The queries of automations. */
import { queryOptions } from '@tanstack/react-query';
import type {
  Automation,
  AutomationCheck,
  AutomationListItem,
  PublishImpact,
} from '../../../../src/features/automations/definition/automations.schema.ts';
import type {
  AutomationReport,
  AutomationRun,
  AutomationRunDetails,
  ContactRun,
} from '../../../../src/features/automations/reports/runs.schema.ts';
import { getJson } from '../../../api/client.ts';
import { cursorList, type CursorPage } from '../../../api/pages.ts';
import type { Tone } from '../../../ui/badge.tsx';

const LIVE_EVERY_MS = 5_000;

export type AutomationStatus = Automation['status'];
export type RunStatus = AutomationRun['status'];

export const AUTOMATION_TONES: Record<AutomationStatus, Tone> = {
  DRAFT: 'neutral',
  ACTIVE: 'good',
  PAUSED: 'warn',
  CLOSED: 'neutral',
};
export const RUN_TONES: Record<RunStatus, Tone> = {
  ACTIVE: 'info',
  DONE: 'good',
  EXITED: 'neutral',
  FAILED: 'bad',
  CANCELLED: 'neutral',
};
export const AUTOMATION_STATUSES = Object.keys(AUTOMATION_TONES) as AutomationStatus[];
export const RUN_STATUSES = Object.keys(RUN_TONES) as RunStatus[];

export function automationsQuery(filter: { status?: AutomationStatus; search?: string }) {
  return cursorList<AutomationListItem>(['automations', 'list'], '/automations', filter, 50);
}

export function automationQuery(id: string) {
  return queryOptions({
    queryKey: ['automations', 'one', id],
    queryFn: () => getJson<Automation>(`/automations/${id}`),
    // It may have been changed in another tab. What was changed here stays (automation-saver.ts).
    refetchOnWindowFocus: 'always',
  });
}

export function reportQuery(id: string) {
  return queryOptions({
    queryKey: ['automations', 'report', id],
    queryFn: () => getJson<AutomationReport>(`/automations/${id}/report`),
    refetchInterval: LIVE_EVERY_MS,
  });
}

export function checkQuery(id: string) {
  return queryOptions({
    queryKey: ['automations', 'check', id],
    queryFn: () => getJson<AutomationCheck>(`/automations/${id}/check`),
    staleTime: 0,
    gcTime: 0,
  });
}

export function impactQuery(id: string) {
  return queryOptions({
    queryKey: ['automations', 'impact', id],
    queryFn: () => getJson<PublishImpact>(`/automations/${id}/publish-impact`),
    staleTime: 0,
    gcTime: 0,
  });
}

export function runsQuery(id: string, filter: { status?: RunStatus; step?: string }) {
  return cursorList<AutomationRun>(['automations', 'runs', id], `/automations/${id}/runs`, filter);
}

export function runQuery(id: string) {
  return queryOptions({
    queryKey: ['automations', 'run', id],
    queryFn: () => getJson<AutomationRunDetails>(`/automation-runs/${id}`),
    refetchInterval: ({ state }) => (state.data?.status === 'ACTIVE' ? LIVE_EVERY_MS : false),
  });
}

export function contactRunsQuery(contactId: string) {
  return queryOptions({
    queryKey: ['automations', 'of-contact', contactId],
    queryFn: () => getJson<CursorPage<ContactRun>>('/automation-runs', { contactId, limit: 5 }),
  });
}
