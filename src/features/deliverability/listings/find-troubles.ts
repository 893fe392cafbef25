/** What the notices of a team tell about deliverability: link hosts that fail, certificates, and listings. */
import { sql } from 'kysely';
import { EXPIRES_SOON_MS } from '../../../platform/certificates/certificate.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';

export interface FailingHost {
  domainId: Row<'domains'>['id'];
  host: string;
  since: NonNullable<Row<'domains'>['tracking_since']>;
  error: NonNullable<Row<'domains'>['tracking_error']>;
}

/** A host that has just been added, or is ordered a certificate, is no trouble yet. */
const PATIENCE_MINUTES = 60;

export async function findFailingHosts(db: Db, teamId: number): Promise<FailingHost[]> {
  const { rows } = await sql<FailingHost>`
    select id as "domainId", tracking_subdomain || '.' || name as host, tracking_since as since, tracking_error as error
    from domains
    where team_id = ${teamId} and tracking_status in ('BROKEN', 'CAA_BLOCKED') and tracking_error is not null
      and tracking_since < now() - make_interval(mins => ${PATIENCE_MINUTES}::integer)
    order by tracking_since, id limit 20
  `.execute(db);
  return rows;
}

export interface ExpiringCertificate extends Row<'host_certificates', 'host'> {
  domainId: Row<'link_hosts'>['domain_id'];
  endsAt: NonNullable<Row<'host_certificates'>['ends_at']>;
  since: Date;
  error: string;
}

export async function findExpiringCertificates(db: Db, teamId: number): Promise<ExpiringCertificate[]> {
  const { rows } = await sql<ExpiringCertificate>`
    select c.host, h.domain_id as "domainId", c.ends_at as "endsAt", coalesce(c.failed_since, c.renew_at) as since,
      coalesce(c.error, 'it was not ordered') as error
    from link_hosts h join host_certificates c on c.host = h.host
    where h.team_id = ${teamId} and h.is_ready and c.ends_at < now() + make_interval(secs => ${EXPIRES_SOON_MS / 1000}::integer)
    order by c.ends_at, c.host limit 20
  `.execute(db);
  return rows;
}

export type FoundListing = CamelRow<'blocklistings', 'zone' | 'subject' | 'domain_id' | 'since'>;

/** `teamId` null means all teams. */
export async function findListings(db: Db, teamId: number | null): Promise<FoundListing[]> {
  const { rows } = await sql<FoundListing>`
    select zone, subject, domain_id as "domainId", since from blocklistings
    where ${teamId}::integer is null or team_id = 0 or team_id = ${teamId}::integer
    order by since, zone, subject limit 1000
  `.execute(db);
  return rows;
}
