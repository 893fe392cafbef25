/** Runs all checks of a domain. None of them can take longer than the limit or fail the others. */
import { recordsOf, type DomainName } from '../../../mail/auth/dns-records.ts';
import type { DomainHosts, DomainPublicKeys } from '../../../mail/auth/dns-records.ts';
import { lookUpAll } from '../../sending/domains/verify-domain.ts';
import { checkBimi } from './check-bimi.ts';
import { checkDmarc } from './check-dmarc.ts';
import { checkBlocklists, checkEhlo, checkPtr } from './check-egress.ts';
import { checkDkim, checkMx, checkReturnPath } from './check-records.ts';
import { checkSpf } from './check-spf.ts';
import { checkCertificate, checkMtaSts, checkTlsReports } from './check-tls.ts';
import { checkLinkHost, checkOneClick } from './check-web.ts';
import { findEgresses } from './egresses.ts';
import { finding, type Check, type HealthSubject, type HealthTools } from './health-subject.ts';
import type { CheckName, DomainHealth, HealthCheck } from './health.schema.ts';

/** The order is that in which problems should be solved. */
const CHECKS: Record<CheckName, Check> = {
  spf: checkSpf,
  dkim: checkDkim,
  dmarc: checkDmarc,
  return_path: checkReturnPath,
  mx: checkMx,
  ehlo: checkEhlo,
  ptr: checkPtr,
  tls_certificate: checkCertificate,
  mta_sts: checkMtaSts,
  tls_rpt: checkTlsReports,
  bimi: checkBimi,
  blocklists: checkBlocklists,
  one_click: checkOneClick,
  link_host: checkLinkHost,
};

const LONGEST_MS = 12_000;

export type CheckedDomain = Pick<HealthSubject, 'domain' | 'tracking' | 'mtaSts' | 'hasMailboxes'> & {
  keys: DomainPublicKeys;
  hosts: DomainHosts;
  /** The name exists in no public DNS, and the sandbox trusts it. */
  isTrusted: boolean;
};

export async function checkHealth(tools: HealthTools, checked: CheckedDomain): Promise<HealthCheck[]> {
  const { dns, settings } = tools;
  const { domain, keys, hosts, isTrusted } = checked;
  const records = recordsOf(domain, keys, settings.mailHost, hosts);
  const [lookups, egresses] = await Promise.all([lookUpAll(dns, records), findEgresses(dns, settings)]);
  const subject = { ...checked, records, lookups, egresses };
  const checks = await Promise.all(
    Object.entries(CHECKS).map(([name, check]) => runWithin(name as CheckName, check(tools, subject))),
  );
  return isTrusted ? checks.map((check) => forgiveTrusted(check, domain)) : checks;
}

async function runWithin(name: CheckName, check: Promise<HealthCheck>): Promise<HealthCheck> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<HealthCheck>((resolve) => {
    const sentence = `This was not known after ${LONGEST_MS / 1000} s. Look again later.`;
    timer = setTimeout(() => resolve(finding(name, 'unknown', { sentence })), LONGEST_MS);
  });
  return Promise.race([check, late]).finally(() => clearTimeout(timer));
}

/** A name under .test has no public DNS. What someone has set up for it is checked all the same. */
function forgiveTrusted(check: HealthCheck, { name }: DomainName): HealthCheck {
  if (check.found !== null || check.status === 'good' || check.status === 'off') return check;
  const sentence = `${name} exists in no public DNS. The sandbox trusts it without records.`;
  return { ...check, status: 'off', sentence };
}

export function scoreOf(checks: HealthCheck[]): Pick<DomainHealth, 'score' | 'next'> {
  const worst =
    checks.find(({ status }) => status === 'bad') ??
    checks.find(({ status }) => status === 'watch') ??
    checks.find(({ status }) => status === 'unknown');
  if (!worst) return { score: 'good', next: null };
  const { name, status, sentence } = worst;
  return { score: status === 'bad' ? 'bad' : 'watch', next: { name, sentence } };
}
