/** Looks whether REPORT_HOST permits reports about other domains, without which nobody sends them. */
import type { Config } from '../../config.ts';
import type { CheckedDomain } from '../../features/deliverability/health/check-health.ts';
import { findReportPermission } from '../../features/deliverability/health/report-permission.ts';
import type { Dns } from '../../mail/auth/dns.ts';
import { showCount } from '../show.ts';
import { MAX_DOMAINS } from './check-domain-health.ts';
import { passed, warning, type DoctorFinding } from './finding.ts';

export async function checkReportHost(
  { reportHost, mailTransport }: Config,
  dns: Dns,
  domains: CheckedDomain[],
): Promise<DoctorFinding[]> {
  if (mailTransport === 'sandbox') return [];
  const names = domains.slice(0, MAX_DOMAINS).map(({ domain }) => domain.name);
  const permissions = await Promise.all(
    names.map(async (about) => ({ about, found: await findReportPermission(dns, about, reportHost) })),
  );
  const missing = permissions.filter(({ found }) => found?.state === 'missing');
  const [first] = missing;
  if (first)
    return [
      warning(
        'REPORT_HOST',
        `${first.found!.name} has no record, so nobody sends DMARC reports about ${first.about} to ${reportHost}${missing.length === 1 ? '' : `, nor about ${showCount(missing.length - 1, 'other domain')}`}`,
        `Create the TXT record *._report._dmarc.${reportHost} with the value v=DMARC1;`,
      ),
    ];
  // Without DNS, other findings say so.
  return permissions.some(({ found }) => found?.state === 'given')
    ? [passed('REPORT_HOST', `${reportHost} takes DMARC reports about other domains`)]
    : [];
}
