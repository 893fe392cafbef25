/** The hosts of a domain that lead to this server: its link host, and the host of its MTA-STS policy. */
import { isIP } from 'node:net';
import { sql } from 'kysely';
import type { DomainHosts } from '../../../mail/auth/dns-records.ts';
import { MAX_AGE_DAYS, policyIdOf, type ServedPolicy } from '../../../mail/auth/served-policy.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { Facts } from '../../instance/facts.ts';
import { enqueue } from '../../jobs/jobs.ts';
import type { Domain, DomainUpdate } from './domains.schema.ts';

/** Other servers post TLS reports there. The token of the domain follows. */
export const TLS_REPORT_PATH = '/tlsrpt/';

export const HOST_COLUMNS = [
  'tracking_subdomain',
  'tracking_status',
  'tracking_error',
  'tracking_caa',
  'mta_sts',
  'mta_sts_auto',
  'mta_sts_hosts',
  'mta_sts_until',
  'report_token',
] as const;

type HostRow = Row<'domains', (typeof HOST_COLUMNS)[number]>;

export function linkHostOf(row: { name: string; tracking_subdomain: string | null }): string | null {
  return row.tracking_subdomain === null ? null : `${row.tracking_subdomain}.${row.name}`;
}

export function presentTracking(row: HostRow & Row<'domains', 'name'>): Domain['tracking'] {
  return { host: linkHostOf(row), status: row.tracking_status, error: row.tracking_error };
}

/** Returns null if the domain has no policy. After it was turned off, senders must first learn of that. */
export function servedPolicyOf(
  row: Pick<HostRow, 'mta_sts' | 'mta_sts_hosts' | 'mta_sts_until'>,
  mailHost: string,
): ServedPolicy | null {
  const hosts = [mailHost, ...row.mta_sts_hosts];
  if (row.mta_sts !== 'off') return { mode: row.mta_sts, hosts };
  return row.mta_sts_until && row.mta_sts_until > new Date() ? { mode: 'none', hosts } : null;
}

export function domainHostsOf(
  row: HostRow,
  { mailHost, reportHost, baseUrl }: Pick<Facts, 'mailHost' | 'reportHost' | 'baseUrl'>,
): DomainHosts {
  const policy = servedPolicyOf(row, mailHost);
  return {
    trackingSubdomain: row.tracking_subdomain,
    caa: row.tracking_caa as DomainHosts['caa'],
    policyId: policy && policyIdOf(policy),
    reports: {
      address: `${row.report_token}@${isIP(reportHost) === 0 ? reportHost : `[${reportHost}]`}`,
      url: new URL(`${TLS_REPORT_PATH}${row.report_token}`, baseUrl).href,
    },
  };
}

const MAX_HOST = 253;
/** These names of a domain have other records, or another meaning. */
const TAKEN_LABELS = ['bounce', 'mta-sts', 'autoconfig', 'autodiscover'];

/** Links and the dashboard must not share a host, because nothing but links is served under it. */
export function requireUsableHost(
  host: string,
  { baseUrl, mailHost }: Pick<Facts, 'baseUrl' | 'mailHost'>,
): void {
  const isOurs = [new URL(baseUrl).hostname, mailHost.toLowerCase()].includes(host);
  if (!isOurs && host.length <= MAX_HOST && !TAKEN_LABELS.includes(host.slice(0, host.indexOf('.')))) return;
  throw badRequest(`trackingSubdomain must not be used for something else. ${host} is. Choose another one.`);
}

/** The columns that a change of the settings sets. Settings that stay as they are change nothing. */
export function hostChanges(update: DomainUpdate) {
  const { trackingSubdomain: subdomain, mtaSts: mode } = update;
  return {
    ...(subdomain === undefined ? {} : trackingChanges(subdomain)),
    ...(mode === undefined || mode === null ? {} : policyChanges(mode)),
    ...(typeof update.mtaStsAuto === 'boolean' ? { mta_sts_auto: update.mtaStsAuto } : {}),
  };
}

function trackingChanges(subdomain: string | null) {
  const ifChanged = (value: unknown, column: string) =>
    sql`case when tracking_subdomain is distinct from ${subdomain}::text then ${value} else ${sql.ref(column)} end`;
  return {
    tracking_subdomain: subdomain,
    tracking_status: sql<
      HostRow['tracking_status']
    >`${ifChanged(sql`${subdomain === null ? 'NONE' : 'WAITING_DNS'}::text`, 'tracking_status')}`,
    tracking_error: sql<string | null>`${ifChanged(sql`null::text`, 'tracking_error')}`,
    tracking_caa: sql<string | null>`${ifChanged(sql`null::jsonb`, 'tracking_caa')}`,
    tracking_since: sql<Date | null>`${ifChanged(sql`now()`, 'tracking_since')}`,
    tracking_checks: sql<number>`${ifChanged(sql`0`, 'tracking_checks')}`,
    hosts_check_at: sql<Date>`now()`,
    record_status: sql<string>`${ifChanged(sql`record_status - 'tracking' - 'trackingCaa'`, 'record_status')}`,
  };
}

/**
 * A policy whose host leads here may be in the caches of senders, whatever the other record says now, and so may the one
 * before it. `mta_sts_until` is when they forget those that were replaced. Until then, `off` is served as the mode none.
 */
function policyChanges(mode: HostRow['mta_sts']) {
  const days = sql`case mta_sts when 'enforce' then ${MAX_AGE_DAYS.enforce}::integer else ${MAX_AGE_DAYS.testing}::integer end`;
  return {
    mta_sts: mode,
    mta_sts_since: sql<Date | null>`case when mta_sts is distinct from ${mode} then now() else mta_sts_since end`,
    mta_sts_until: sql<Date | null>`case
      when mta_sts in ('off', ${mode}) or record_status ->> 'mtaStsHost' is distinct from 'SUCCESS' then mta_sts_until
      else greatest(mta_sts_until, now() + make_interval(days => ${days}))
    end`,
    hosts_check_at: sql<Date>`now()`,
  };
}

/** Looks at the hosts of the domain right away or at `at`, replacing a planned look. */
export async function checkHostsLater(db: Db, teamId: number, domainId: number): Promise<void> {
  const name = `check-hosts ${domainId}`;
  await enqueue(db, 'check-hosts', { teamId, domainId }, { jobKey: name, queue: name });
}
