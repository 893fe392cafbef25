/**
 * The job that looks at the hosts of a domain: whether DNS leads them here, whether a certificate may be ordered, and
 * whether a request for the link host arrives. Links use the host only while all of that holds. A host that does not
 * work is looked at with growing gaps for 72 hours, and then daily. One that works is looked at every 15 minutes.
 */
import { sql } from 'kysely';
import type { Dns } from '../../../mail/auth/dns.ts';
import { policyHostOf } from '../../../mail/auth/dns-records.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/durations.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Facts } from '../../instance/facts.ts';
import type { CertificateState } from '../certificates/ensure-certificate.ts';
import { linkHostOf } from '../../sending/domains/domain-hosts.ts';
import { findCaaBlock, type CaaBlock } from './caa.ts';
import { findDnsFault } from './leads-here.ts';
import { findProbeFault } from './probe.ts';

type HostFacts = Pick<Facts, 'mailHost' | 'baseUrl' | 'secret' | 'directAllowPrivate'>;

export interface HostTools {
  db: Db;
  dns: Dns;
  facts: HostFacts;
  /** The name of our certificate authority in CAA records. Null if it has none. */
  findAuthority(): Promise<string | null>;
  /** Null if this instance orders none, because a proxy in front has the certificates. */
  certificates: CertificateOrders | null;
}

interface CertificateOrders {
  /** Queues an order if no certificate is valid. */
  ensure(host: string): Promise<CertificateState>;
}

interface Look {
  status: Row<'domains'>['tracking_status'];
  error: string | null;
  caa: CaaBlock | null;
}

type DomainRow = Row<
  'domains',
  | 'id'
  | 'team_id'
  | 'name'
  | 'held'
  | 'tracking_subdomain'
  | 'tracking_status'
  | 'tracking_since'
  | 'tracking_checks'
> &
  Row<'domains', 'mta_sts' | 'mta_sts_until'>;

const GAPS_MS = [
  10_000,
  30_000,
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS / 2,
  HOUR_MS,
];
const ACTIVE_GAP_MS = 15 * MINUTE_MS;
const GIVE_UP_MS = 72 * HOUR_MS;

export async function checkHosts(
  tools: HostTools,
  { teamId, domainId }: { teamId: number; domainId: number },
): Promise<void> {
  const { db } = tools;
  const domain = await db
    .selectFrom('domains')
    .select(['id', 'team_id', 'name', 'held', 'tracking_subdomain', 'tracking_status', 'tracking_since'])
    .select(['tracking_checks', 'mta_sts', 'mta_sts_until'])
    .where('team_id', '=', teamId)
    .where('id', '=', domainId)
    .executeTakeFirst();
  if (!domain) return;
  await sql`select take_link_hosts(${teamId}::integer, ${domainId}::integer)`.execute(db);
  const host = linkHostOf(domain);
  const look = host === null ? null : await lookAtLinkHost(tools, domain, host);
  const policyHosts = domain.mta_sts === 'off' ? null : await lookAtPolicyHost(tools, domain);
  await storeLook(db, domain, look, policyHosts);
}

async function lookAtLinkHost(tools: HostTools, domain: DomainRow, host: string): Promise<Look> {
  const { db, dns, facts, certificates } = tools;
  const wasActive = domain.tracking_status === 'ACTIVE' || domain.tracking_status === 'BROKEN';
  const waiting = (error: string): Look => ({
    status: wasActive ? 'BROKEN' : 'WAITING_DNS',
    error,
    caa: null,
  });
  if (!domain.held) return waiting('The domain must be verified first.');
  if (!(await isOurs(db, domain, host)))
    return waiting(`Another domain on this server already uses ${host}. Choose another subdomain.`);
  const { mailHost, directAllowPrivate: allowPrivate } = facts;
  const fault = await findDnsFault(dns, host, { mailHost, allowPrivate });
  if (fault !== null) {
    await setReady(db, host, false);
    return waiting(fault);
  }
  const authority = await tools.findAuthority();
  const caa = authority === null ? null : await findCaaBlock(dns, host, authority);
  // Behind a proxy with a certificate of another authority, the host may work all the same.
  const needsOurs = certificates !== null || facts.baseUrl.startsWith('http:');
  if (caa && (needsOurs || (await findProbeFault(dns, facts, host)) !== null)) {
    await setReady(db, host, false);
    return { status: 'CAA_BLOCKED', error: describeBlock(caa), caa };
  }
  await setReady(db, host, true);
  const certificate = await certificates?.ensure(host);
  if (certificate?.kind === 'failed') return { status: 'BROKEN', error: certificate.error, caa: null };
  if (certificate?.kind === 'ordering')
    return wasActive
      ? { status: 'BROKEN', error: `A certificate for ${host} is being ordered.`, caa: null }
      : { status: 'ISSUING', error: null, caa: null };
  const broken = await findProbeFault(dns, facts, host);
  return { status: broken === null ? 'ACTIVE' : 'BROKEN', error: broken, caa: null };
}

function describeBlock({ host, authority }: CaaBlock): string {
  return `The CAA records of ${host} do not permit ${authority} to issue a certificate. Add the CAA record.`;
}

/** Prepares the certificate of the policy host. Returns the MX hosts of the domain, which the policy names. */
async function lookAtPolicyHost(
  { db, dns, facts, certificates }: HostTools,
  domain: DomainRow,
): Promise<string[] | null> {
  const host = policyHostOf(domain.name);
  const { mailHost, directAllowPrivate: allowPrivate } = facts;
  if (domain.held && (await isOurs(db, domain, host))) {
    const isReady = (await findDnsFault(dns, host, { mailHost, allowPrivate })) === null;
    await setReady(db, host, isReady);
    if (isReady) await certificates?.ensure(host);
  }
  const answer = await dns.mx(domain.name);
  // While the DNS server does not respond, the policy stays as it is.
  if (answer.kind === 'failed') return null;
  if (answer.kind === 'none') return [];
  const names = answer.records.map(({ exchange }) => exchange.toLowerCase().replace(/\.$/, ''));
  return [...new Set(names)].filter((name) => name !== '').toSorted();
}

async function isOurs(db: Db, domain: DomainRow, host: string): Promise<boolean> {
  const row = await db
    .selectFrom('link_hosts')
    .select('host')
    .where('host', '=', host)
    .where('team_id', '=', domain.team_id)
    .where('domain_id', '=', domain.id)
    .executeTakeFirst();
  return row !== undefined;
}

/** An unchanged row is not written, because each write tells all processes to read the hosts again. */
async function setReady(db: Db, host: string, isReady: boolean): Promise<void> {
  await db
    .updateTable('link_hosts')
    .set({ is_ready: isReady, lost_since: null })
    .where('host', '=', host)
    .where((eb) => eb.or([eb('is_ready', '<>', isReady), eb('lost_since', 'is not', null)]))
    .execute();
}

/** A result for a subdomain that was changed meanwhile is dropped: the change has planned another look. */
async function storeLook(
  db: Db,
  domain: DomainRow,
  look: Look | null,
  policyHosts: string[] | null,
): Promise<void> {
  const { status, error, caa } = look ?? { status: 'NONE' as const, error: null, caa: null };
  const isActive = status === 'ACTIVE';
  const gapMs = nextGapMs(domain, look);
  const trackingRecord = isActive ? 'SUCCESS' : 'PENDING';
  await inTransaction(db, async (trx) => {
    await trx
      .updateTable('domains')
      .set((eb) => ({
        tracking_status: status,
        tracking_error: error,
        tracking_caa: caa && JSON.stringify(caa),
        tracking_since: isActive ? null : (domain.tracking_since ?? sql<Date>`now()`),
        tracking_checks: isActive ? 0 : eb('tracking_checks', '+', 1),
        ...(isActive || status === 'WAITING_DNS'
          ? {
              record_status: sql<string>`record_status || jsonb_build_object('tracking', ${trackingRecord}::text)`,
            }
          : {}),
        ...(policyHosts ? { mta_sts_hosts: policyHosts } : {}),
        hosts_check_at:
          gapMs === null ? null : sql<Date>`now() + make_interval(secs => ${gapMs / 1000}::float8)`,
      }))
      .where('team_id', '=', domain.team_id)
      .where('id', '=', domain.id)
      .where('tracking_subdomain', 'is not distinct from', domain.tracking_subdomain)
      .where('mta_sts', '=', domain.mta_sts)
      .execute();
  });
}

function nextGapMs(
  { tracking_since: since, tracking_checks: checks, mta_sts: mode }: DomainRow,
  look: Look | null,
) {
  if (!look) return mode === 'off' ? null : DAY_MS;
  if (look.status === 'ACTIVE') return ACTIVE_GAP_MS;
  if (since && Date.now() - since.getTime() > GIVE_UP_MS) return DAY_MS;
  return GAPS_MS[checks] ?? GAPS_MS.at(-1)!;
}
