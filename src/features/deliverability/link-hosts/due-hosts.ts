/** Plans the looks at hosts, and drops those that no domain uses and whose DNS no longer leads here. */
import { sql } from 'kysely';
import type { Dns } from '../../../mail/auth/dns.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { notClosed } from '../../instance/closed-teams.ts';
import type { Facts } from '../../instance/facts.ts';
import { checkHostsLater } from '../../sending/domains/domain-hosts.ts';
import { findDnsFault } from './leads-here.ts';

const DOMAINS_PER_ROUND = 500;
/** If the job is lost, the next look comes after this time. */
const LOST_AFTER_MINUTES = 60;

/** Adds a job for each domain whose hosts are due. Runs every minute, and sooner after a failure. */
export async function queueDueHosts(db: Db): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { rows } = await sql<CamelRow<'domains', 'team_id' | 'id'>>`
      update domains d set hosts_check_at = now() + make_interval(mins => ${LOST_AFTER_MINUTES}::integer)
      from (
        select team_id, id from domains
        where hosts_check_at <= now() and ${notClosed}
        order by hosts_check_at limit ${DOMAINS_PER_ROUND} for update skip locked
      ) due
      where d.team_id = due.team_id and d.id = due.id
      returning d.team_id as "teamId", d.id
    `.execute(trx);
    for (const { teamId, id } of rows) await checkHostsLater(trx, teamId, id);
  });
}

const HOSTS_PER_DAY = 10_000;
const AT_ONCE = 10;
/** DNS that is broken for a few days must not break links that were sent. */
const DROP_AFTER_DAYS = 7;

/** Runs daily. Links that were sent have the host of a deleted domain, so it stays while its DNS leads here. */
export async function dropLostHosts(
  db: Db,
  dns: Dns,
  { mailHost, directAllowPrivate: allowPrivate }: Pick<Facts, 'mailHost' | 'directAllowPrivate'>,
): Promise<void> {
  const { rows } = await sql<Row<'link_hosts', 'host'>>`
    select h.host from link_hosts h
    where not exists (
      select from domains d where d.team_id = h.team_id and d.id = h.domain_id and d.held and h.host in (
        d.tracking_subdomain || '.' || d.name,
        case when d.mta_sts <> 'off' or d.mta_sts_until > now() then 'mta-sts.' || d.name end
      )
    )
    order by h.host limit ${HOSTS_PER_DAY}
  `.execute(db);
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE);
    const looked = await Promise.all(
      some.map(async ({ host }) => ({
        host,
        fault: await findDnsFault(dns, host, { mailHost, allowPrivate }),
      })),
    );
    const lost = looked.filter(({ fault }) => fault !== null).map(({ host }) => host);
    const found = looked.filter(({ fault }) => fault === null).map(({ host }) => host);
    await sql`update link_hosts set lost_since = null where host = any(${found}::text[]) and lost_since is not null`.execute(
      db,
    );
    await sql`update link_hosts set lost_since = now() where host = any(${lost}::text[]) and lost_since is null`.execute(
      db,
    );
  }
  await sql`
    delete from link_hosts where lost_since < now() - make_interval(days => ${DROP_AFTER_DAYS}::integer)
  `.execute(db);
}
