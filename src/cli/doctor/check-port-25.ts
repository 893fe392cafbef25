/** The direct transport needs outgoing connections to port 25, which many hosting providers block. */
import type { Config } from '../../config.ts';
import type { Dns } from '../../mail/auth/dns.ts';
import { openSession } from '../../mail/smtp/client.ts';
import { findHosts } from '../../mail/smtp/next-hop.ts';
import { isPublicAddress } from '../../platform/network/public-address.ts';
import { failure, passed, type DoctorFinding } from './finding.ts';

/** Large receivers. A reply from one of them is enough. */
const DOMAINS = ['gmail.com', 'outlook.com', 'yahoo.com'];
const TIMEOUTS = { connectMs: 5_000, greetingMs: 5_000, commandMs: 5_000 };

export async function checkPort25(config: Config, dns: Dns): Promise<DoctorFinding[]> {
  if (config.mailTransport !== 'direct') return [];
  const results = await Promise.all(DOMAINS.map((domain) => tryDomain(domain, config, dns)));
  const reached = results.find((result) => 'reached' in result);
  if (reached) return [passed('Port 25', `${reached.reached} responds`)];
  const failures = results.filter((result) => 'reason' in result);
  const reasons = failures.map(({ reason }) => reason).join('; ');
  if (failures.every(({ isLookup }) => isLookup)) {
    const advice = 'Set DNS_SERVERS to DNS servers that this machine can reach.';
    return [failure('Port 25', `no mail server can be looked up: ${reasons}`, advice)];
  }
  return [
    failure(
      'Port 25',
      `no mail server can be reached: ${reasons}`,
      'Ask your hosting provider to open outgoing port 25, allow it in the firewall, or use MAIL_TRANSPORT=relay.',
    ),
  ];
}

async function tryDomain(
  domain: string,
  { mailHost, directAllowPrivate }: Config,
  dns: Dns,
): Promise<{ reached: string } | { reason: string; isLookup: boolean }> {
  const mayConnect = directAllowPrivate ? () => true : isPublicAddress;
  const hop = await findHosts(dns, domain, { mayConnect });
  if (hop.kind === 'failed') return { reason: hop.reason, isLookup: true };
  const host = hop.kind === 'hosts' ? hop.hosts[0] : undefined;
  if (!host) return { reason: `${domain} has no mail server (${hop.kind})`, isLookup: true };
  const { session, failure: failed } = await openSession(
    {
      host: host.addresses[0]!,
      port: 25,
      tls: 'starttls-if-offered',
      servername: host.name,
      verifyCertificate: false,
      auth: null,
      localName: mailHost,
    },
    { timeouts: TIMEOUTS },
  );
  if (!session) return { reason: `${host.name}: ${failed.cause}`, isLookup: false };
  await session.close();
  return { reached: host.name };
}
