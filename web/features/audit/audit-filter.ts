/** The filter of the audit log, as the address of the page has it. */
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
export function toAuditQuery({ actor, area, target, since, until }: AuditFilter) {
  return {
    actor,
    action: area && `${area}.`,
    target,
    from: startOf(since, 0),
    to: startOf(until, 1),
  };
}

/** Returns the beginning of a day in the time zone of the browser, or of a later day. */
function startOf(day: string | undefined, daysLater: number): string | undefined {
  if (day === undefined) return undefined;
  const at = new Date(`${day}T00:00`);
  if (Number.isNaN(at.getTime())) return undefined;
  at.setDate(at.getDate() + daysLater);
  return at.toISOString();
}
