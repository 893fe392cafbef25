/** Stores a DMARC aggregate report about a domain. The same report counts once, however often it comes. */
import { sql } from 'kysely';
import type { ReadReport } from '../../../mail/reports/dmarc-report.ts';
import { ReportProblem } from '../../../mail/reports/report-problem.ts';
import { inTransaction, toJson, type Db } from '../../../platform/database/database.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Facts } from '../../instance/facts.ts';
import { classifySource, type OwnSender } from './classify-source.ts';
import type { ReportedDomain } from './report-address.ts';
import { requireReportRoom } from './report-limits.ts';

export type ReportFacts = Pick<Facts, 'mailHost' | 'mailTransport'>;

export interface ReportSender {
  /** The domain of the author. */
  domain: string | null;
  /** Whether the message passed DMARC. */
  isVerified: boolean;
}

const ROWS_AT_ONCE = 2_000;

/** Returns the ID of the stored report, or null if it was known. */
export async function storeDmarcReport(
  db: Db,
  facts: ReportFacts,
  domain: ReportedDomain,
  sender: ReportSender,
  { report, rows }: ReadReport,
): Promise<string | null> {
  if (report.policy.domain !== domain.name)
    throw new ReportProblem(`The report is about ${report.policy.domain}, and not about ${domain.name}.`);
  return inTransaction(db, async (trx) => {
    const own = await lockDomain(trx, facts, domain);
    // The domain was deleted since the message began.
    if (!own) return null;
    await requireReportRoom(trx, 'dmarc_reports', domain, {
      isVerified: sender.isVerified,
      rowCount: rows.length,
    });
    const id = newUuid();
    const { rows: added } = await sql`
      insert into dmarc_reports (
        team_id, domain_id, id, is_verified, sender_domain, org_name, contact, extra_contact, report_id,
        begin_at, end_at, policy, problems, row_count, messages
      ) values (
        ${domain.teamId}, ${domain.domainId}, ${id}, ${sender.isVerified}, ${sender.domain}, ${report.orgName},
        ${report.contact}, ${report.extraContact}, ${report.reportId}, ${report.begin}, ${report.end},
        ${JSON.stringify(report.policy)}::jsonb, ${report.problems}::text[], ${rows.length},
        ${rows.reduce((sum, { messages }) => sum + messages, 0)}
      ) on conflict do nothing returning 1
    `.execute(trx);
    if (added.length === 0) return null;
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
      await storeRows(trx, domain.teamId, id, toRows(rows.slice(at, at + ROWS_AT_ONCE), at, own));
    return id;
  });
}

/** Locks the domain, so that reports that arrive together are counted one after the other. */
async function lockDomain(
  trx: Db,
  { mailHost, mailTransport }: ReportFacts,
  { teamId, domainId }: ReportedDomain,
): Promise<OwnSender | null> {
  const row = await trx
    .selectFrom('domains')
    .select(['name', 'dkim_selector', 'next_selector', 'retired_selector'])
    .where('team_id', '=', teamId)
    .where('id', '=', domainId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) return null;
  const selectors = [row.dkim_selector, row.next_selector, row.retired_selector].flatMap(
    (each) => each ?? [],
  );
  return { domain: row.name, selectors, mailHost, isRelayed: mailTransport === 'relay' };
}

function toRows(rows: ReadReport['rows'], firstNo: number, own: OwnSender) {
  return rows.map(({ row, messages }, index) => {
    const source = classifySource(row, own);
    return {
      no: firstNo + index,
      source: source.name,
      kind: source.kind,
      source_ip: row.sourceIp,
      messages,
      disposition: row.disposition,
      dkim_aligned: row.dkimAligned,
      spf_aligned: row.spfAligned,
      header_from: row.headerFrom,
      envelope_from: row.envelopeFrom,
      dkim: row.dkim,
      spf: row.spf,
      reasons: row.reasons,
    };
  });
}

async function storeRows(trx: Db, teamId: number, reportId: string, rows: object[]): Promise<void> {
  await sql`
    insert into dmarc_report_rows (
      team_id, report_id, no, source, kind, source_ip, messages, disposition, dkim_aligned, spf_aligned,
      header_from, envelope_from, dkim, spf, reasons
    )
    select ${teamId}, ${reportId}, r.* from json_to_recordset(${toJson(rows)}::json) as r (
      no integer, source text, kind text, source_ip text, messages integer, disposition text,
      dkim_aligned boolean, spf_aligned boolean, header_from text, envelope_from text,
      dkim jsonb, spf jsonb, reasons jsonb
    )
  `.execute(trx);
}
