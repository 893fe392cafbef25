/**
 * Derives the verification state of a domain from its DNS records and its previous state. The function is pure; the
 * unit test has the table of states.
 */
import {
  isSingle,
  type DnsRecord,
  type RecordFinding,
  type RecordRole,
} from '../../../mail/auth/dns-records.ts';
import type { DomainStatus } from './domains.schema.ts';
import { HOUR_MS } from '../../../platform/durations.ts';

/** The result of one lookup. 'no-answer' means that the resolver failed, not the domain. */
export type RecordLookup =
  { finding: RecordFinding; found: string[] } | { finding: 'no-answer'; reason: string };

export interface StoredVerification {
  held: boolean;
  /** The time since which records are missing. */
  since: Date;
  /** Number of previous checks. */
  checks: number;
  /** The time since which a new DKIM key waits for its record. Null if none does. */
  rotatingSince: Date | null;
}

export interface VerificationResult {
  status: DomainStatus;
  recordStatus: Partial<Record<RecordRole, DomainStatus>>;
  verificationError: string | null;
  /** Time of the next check, or null when only the user can fix the problem. */
  nextCheckAt: Date | null;
}

const GRACE_MS = 72 * HOUR_MS;
const DAILY_MS = 24 * HOUR_MS;
const GAPS_SECONDS = [10, 30, 60, 120, 300, 600, 1800, 3600];

export function evaluateLookups(
  records: DnsRecord[],
  lookups: Record<RecordRole, RecordLookup>,
  stored: StoredVerification,
  now: Date,
): VerificationResult {
  const required = records.filter((record) => !record.recommended);
  const findings = new Set(required.map((record) => lookups[record.role].finding));
  const isInGrace = now.getTime() - stored.since.getTime() < GRACE_MS;
  const status = overallStatus(findings, stored.held, isInGrace);
  return {
    status,
    recordStatus: Object.fromEntries(
      records.map((record) => [record.role, recordStatus(lookups[record.role], status)]),
    ),
    verificationError: status === 'SUCCESS' ? null : explain(required, lookups),
    nextCheckAt: nextCheck(status, stored, now),
  };
}

function overallStatus(
  findings: Set<RecordLookup['finding']>,
  held: boolean,
  isInGrace: boolean,
): DomainStatus {
  if (findings.has('no-answer')) return 'TEMPORARY_FAILURE';
  if (!findings.has('wrong') && !findings.has('absent')) return 'SUCCESS';
  // A verified domain that loses a record stays verified for a while, because DNS changes take time.
  if (held) return isInGrace ? 'TEMPORARY_FAILURE' : 'FAILED';
  return findings.has('absent') && !findings.has('wrong') && isInGrace ? 'PENDING' : 'FAILED';
}

function recordStatus({ finding }: RecordLookup, overall: DomainStatus): DomainStatus {
  switch (finding) {
    case 'right':
      return 'SUCCESS';
    case 'wrong':
      return 'FAILED';
    case 'no-answer':
      return 'TEMPORARY_FAILURE';
    case 'absent':
      return overall === 'FAILED' ? 'FAILED' : 'PENDING';
  }
}

function nextCheck(
  status: DomainStatus,
  { checks, rotatingSince }: StoredVerification,
  now: Date,
): Date | null {
  if (status === 'FAILED') return null;
  const retryMs = (GAPS_SECONDS[checks] ?? GAPS_SECONDS.at(-1)!) * 1000;
  const gapMs = status !== 'SUCCESS' ? retryMs : rotatingSince ? rotationGapMs(rotatingSince, now) : DAILY_MS;
  return new Date(now.getTime() + gapMs);
}

/** Looks for the record of a new key as often as for those of a new domain, and then daily. */
function rotationGapMs(since: Date, now: Date): number {
  const waitedMs = now.getTime() - since.getTime();
  if (waitedMs > GRACE_MS) return DAILY_MS;
  return Math.min(Math.max(waitedMs / 2, GAPS_SECONDS[0]! * 1000), HOUR_MS);
}

function explain(required: DnsRecord[], lookups: Record<RecordRole, RecordLookup>): string {
  const problems = required.flatMap((record) => {
    const lookup = lookups[record.role];
    if (lookup.finding === 'right') return [];
    const what = `${record.type} ${record.host}: expected "${record.value}"`;
    if (lookup.finding === 'no-answer')
      return [`${what}, but the DNS server did not respond (${lookup.reason})`];
    const found = lookup.found.length > 0 ? lookup.found.map((value) => `"${value}"`).join(', ') : 'nothing';
    const hint = isSingle(record) && lookup.found.length > 1 ? ' (only one is allowed)' : '';
    return [`${what}, found ${found}${hint}`];
  });
  return problems.join('; ');
}
