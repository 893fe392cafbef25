/** Looks up the DKIM, SPF, MX and DMARC records of each domain. */
import type { Config } from '../../config.ts';
import { lookUpAll } from '../../features/sending/domains/verify-domain.ts';
import type { Dns } from '../../mail/auth/dns.ts';
import {
  parseDomainName,
  recordsOf,
  type DomainPublicKeys,
  type RecordRole,
} from '../../mail/auth/dns-records.ts';
import { failure, passed, warning, type DoctorFinding } from './finding.ts';

export interface StoredDomain {
  name: string;
  keys: DomainPublicKeys;
  region: string;
  /** True if the domain is verified, so that its team can send from it. */
  isVerified: boolean;
}

const NAMES: Record<RecordRole, string> = {
  dkim: 'DKIM',
  nextDkim: 'DKIM of the next key',
  retiredDkim: 'DKIM of the previous key',
  bounceMx: 'MX of the bounce host',
  spf: 'SPF',
  dmarc: 'DMARC',
  inboundMx: 'MX',
  tracking: 'Link host',
  trackingCaa: 'CAA of the link host',
  mtaSts: 'MTA-STS',
  mtaStsHost: 'MTA-STS host',
  tlsReports: 'TLS reports',
};

export async function checkDomains(
  { mailHost, mailTransport }: Config,
  dns: Dns,
  domains: StoredDomain[],
): Promise<DoctorFinding[]> {
  const isSandbox = mailTransport === 'sandbox';
  if (!isSandbox && !domains.some(({ isVerified }) => isVerified)) {
    const advice = 'Add a domain in the dashboard, create its DNS records and verify it.';
    return [
      warning('Domains', 'no domain is verified, so no email can be sent yet', advice),
      ...(await checkEach(domains)),
    ];
  }
  // The sandbox trusts names under .test, which have no DNS records.
  return checkEach(isSandbox ? domains.filter(({ name }) => !name.endsWith('.test')) : domains);

  function checkEach(list: StoredDomain[]): Promise<DoctorFinding[]> {
    return Promise.all(list.map((domain) => checkDomain(domain, mailHost, dns, isSandbox)));
  }
}

async function checkDomain(
  { name, keys, isVerified }: StoredDomain,
  mailHost: string,
  dns: Dns,
  isSandbox: boolean,
): Promise<DoctorFinding> {
  const records = recordsOf(parseDomainName(name)!, keys, mailHost);
  const lookups = await lookUpAll(dns, records);
  const wrong = records.filter(({ role }) => lookups[role].finding !== 'right');
  if (wrong.length === 0) return passed(name, 'DKIM, SPF, DMARC and MX are correct');
  const words = wrong.map(({ role }) => `${NAMES[role]} ${WORDS[lookups[role].finding]}`).join(', ');
  const missing = wrong
    .filter(({ role }) => lookups[role].finding !== 'no-answer')
    .map(({ type, host, value }) => `${type} ${host}  ${value}`);
  const isBroken = wrong.some(({ recommended }) => !recommended) && isVerified && !isSandbox;
  return (isBroken ? failure : warning)(
    name,
    `${words}${isVerified ? '' : '; the domain is not verified'}`,
    missing.length === 0
      ? 'Set DNS_SERVERS to DNS servers that this machine can reach.'
      : `Create these DNS records:\n${missing.join('\n')}`,
  );
}

const WORDS = {
  right: 'is correct',
  wrong: 'is wrong',
  absent: 'is missing',
  'no-answer': 'cannot be looked up',
};
