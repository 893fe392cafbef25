/** Looks whether REPORT_HOST permits reports about other domains, without which nobody sends them. */
import { isIP } from 'node:net';
import type { Config } from '../../config.ts';
import { reportPermissionOf } from '../../features/deliverability/health/check-dmarc.ts';
import type { CheckedDomain } from '../../features/deliverability/health/check-health.ts';
import { parseDomainName } from '../../mail/auth/dns-records.ts';
import type { Dns } from '../../mail/auth/dns.ts';
import { passed, warning, type DoctorFinding } from './finding.ts';

export async function checkReportHost(
  { reportHost, mailTransport }: Config,
  dns: Dns,
  domains: CheckedDomain[],
): Promise<DoctorFinding[]> {
  const own = parseDomainName(reportHost)?.registrable;
  if (mailTransport === 'sandbox' || isIP(reportHost.replaceAll(/^\[|\]$/g, '')) !== 0) return [];
  const other = domains.find(({ domain }) => domain.registrable !== own);
  if (!other) return [];
  const name = reportPermissionOf(other.domain.registrable, reportHost);
  const answer = await dns.txt(name);
  // Without DNS, other findings say so.
  if (answer.kind === 'failed') return [];
  const permits =
    answer.kind === 'found' && answer.records.some((text) => /^\s*v\s*=\s*DMARC1\b/i.test(text));
  if (permits) return [passed('REPORT_HOST', `${reportHost} takes DMARC reports about other domains`)];
  return [
    warning(
      'REPORT_HOST',
      `${name} has no record, so nobody sends DMARC reports about ${other.domain.registrable} to ${reportHost}`,
      `Create the TXT record *._report._dmarc.${reportHost} with the value v=DMARC1;`,
    ),
  ];
}
