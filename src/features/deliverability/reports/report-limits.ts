/** Anyone can send reports to a published address, so the number of those that are stored in a day is limited. */
import { sql } from 'kysely';
import { ReportProblem } from '../../../mail/reports/report-problem.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { ReportedDomain } from './report-address.ts';

/** Large domains get some hundred a day. */
const DAILY = {
  verified: { reports: 2_000, rows: 500_000 },
  unverified: { reports: 100, rows: 20_000 },
};

/** The caller holds a lock on the domain, so that reports that arrive together are counted one after the other. */
export async function requireReportRoom(
  trx: Db,
  table: 'dmarc_reports' | 'tls_reports',
  { teamId, domainId }: ReportedDomain,
  { isVerified, rowCount }: { isVerified: boolean; rowCount: number },
): Promise<void> {
  const limits = isVerified ? DAILY.verified : DAILY.unverified;
  const { rows } = await sql<{ reports: number; rows: number }>`
    select count(*)::integer as reports, coalesce(sum(row_count), 0)::integer as rows from ${sql.table(table)}
    where team_id = ${teamId} and domain_id = ${domainId} and is_verified = ${isVerified}
      and received_at > now() - interval '1 day'
  `.execute(trx);
  const today = rows[0]!;
  if (today.reports >= limits.reports || today.rows + rowCount > limits.rows)
    throw new ReportProblem('Too many reports about this domain arrived today.');
}
