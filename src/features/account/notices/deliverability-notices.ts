/** Notices of link hosts that fail, certificates that could not be renewed, and listings on blocklists. */
import { X509Certificate } from 'node:crypto';
import type { Db } from '../../../platform/database/database.ts';
import { EXPIRES_SOON_MS } from '../../../platform/certificates/certificate.ts';
import {
  findExpiringCertificates,
  findFailingHosts,
  findListings,
  type FoundListing,
} from '../../deliverability/listings/find-troubles.ts';
import type { Facts } from '../../instance/facts.ts';
import type { Notice } from './notices.schema.ts';

export async function listDeliverabilityNotices(
  db: Db,
  teamId: number,
  facts: Pick<Facts, 'readCertificate'>,
): Promise<Notice[]> {
  const hosts = await findFailingHosts(db, teamId);
  const certificates = await findExpiringCertificates(db, teamId);
  const listings = await findListings(db, teamId);
  return [
    ...describeOwnCertificate(facts),
    ...hosts.map(({ domainId, host, since, error }) =>
      notice(
        'link-host',
        domainId,
        since,
        `Links in emails do not use ${host}, and have the host of this server meanwhile: ${error}`,
      ),
    ),
    ...certificates.map(({ host, domainId, endsAt, since, error }) =>
      notice(
        'certificate',
        domainId,
        since,
        `The certificate of ${host} ends on ${dayOf(endsAt)} and could not be renewed: ${error.replace(/\.$/, '')}.`,
      ),
    ),
    ...listings.map(describeListing),
  ];
}

function describeListing({ zone, subject, domainId, since }: FoundListing): Notice {
  return notice(
    'blocklist',
    domainId || null,
    since,
    `${subject} is on the blocklist ${zone}, so servers that use it reject your mail. Find out why, then ask the list to remove it.`,
  );
}

/** A self-signed certificate is renewed by itself. */
function describeOwnCertificate({ readCertificate }: Pick<Facts, 'readCertificate'>): Notice[] {
  try {
    const { validTo, issuer, subject } = new X509Certificate(readCertificate());
    const end = new Date(validTo);
    if (issuer === subject || end.getTime() > Date.now() + EXPIRES_SOON_MS) return [];
    const message = `The certificate of this server ends on ${dayOf(end)}. Email apps and other servers then refuse to connect. The operator must renew it.`;
    return [notice('certificate', null, new Date(end.getTime() - EXPIRES_SOON_MS), message)];
  } catch {
    return [];
  }
}

function notice(kind: Notice['kind'], domainId: number | null, since: Date, message: string): Notice {
  const id = domainId === null ? null : String(domainId);
  return { kind, id, contactBookId: null, since: since.toISOString(), message };
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
