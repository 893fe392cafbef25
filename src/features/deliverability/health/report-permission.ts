/** Reports to a host of another domain are sent only if that host permits it (RFC 9990 section 4). */
import { isIP } from 'node:net';
import type { Dns } from '../../../mail/auth/dns.ts';
import { parseDomainName } from '../../../mail/auth/dns-records.ts';
import { bareHost } from '../../../platform/network/bare-host.ts';

interface ReportPermission {
  /** The name of the record by which the host takes reports about the domain. */
  name: string;
  state: 'given' | 'missing' | 'unknown';
}

/** `domain` has the DMARC record. Returns null if its reports need no permission. */
export async function findReportPermission(
  dns: Dns,
  domain: string,
  reportHost: string,
): Promise<ReportPermission | null> {
  if (isIP(bareHost(reportHost)) !== 0) return null;
  if (parseDomainName(reportHost)?.registrable === parseDomainName(domain)?.registrable) return null;
  const name = `${domain}._report._dmarc.${reportHost}`;
  const answer = await dns.txt(name);
  if (answer.kind === 'failed') return { name, state: 'unknown' };
  const permits =
    answer.kind === 'found' && answer.records.some((text) => /^\s*v\s*=\s*DMARC1\b/i.test(text));
  return { name, state: permits ? 'given' : 'missing' };
}
