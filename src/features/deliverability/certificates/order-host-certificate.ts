/**
 * Orders the certificates of link hosts and MTA-STS hosts, where this instance serves HTTPS with certificates by ACME. Only
 * a job orders, and only for hosts on the list whose DNS leads here:
 *
 *   needed → a job is queued → ordered, and the host is looked at again
 *                            → failed, and tried again after a growing gap
 *
 * The jobs of one host run one at a time. The orders of an hour are limited for each team and for the instance, because
 * authorities limit them too, and one team must not use up the limit.
 */
import { X509Certificate } from 'node:crypto';
import { sql } from 'kysely';
import { orderCertificate } from '../../../platform/certificates/order-certificate.ts';
import type { Certificate } from '../../../platform/certificates/certificate.ts';
import {
  certificateIdOf,
  fetchRenewalWindow,
  findRenewalInfo,
  twoThirds,
  type RenewalWindow,
} from '../../../platform/certificates/renewal-info.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/durations.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Log } from '../../../platform/log.ts';
import type { Facts } from '../../instance/facts.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { checkHostsLater } from '../../sending/domains/domain-hosts.ts';
import { loadAccountKey } from './acme-account.ts';
import { createCertificateBox } from './certificate-box.ts';
import { storeChallenges } from './challenges.ts';

export interface OrderTools {
  db: Db;
  log: Log;
  facts: Pick<Facts, 'secret' | 'acmeDirectoryUrl' | 'hostCertificates'>;
}

const ORDERS_PER_HOUR = 60;
const TEAM_ORDERS_PER_HOUR = 10;
/** Let's Encrypt allows five failures per name and hour. */
const RETRY_MS = [15 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, DAY_MS];
const MAX_ERROR = 500;

/** A host that is not ordered now, because of a limit or a failure, is queued again by renew-certificates.ts. */
export async function queueOrder(db: Db, host: string): Promise<void> {
  const name = `order-certificate ${host}`;
  await enqueue(db, 'order-certificate', { host }, { jobKey: name, queue: name });
}

export async function orderHostCertificate(tools: OrderTools, { host }: { host: string }): Promise<void> {
  const { db, log, facts } = tools;
  if (facts.hostCertificates === null) return;
  const claimed = await claimOrder(db, host);
  if (claimed === null) return;
  try {
    const certificate = await order(tools, host, claimed);
    const window = await fetchRenewalWindow(await findRenewalInfo(facts.acmeDirectoryUrl), certificate.cert);
    await storeCertificate(tools, host, { certificate, window });
    log.info({ host }, 'acme: new certificate of a link host');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ host, reason }, 'acme: no certificate for a link host');
    await storeFailure(db, host, { reason, failures: claimed.failures });
  }
  await lookAgain(db, host);
}

type Claimed = Row<'host_certificates', 'chain' | 'failures'>;

/** Null for a host that is not on the list, or for which no certificate may be ordered now. */
async function claimOrder(db: Db, host: string): Promise<Claimed | null> {
  return inTransaction(db, async (trx) => {
    // Orders begin one after another, so that their number is exact.
    await sql`select pg_advisory_xact_lock(hashtext('order-certificate'))`.execute(trx);
    const { rows: wanted } = await sql<Row<'link_hosts', 'team_id'>>`
      select h.team_id from link_hosts h left join host_certificates c on c.host = h.host
      where h.host = ${host} and h.is_ready
        and (c.ends_at is null or c.renew_at <= now())
        and coalesce(c.retry_at <= now(), true)
    `.execute(trx);
    if (!wanted[0]) return null;
    const { rows: counts } = await sql<{ all: number; team: number }>`
      select count(*)::integer as all, count(*) filter (where h.team_id = ${wanted[0].team_id})::integer as team
      from host_certificates c join link_hosts h on h.host = c.host
      where c.ordered_at > now() - interval '1 hour'
    `.execute(trx);
    const { all, team } = counts[0]!;
    if (all >= ORDERS_PER_HOUR || team >= TEAM_ORDERS_PER_HOUR) return null;
    const { rows } = await sql<Claimed>`
      insert into host_certificates as c (host, ordered_at) values (${host}, now())
      on conflict (host) do update set ordered_at = excluded.ordered_at
      returning c.chain, c.failures
    `.execute(trx);
    return rows[0]!;
  });
}

async function order(
  { db, facts }: OrderTools,
  host: string,
  { chain, failures }: Claimed,
): Promise<Certificate> {
  const { acmeDirectoryUrl: directoryUrl, secret, hostCertificates } = facts;
  return orderCertificate({
    directoryUrl,
    accountKey: await loadAccountKey(db, createCertificateBox(secret), directoryUrl),
    email: hostCertificates!.email,
    names: [host],
    // A server may reject the order because of this, so it is left out after a failure.
    replaces: chain !== null && failures === 0 ? certificateIdOf(new X509Certificate(chain)) : null,
    challenges: storeChallenges(db),
  });
}

async function storeCertificate(
  { db, facts }: OrderTools,
  host: string,
  { certificate, window }: { certificate: Certificate; window: RenewalWindow | null },
): Promise<void> {
  const { key, cert } = certificate;
  const read = new X509Certificate(cert);
  await db
    .updateTable('host_certificates')
    .set({
      chain: cert,
      private_key: createCertificateBox(facts.secret).encrypt(Buffer.from(key)),
      ends_at: new Date(read.validTo),
      renew_at: window ? timeWithin(window) : twoThirds(read),
      ask_at: window?.askAgainAt ?? new Date(Date.now() + DAY_MS),
      failures: 0,
      failed_since: null,
      retry_at: null,
      error: null,
    })
    .where('host', '=', host)
    .execute();
}

/** Renewals of many certificates are spread over their windows. */
export function timeWithin({ start, end }: RenewalWindow): Date {
  return new Date(start.getTime() + Math.random() * (end.getTime() - start.getTime()));
}

async function storeFailure(
  db: Db,
  host: string,
  { reason, failures }: { reason: string; failures: number },
): Promise<void> {
  const retryAt = new Date(Date.now() + (RETRY_MS[failures] ?? RETRY_MS.at(-1)!));
  await db
    .updateTable('host_certificates')
    .set((eb) => ({
      failures: failures + 1,
      failed_since: eb.fn.coalesce('failed_since', sql<Date>`now()`),
      retry_at: retryAt,
      error: reason.slice(0, MAX_ERROR),
    }))
    .where('host', '=', host)
    .execute();
}

/** The state of the link host depends on its certificate. */
async function lookAgain(db: Db, host: string): Promise<void> {
  const row = await db
    .selectFrom('link_hosts')
    .select(['team_id', 'domain_id'])
    .where('host', '=', host)
    .executeTakeFirst();
  if (row && row.domain_id !== null) await checkHostsLater(db, row.team_id, row.domain_id);
}
