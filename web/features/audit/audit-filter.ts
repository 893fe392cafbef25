/** The filter of the audit log, as the address of the page has it. */
import { timesOf } from '../../ui/dates/days.ts';
import type { AuditArea } from './audit-areas.ts';

export interface AuditFilter {
  /** A kind, or the ID of a person or key. */
  actor?: string;
  /** The first part of actions. */
  area?: AuditArea;
  target?: string;
  /** Days in the time zone of the browser; both are included. */
  since?: string;
  until?: string;
}

export const ACTOR_KINDS = ['person', 'key', 'operator', 'system'] as const;

/** What the API gets for it. */
export function toAuditQuery({ actor, area, target, ...days }: AuditFilter) {
  const { since, until } = timesOf(days);
  return { actor, action: area && `${area}.`, target, from: since, to: until };
}
