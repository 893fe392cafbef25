/**
 * Sends TLS reports to the domains that ask for them (RFC 8460): once for each day and domain over all processes, about the
 * connections of the direct transport. A report by mail is an email from the domain of this server, or else from the oldest
 * one of the first team, which runs the server, and signed by it. Without one, reports are only posted. A failed post is not repeated, because the next report comes tomorrow.
 */
import { sql } from 'kysely';
import type { Dns } from '../../../mail/auth/dns.ts';
import {
  composeTlsReport,
  writeTlsReport,
  type SentTlsReport,
} from '../../../mail/reports/compose-tls-report.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Log } from '../../../platform/log.ts';
import type { Facts } from '../../instance/facts.ts';
import { AS_SERVER } from '../../api/caller.ts';
import { submit } from '../../sending/emails/submit.ts';
import { readPolicies } from './read-policies.ts';
import { readReceivers, type ReportReceiver } from './receivers.ts';

export interface ReportTools {
  db: Db;
  dns: Dns;
  log: Log;
  facts: Pick<Facts, 'mailHost' | 'wakeDeliveryWorkers'>;
  /** Posts to the URL of a stranger. */
  endpoints: {
    post(
      url: string,
      request: { headers: Record<string, string>; contentType: string; body: Buffer },
      closing: AbortSignal,
    ): Promise<{ error: unknown } | null>;
  };
}

type Due = Row<'tls_sessions', 'domain'> & { day: string };

const DOMAINS_PER_ROUND = 2_000;
const AT_ONCE = 10;
/** Older days are no longer reported, and their counts are deleted. */
const KEPT_DAYS = 3;

export async function sendTlsReports(tools: ReportTools): Promise<void> {
  const { db, log } = tools;
  const { rows } = await sql<Due>`
    select distinct to_char(s.day, 'YYYY-MM-DD') as day, s.domain from tls_sessions s
    where s.day < (now() at time zone 'UTC')::date
      and not exists (select from tls_reports_sent t where t.day = s.day and t.domain = s.domain)
    order by day, domain limit ${DOMAINS_PER_ROUND}
  `.execute(db);
  for (let at = 0; at < rows.length; at += AT_ONCE)
    await Promise.all(
      rows
        .slice(at, at + AT_ONCE)
        .map((due) =>
          sendReport(tools, due).catch((error: unknown) =>
            log.warn({ err: error, domain: due.domain }, 'tls: a report could not be sent'),
          ),
        ),
    );
  const before = sql`(now() at time zone 'UTC')::date - ${KEPT_DAYS}::integer`;
  await sql`delete from tls_sessions where day < ${before}`.execute(db);
  await sql`delete from tls_reports_sent where day < ${before}`.execute(db);
}

async function sendReport(tools: ReportTools, due: Due): Promise<void> {
  const { db, dns, facts, endpoints } = tools;
  const answer = await dns.txt(`_smtp._tls.${due.domain}`);
  // The next round asks again.
  if (answer.kind === 'failed') return;
  const receivers = answer.kind === 'found' ? readReceivers(answer.records) : [];
  const report = await makeReport(tools, due);
  const packed = writeTlsReport(report);
  const isNew = await inTransaction(db, async (trx) => {
    if (!(await claim(trx, report, receivers))) return false;
    await mailReport(trx, report, packed, receivers);
    return true;
  });
  if (!isNew) return;
  facts.wakeDeliveryWorkers();
  for (const { kind, uri } of receivers) {
    if (kind !== 'https') continue;
    const request = { headers: {}, contentType: 'application/tlsrpt+gzip', body: packed };
    const posted = await endpoints.post(uri, request, new AbortController().signal);
    if (posted?.error)
      tools.log.info({ domain: due.domain, error: posted.error }, 'tls: a report was not accepted');
  }
}

async function makeReport({ db, dns, facts }: ReportTools, { day, domain }: Due): Promise<SentTlsReport> {
  const own = await dns.host(facts.mailHost);
  return {
    organization: facts.mailHost,
    contact: `postmaster@${facts.mailHost}`,
    reportId: `${day}T00:00:00Z_${domain}`,
    day,
    domain,
    sendingIp: own.kind === 'found' ? (own.records[0] ?? null) : null,
    policies: await readPolicies(db, day, domain),
  };
}

/** Returns false if another process sends the report. */
async function claim(
  trx: Db,
  { day, domain, reportId }: SentTlsReport,
  receivers: ReportReceiver[],
): Promise<boolean> {
  const uris = receivers.map(({ uri }) => uri);
  const { rows } = await sql`
    insert into tls_reports_sent (day, domain, report_id, receivers)
    values (${day}::date, ${domain}, ${reportId}, ${uris}::text[])
    on conflict do nothing returning 1
  `.execute(trx);
  return rows.length > 0;
}

async function mailReport(
  trx: Db,
  report: SentTlsReport,
  packed: Buffer,
  receivers: ReportReceiver[],
): Promise<void> {
  const addresses = receivers.flatMap((each) => (each.kind === 'mail' ? [each.address] : []));
  if (addresses.length === 0) return;
  const own = await findOwnDomain(trx, report.organization);
  if (!own) return;
  const { teamId, name: domain } = own;
  for (const to of addresses)
    await submit(trx, {
      source: 'system',
      caller: { teamId, ...AS_SERVER },
      content: {
        kind: 'raw',
        raw: composeTlsReport(packed, report, { from: `tls-reports@${domain}`, to: to.email }),
        recipients: [to],
      },
    });
}

async function findOwnDomain(
  trx: Db,
  mailHost: string,
): Promise<CamelRow<'domains', 'team_id' | 'name'> | undefined> {
  const labels = mailHost.toLowerCase().split('.');
  const above = labels.map((_, no) => labels.slice(no).join('.'));
  const { rows } = await sql<CamelRow<'domains', 'team_id' | 'name'>>`
    select team_id as "teamId", name from domains
    where held and (name = any(${above}::text[]) or team_id = (select min(id) from teams))
    order by name = any(${above}::text[]) desc, id limit 1
  `.execute(trx);
  return rows[0];
}
