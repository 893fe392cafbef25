/** Stores a TLS report about a domain. The same report counts once, however often and in whatever way it comes. */
import { sql } from 'kysely';
import type { TlsFailure, TlsReport } from '../../../mail/reports/tls-report.ts';
import { ReportProblem } from '../../../mail/reports/report-problem.ts';
import { inTransaction, toJson, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { newUuid } from '../../../platform/ids.ts';
import { raisePolicies } from '../mta-sts/raise-policies.ts';
import type { ReportedDomain } from './report-address.ts';
import { requireReportRoom } from './report-limits.ts';

interface TlsReportSender {
  isVerified: boolean;
  /** The domain of the author. Null over HTTPS. */
  domain: string | null;
  by: Row<'tls_reports'>['arrived_by'];
}

export async function storeTlsReport(
  db: Db,
  domain: ReportedDomain,
  sender: TlsReportSender,
  report: TlsReport,
): Promise<void> {
  const { teamId, domainId } = domain;
  // The domain of a DANE policy is that of the TLSA record, which is a host.
  const policies = report.policies.filter(
    (policy) => policy.domain === domain.name || policy.type === 'tlsa',
  );
  if (policies.length === 0) throw new ReportProblem(`The report is not about ${domain.name}.`);
  const total = (count: (policy: (typeof policies)[number]) => number) =>
    policies.reduce((sum, policy) => sum + count(policy), 0);
  const failures = addUp(policies.flatMap((policy) => policy.failures));
  await inTransaction(db, async (trx) => {
    const { rows: found } = await sql`
      select from domains where team_id = ${teamId} and id = ${domainId} for no key update
    `.execute(trx);
    // The domain was deleted since the report began to arrive.
    if (found.length === 0) return;
    await requireReportRoom(trx, 'tls_reports', domain, {
      isVerified: sender.isVerified,
      rowCount: failures.length,
    });
    const id = newUuid();
    const { rows: added } = await sql`
      insert into tls_reports (
        team_id, domain_id, id, is_verified, arrived_by, sender_domain, org_name, contact, report_id,
        begin_at, end_at, sessions, failed, testing_sessions, row_count
      ) values (
        ${teamId}, ${domainId}, ${id}, ${sender.isVerified}, ${sender.by}, ${sender.domain}, ${report.orgName},
        ${report.contact}, ${report.reportId}, ${report.begin}, ${report.end},
        ${total(({ succeeded, failed }) => succeeded + failed)}, ${total(({ failed }) => failed)},
        ${total(({ isTesting, succeeded, failed }) => (isTesting ? succeeded + failed : 0))}, ${failures.length}
      ) on conflict do nothing returning 1
    `.execute(trx);
    if (added.length === 0) return;
    await sql`
      insert into tls_report_failures (
        team_id, report_id, no, type, policy_type, mx, receiving_ip, sending_ip, reason, sessions
      )
      select ${teamId}, ${id}, r.* from json_to_recordset(${toJson(failures)}::json) as r (
        no integer, type text, policy_type text, mx text, receiving_ip text, sending_ip text, reason text,
        sessions bigint
      )
    `.execute(trx);
    if (sender.isVerified) await raisePolicies(trx, { teamId, domainId });
  });
}

function addUp(failures: { failure: TlsFailure; sessions: number }[]) {
  const counts = new Map<string, number>();
  for (const { failure, sessions } of failures) {
    const key = JSON.stringify(failure);
    counts.set(key, (counts.get(key) ?? 0) + sessions);
  }
  return [...counts].map(([key, sessions], no) => {
    const failure = JSON.parse(key) as TlsFailure;
    return {
      no,
      type: failure.type,
      policy_type: failure.policyType,
      mx: failure.mx,
      receiving_ip: failure.receivingIp,
      sending_ip: failure.sendingIp,
      reason: failure.reason,
      sessions,
    };
  });
}
