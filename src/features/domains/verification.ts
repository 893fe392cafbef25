/**
 * What a look at a domain's records means: a pure function from what was found, and what was known, to what is
 * known now. The table of the states is its test.
 */
import type { DnsRecord, Finding, RecordRole } from '../../mail/dns-records.ts';
import type { DomainStatus } from './domains.schema.ts';

/** What one look-up gave. No answer is the resolver's fault, not the domain's. */
export type Look = { finding: Finding; found: string[] } | { finding: 'no-answer'; reason: string };

export interface Known {
  held: boolean;
  /** Since when the records are looked for or missed. */
  since: Date;
  /** Looks so far, this one not counted. */
  checks: number;
}

export interface Verdict {
  status: DomainStatus;
  recordStatus: Record<RecordRole, DomainStatus>;
  verificationError: string | null;
  /** When to look again; null when only a person can change something. */
  nextCheckAt: Date | null;
}

const HOUR_MS = 3_600_000;
const PATIENCE_MS = 72 * HOUR_MS;
const DAILY_MS = 24 * HOUR_MS;
const GAPS_SECONDS = [10, 30, 60, 120, 300, 600, 1800, 3600];

export function judgeLooks(
  records: DnsRecord[],
  looks: Record<RecordRole, Look>,
  known: Known,
  now: Date,
): Verdict {
  const required = records.filter((record) => !record.recommended);
  const findings = new Set(required.map((record) => looks[record.role].finding));
  const patient = now.getTime() - known.since.getTime() < PATIENCE_MS;
  const status = overallStatus(findings, known.held, patient);
  return {
    status,
    recordStatus: Object.fromEntries(
      records.map((record) => [record.role, recordStatus(looks[record.role], status)]),
    ) as Record<RecordRole, DomainStatus>,
    verificationError: status === 'SUCCESS' ? null : explain(required, looks),
    nextCheckAt: nextCheck(status, known.checks, now),
  };
}

function overallStatus(findings: Set<Look['finding']>, held: boolean, patient: boolean): DomainStatus {
  if (findings.has('no-answer')) return 'TEMPORARY_FAILURE';
  if (!findings.has('wrong') && !findings.has('absent')) return 'SUCCESS';
  // A verified domain that loses a record keeps its place for a while: DNS is edited by people.
  if (held) return patient ? 'TEMPORARY_FAILURE' : 'FAILED';
  return findings.has('absent') && !findings.has('wrong') && patient ? 'PENDING' : 'FAILED';
}

function recordStatus({ finding }: Look, overall: DomainStatus): DomainStatus {
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

function nextCheck(status: DomainStatus, checks: number, now: Date): Date | null {
  if (status === 'FAILED') return null;
  const gapMs = status === 'SUCCESS' ? DAILY_MS : (GAPS_SECONDS[checks] ?? GAPS_SECONDS.at(-1)!) * 1000;
  return new Date(now.getTime() + gapMs);
}

function explain(required: DnsRecord[], looks: Record<RecordRole, Look>): string {
  const problems = required.flatMap((record) => {
    const look = looks[record.role];
    if (look.finding === 'right') return [];
    const what = `${record.type} ${record.host}: expected "${record.value}"`;
    if (look.finding === 'no-answer') return [`${what}, but the resolver gave no answer (${look.reason})`];
    const found = look.found.length > 0 ? look.found.map((value) => `"${value}"`).join(', ') : 'nothing';
    return [`${what}, found ${found}`];
  });
  return problems.join('; ');
}
