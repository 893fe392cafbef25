/** Adds up the DMARC reports about a domain. Only reports that passed DMARC themselves count. */
import { sql, type RawBuilder } from 'kysely';
import { keepToDomain } from '../../api/bound-keys.ts';
import type { Caller } from '../../api/caller.ts';
import type { Dns } from '../../../mail/auth/dns.ts';
import type { Facts } from '../../instance/facts.ts';
import type { Db } from '../../../platform/database/database.ts';
import { getDomainName } from '../../sending/domains/find-domain.ts';
import { describeSource, isConfirmed } from './describe-source.ts';
import { markKey, readMarks } from './mark-source.ts';
import { findHosts } from './source-hosts.ts';
import { advisePolicy, type ConfirmedDay } from './policy-advice.ts';
import type { DmarcReports, DmarcSource, ReportRange } from './reports.schema.ts';

const MOST_SOURCES = 200;
const MOST_REPORTERS = 100;
const MOST_IPS = 50;
/** Advice looks back this far. */
const ADVICE_DAYS = 60;

interface Scope {
  teamId: number;
  domainId: number;
  from: Date | null;
  to: Date | null;
}

export async function getDmarcReports(
  db: Db,
  caller: Caller,
  domainId: number,
  { from, to }: ReportRange,
  { dns }: Pick<Facts, 'dns'>,
): Promise<DmarcReports> {
  keepToDomain(caller, domainId);
  const { teamId } = caller;
  const domain = await getDomainName(db, teamId, domainId);
  const scope: Scope = { teamId, domainId, from: from ?? null, to: to ?? null };
  const sources = await presentSources(db, scope, domain, dns);
  const byDay = await listDays(db, scope);
  const total = (name: 'messages' | 'aligned' | 'failed') => byDay.reduce((sum, day) => sum + day[name], 0);
  const state = await readState(db, scope);
  return {
    messages: total('messages'),
    aligned: total('aligned'),
    failed: total('failed'),
    policy: state.policy,
    sources,
    byDay,
    reporters: await listReporters(db, scope),
    unverified: { reports: state.unverifiedReports, messages: state.unverifiedMessages },
    lastReportAt: state.lastReportAt?.toISOString() ?? null,
    ...advisePolicy({ policy: state.policy, days: await listConfirmedDays(db, scope), now: new Date() }),
  };
}

async function presentSources(db: Db, scope: Scope, domain: string, dns: Dns): Promise<DmarcSource[]> {
  const marks = await readMarks(db, scope.teamId, scope.domainId);
  const sources = await listSources(db, scope);
  const nameless = sources.filter(({ kind, name }) => kind === 'other' && name.includes('/'));
  const hosts = await findHosts(
    dns,
    nameless.flatMap(({ ips }) => ips[0] ?? []),
  );
  return sources.map((listed): DmarcSource => {
    const marked = marks.get(markKey(listed.kind, listed.name));
    const source = {
      ...listed,
      mark: marked === undefined ? null : marked ? ('confirmed' as const) : ('disowned' as const),
    };
    const host = (nameless.includes(listed) && hosts.get(listed.ips[0]!)) || null;
    return {
      ...source,
      host,
      confirmed: isConfirmed(source),
      sentence: describeSource(source, domain),
    };
  });
}

type ListedSource = Omit<DmarcSource, 'sentence' | 'confirmed' | 'mark' | 'host'>;

/** Expects `r` for the report. */
function inScope({ teamId, domainId, from, to }: Scope) {
  return sql`r.team_id = ${teamId} and r.domain_id = ${domainId} and r.is_verified
    and (${from}::timestamptz is null or r.begin_at >= ${from}::timestamptz)
    and (${to}::timestamptz is null or r.begin_at <= ${to}::timestamptz)`;
}

const joinRows = sql`join dmarc_report_rows w on w.team_id = r.team_id and w.report_id = r.id`;
const isAligned = sql`(w.spf_aligned or w.dkim_aligned)`;
const sumOf = (condition: RawBuilder<unknown>) =>
  sql`coalesce(sum(w.messages) filter (where ${condition}), 0)::double precision`;
/** A report is about the day in its middle: some begin at the last second of the day before. */
const dayOf = sql`to_char((r.begin_at + (r.end_at - r.begin_at) / 2) at time zone 'UTC', 'YYYY-MM-DD')`;

async function listSources(db: Db, scope: Scope): Promise<ListedSource[]> {
  const { rows } = await sql<Omit<ListedSource, 'ours'>>`
    with by_ip as (
      select w.source, w.kind, w.source_ip, sum(w.messages) as messages,
        ${sumOf(sql`w.spf_aligned`)} as spf, ${sumOf(sql`w.dkim_aligned`)} as dkim,
        ${sumOf(isAligned)} as aligned,
        ${sumOf(sql`w.disposition = 'quarantine'`)} as quarantined,
        ${sumOf(sql`w.disposition = 'reject'`)} as rejected,
        row_number() over (partition by w.source, w.kind order by sum(w.messages) desc, w.source_ip) as place
      from dmarc_reports r ${joinRows}
      where ${inScope(scope)}
      group by w.source, w.kind, w.source_ip
    )
    select source as name, kind, count(*)::integer as "ipCount",
      array_agg(source_ip order by place) filter (where place <= ${MOST_IPS}) as ips,
      sum(messages)::double precision as messages, sum(spf) as spf, sum(dkim) as dkim, sum(aligned) as aligned,
      sum(quarantined) as quarantined, sum(rejected) as rejected
    from by_ip group by source, kind
    order by messages desc, source, kind limit ${MOST_SOURCES}
  `.execute(db);
  return rows.map((row) => ({ ...row, ours: row.kind === 'ours' }));
}

async function listDays(db: Db, scope: Scope): Promise<DmarcReports['byDay']> {
  const { rows } = await sql<DmarcReports['byDay'][number]>`
    select ${dayOf} as date, sum(w.messages)::double precision as messages,
      ${sumOf(isAligned)} as aligned,
      ${sumOf(sql`not ${isAligned}`)} as failed
    from dmarc_reports r ${joinRows}
    where ${inScope(scope)} group by 1 order by 1
  `.execute(db);
  return rows;
}

async function listReporters(db: Db, scope: Scope): Promise<DmarcReports['reporters']> {
  const { rows } = await sql<DmarcReports['reporters'][number]>`
    select r.org_name as name, max(r.contact) as contact, count(*)::integer as reports,
      sum(r.messages)::double precision as messages
    from dmarc_reports r where ${inScope(scope)}
    group by r.org_name order by messages desc, name limit ${MOST_REPORTERS}
  `.execute(db);
  return rows;
}

interface ReportState {
  policy: DmarcReports['policy'];
  lastReportAt: Date | null;
  unverifiedReports: number;
  unverifiedMessages: number;
}

async function readState(db: Db, { teamId, domainId }: Scope): Promise<ReportState> {
  const { rows } = await sql<ReportState>`
    select
      (select policy ->> 'p' from dmarc_reports r
        where r.team_id = ${teamId} and r.domain_id = ${domainId} and r.is_verified
        order by r.end_at desc, r.received_at desc limit 1) as policy,
      max(received_at) filter (where is_verified) as "lastReportAt",
      (count(*) filter (where not is_verified))::integer as "unverifiedReports",
      coalesce(sum(messages) filter (where not is_verified), 0)::double precision as "unverifiedMessages"
    from dmarc_reports where team_id = ${teamId} and domain_id = ${domainId}
  `.execute(db);
  return rows[0]!;
}

/** Whether a source is confirmed is decided over the whole time, and not day by day. */
async function listConfirmedDays(db: Db, { teamId, domainId }: Scope): Promise<ConfirmedDay[]> {
  const { rows } = await sql<{ name: string; kind: DmarcSource['kind'] } & ConfirmedDay>`
    with days as (
      select w.source, w.kind, ${dayOf} as date, sum(w.messages) as messages,
        ${sumOf(isAligned)} as aligned
      from dmarc_reports r ${joinRows}
      where r.team_id = ${teamId} and r.domain_id = ${domainId} and r.is_verified
        and r.begin_at > now() - make_interval(days => ${ADVICE_DAYS})
      group by 1, 2, 3
    ), confirmed as (
      select source, kind from days
      left join (
        select source, kind, is_confirmed from dmarc_source_marks
        where team_id = ${teamId} and domain_id = ${domainId}
      ) m using (source, kind)
      group by source, kind, m.is_confirmed
      having coalesce(
        m.is_confirmed,
        kind in ('ours', 'service') or (kind = 'other' and sum(aligned) * 2 >= sum(messages))
      )
    )
    select date, coalesce(sum(messages) filter (where c.source is not null), 0)::double precision as messages,
      coalesce(sum(aligned) filter (where c.source is not null), 0)::double precision as aligned
    from days left join confirmed c using (source, kind) group by date order by date
  `.execute(db);
  return rows;
}
