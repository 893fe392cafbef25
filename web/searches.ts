/** The filters of lists in the addresses of their pages. What cannot be right is ignored. */
import type { CampaignStatus } from '../src/features/campaigns/campaigns.schema.ts';
import type { EmailStatus } from '../src/features/sending/emails/emails.schema.ts';
import { APPROVAL_STATES, type ShownState } from './features/approvals/approval-states.ts';
import type { AutomationStatus, RunStatus } from './features/automations/data/automations-api.ts';
import { CAMPAIGN_STATUSES } from './features/campaigns/campaigns-api.ts';
import { EMAIL_STATUSES } from './features/emails/email-statuses.ts';

type Search = Record<string, unknown>;

const AUTOMATION_STATUSES = ['DRAFT', 'ACTIVE', 'PAUSED', 'CLOSED'] as const;
const RUN_STATUSES = ['ACTIVE', 'DONE', 'EXITED', 'FAILED', 'CANCELLED'] as const;

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

export function dayOf(value: unknown): string | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(String(value)) ? String(value) : undefined;
}

export function tokenSearch(search: Search): { token: string } {
  return { token: textOf(search.token) ?? '' };
}

interface EmailSearch {
  status?: EmailStatus;
  domainId?: number;
  search?: string;
  since?: string;
  until?: string;
}

export function emailSearch(search: Search): EmailSearch {
  return {
    status: EMAIL_STATUSES.find((status) => status === search.status),
    domainId: Number(search.domainId) || undefined,
    search: textOf(search.search),
    since: dayOf(search.since),
    until: dayOf(search.until),
  };
}

export function approvalSearch(search: Search): { state?: ShownState } {
  return { state: [...APPROVAL_STATES, 'all' as const].find((state) => state === search.state) };
}

export function campaignSearch(search: Search): { page?: number; status?: CampaignStatus; search?: string } {
  return {
    page: Number.isInteger(search.page) && Number(search.page) > 1 ? Number(search.page) : undefined,
    status: CAMPAIGN_STATUSES.find((status) => status === search.status),
    search: textOf(search.search),
  };
}

export function automationSearch(search: Search): { status?: AutomationStatus; search?: string } {
  return {
    status: AUTOMATION_STATUSES.find((status) => status === search.status),
    search: textOf(search.search),
  };
}

export function runSearch(search: Search): { step?: string; status?: RunStatus; run?: string } {
  return {
    step: textOf(search.step),
    status: RUN_STATUSES.find((status) => status === search.status),
    run: textOf(search.run),
  };
}

export function queueSearch(search: Search): { domain?: string; campaignId?: string; held?: boolean } {
  return {
    domain: textOf(search.domain),
    campaignId: textOf(search.campaignId),
    held: typeof search.held === 'boolean' ? search.held : undefined,
  };
}

export function nextSearch(search: Search): { next?: string } {
  return { next: textOf(search.next) };
}
