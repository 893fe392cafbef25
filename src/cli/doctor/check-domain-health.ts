/**
 * Shows what the health of each verified domain (GET /domains/{id}/health) says beyond the other findings. What is the
 * same for all domains is shown once.
 */
import type { Config } from '../../config.ts';
import { checkHealth, type CheckedDomain } from '../../features/deliverability/health/check-health.ts';
import type { CheckName, HealthCheck } from '../../features/deliverability/health/health.schema.ts';
import { createFileFetcher } from '../../features/instance/fetch-file.ts';
import type { Dns } from '../../mail/auth/dns.ts';
import { findSecret } from '../../open-secret.ts';
import { leadsToThisMachine } from '../../platform/network/local-address.ts';
import { failure, passed, warning, type DoctorFinding } from './finding.ts';

const OF_DOMAIN: Partial<Record<CheckName, string>> = {
  spf: 'SPF',
  dmarc: 'DMARC',
  mta_sts: 'MTA-STS',
  tls_rpt: 'TLS reports',
  bimi: 'BIMI',
  link_host: 'link host',
};
/** More would take too long. Verified domains come first. */
export const MAX_DOMAINS = 20;

export async function checkDomainHealth(
  config: Config,
  dns: Dns,
  { domains, isRunning }: { domains: CheckedDomain[]; isRunning: boolean },
): Promise<DoctorFinding[]> {
  const fetchFile = createFileFetcher(dns, { allowPrivate: config.webhookAllowPrivate });
  const secret = findSecret(config) ?? Buffer.alloc(0);
  const settings = {
    ...config,
    secret,
    blocklistZones: config.dnsblZones,
    certificate: null,
    // It is the same for all domains: check-report-host.ts.
    reportHost: null,
  };
  const all = await Promise.all(
    domains.slice(0, MAX_DOMAINS).map(async (checked) => ({
      name: checked.domain.name,
      checks: await checkHealth({ dns, fetchFile, settings }, checked),
    })),
  );
  return [
    ...all.flatMap(({ name, checks }) => checks.flatMap((check) => judge(name, check))),
    ...judgeBlocklists(all.flatMap(({ checks }) => checks.filter((check) => check.name === 'blocklists'))),
    ...(isRunning && !leadsToThisMachine(config.baseUrl)
      ? judgeOneClick(all[0]?.checks.find((check) => check.name === 'one_click'))
      : []),
  ];
}

function judge(domain: string, { name, status, sentence, found }: HealthCheck): DoctorFinding[] {
  const about = OF_DOMAIN[name];
  // Records that are missing are listed by check-domains.ts.
  const isListed = (name === 'spf' || name === 'dmarc') && found === null;
  if (!about || isListed || (status !== 'bad' && status !== 'watch')) return [];
  return [toFinding(domain, about, sentence)];
}

/** The last sentence of a check says what to do. */
function toFinding(about: string, what: string, text: string, mark = warning): DoctorFinding {
  const at = text.trimEnd().lastIndexOf('. ');
  return at === -1
    ? mark(about, `${what}: ${text}`, 'Open the page of the domain in the dashboard.')
    : mark(about, `${what}: ${text.slice(0, at + 1)}`, text.slice(at + 2));
}

function judgeBlocklists(checks: HealthCheck[]): DoctorFinding[] {
  const listed = new Set(checks.filter(({ status }) => status === 'bad').map(({ sentence }) => sentence));
  if (listed.size > 0)
    return [...listed].map((sentence) => toFinding('DNSBL_ZONES', 'listed', sentence, failure));
  const silent = checks.find(({ status }) => status === 'unknown');
  if (silent)
    return [
      warning(
        'DNSBL_ZONES',
        silent.sentence,
        'Use a DNS server of your own in DNS_SERVERS, or drop the list.',
      ),
    ];
  return checks.some(({ status }) => status === 'good') ? [passed('DNSBL_ZONES', 'not on any list')] : [];
}

function judgeOneClick(check: HealthCheck | undefined): DoctorFinding[] {
  return check?.status === 'bad' ? [toFinding('One-click unsubscribe', 'fails', check.sentence)] : [];
}
