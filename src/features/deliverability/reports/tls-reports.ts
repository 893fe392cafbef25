/** Adds up the TLS reports about a domain. Reports by mail count only if their message passed DMARC. */
import { sql } from 'kysely';
import { keepToDomain } from '../../api/bound-keys.ts';
import type { Caller } from '../../api/caller.ts';
import type { Db } from '../../../platform/database/database.ts';
import { getDomainName } from '../../sending/domains/find-domain.ts';
import { describeFailure } from './describe-failure.ts';
import type { ReportRange, TlsReports } from './reports.schema.ts';

const MOST_FAILURES = 200;
const MOST_REPORTERS = 100;

export async function getTlsReports(
  db: Db,
  caller: Caller,
  domainId: number,
  { from, to }: ReportRange,
): Promise<TlsReports> {
  keepToDomain(caller, domainId);
  const { teamId } = caller;
  await getDomainName(db, teamId, domainId);
  const inScope = sql`r.team_id = ${teamId} and r.domain_id = ${domainId} and r.is_verified
    and (${from ?? null}::timestamptz is null or r.begin_at >= ${from ?? null}::timestamptz)
    and (${to ?? null}::timestamptz is null or r.begin_at <= ${to ?? null}::timestamptz)`;
  const { rows: byDay } = await sql<TlsReports['byDay'][number]>`
    select to_char((r.begin_at + (r.end_at - r.begin_at) / 2) at time zone 'UTC', 'YYYY-MM-DD') as date,
      sum(r.sessions)::double precision as sessions, sum(r.failed)::double precision as failed
    from tls_reports r where ${inScope} group by 1 order by 1
  `.execute(db);
  const { rows: failures } = await sql<Omit<TlsReports['failures'][number], 'sentence'>>`
    select f.type, f.mx, sum(f.sessions)::double precision as count, min(f.reason) as reason,
      to_char(max(r.end_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "lastAt"
    from tls_reports r join tls_report_failures f on f.team_id = r.team_id and f.report_id = r.id
    where ${inScope} group by f.type, f.mx order by count desc, f.type, f.mx limit ${MOST_FAILURES}
  `.execute(db);
  const { rows: reporters } = await sql<TlsReports['reporters'][number]>`
    select r.org_name as name, max(r.contact) as contact, count(*)::integer as reports,
      sum(r.sessions)::double precision as sessions
    from tls_reports r where ${inScope} group by r.org_name order by sessions desc, name limit ${MOST_REPORTERS}
  `.execute(db);
  return {
    sessions: byDay.reduce((sum, day) => sum + day.sessions, 0),
    failed: byDay.reduce((sum, day) => sum + day.failed, 0),
    failures: failures.map((failure) => ({ ...failure, sentence: describeFailure(failure) })),
    byDay,
    reporters,
    ...(await readState(db, teamId, domainId)),
  };
}

interface ReportState {
  lastReportAt: Date | null;
  reports: number;
  sessions: number;
}

async function readState(
  db: Db,
  teamId: number,
  domainId: number,
): Promise<Pick<TlsReports, 'unverified' | 'lastReportAt'>> {
  const { rows } = await sql<ReportState>`
    select max(received_at) filter (where is_verified) as "lastReportAt",
      (count(*) filter (where not is_verified))::integer as reports,
      coalesce(sum(sessions) filter (where not is_verified), 0)::double precision as sessions
    from tls_reports where team_id = ${teamId} and domain_id = ${domainId}
  `.execute(db);
  const { lastReportAt, reports, sessions } = rows[0]!;
  return { unverified: { reports, sessions }, lastReportAt: lastReportAt?.toISOString() ?? null };
}
