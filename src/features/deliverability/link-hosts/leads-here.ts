/** Tells whether DNS leads a host of a customer to this server. */
import { isIP } from 'node:net';
import type { Dns } from '../../../mail/auth/dns.ts';
import { bareHost } from '../../../platform/network/bare-host.ts';
import { isPublicAddress } from '../../../platform/network/public-address.ts';

export interface DnsTarget {
  mailHost: string;
  /** DIRECT_ALLOW_PRIVATE. */
  allowPrivate: boolean;
}

const MAX_ALIASES = 8;

/** Returns what is wrong as a sentence; null if nothing is. */
export async function findDnsFault(dns: Dns, host: string, target: DnsTarget): Promise<string | null> {
  const mailHost = bare(target.mailHost);
  const aliases = await followAliases(dns, host, mailHost);
  if (aliases.failure !== null) return `The DNS server did not respond for ${host} (${aliases.failure}).`;
  const found = await dns.host(host);
  if (found.kind === 'failed') return `The DNS server did not respond for ${host} (${found.reason}).`;
  if (found.kind === 'none') {
    return aliases.last === host
      ? `${host} was not found in DNS.`
      : `${host} is an alias of ${aliases.last}, which has no address.`;
  }
  if (aliases.last !== host && !aliases.isOurs)
    return `${host} is an alias of ${aliases.last}. It must be an alias of ${mailHost}.`;
  // Providers that cannot have an alias at a name, and those that hide it, answer with our addresses.
  if (!aliases.isOurs && !(await areOurs(dns, found.records, mailHost)))
    return `${host} leads to ${found.records.slice(0, 4).join(', ')}. It must be an alias of ${mailHost}. If a proxy such as Cloudflare answers for it, turn the proxy off for this record.`;
  if (!target.allowPrivate && !found.records.some(isPublicAddress))
    return `${host} leads to ${found.records.slice(0, 4).join(', ')}, which is not a public address.`;
  return null;
}

async function followAliases(dns: Dns, host: string, mailHost: string) {
  let last = host;
  for (let count = 0; count < MAX_ALIASES; count += 1) {
    const answer = await dns.cname(last);
    if (answer.kind === 'failed') return { last, isOurs: false, failure: answer.reason };
    if (answer.kind === 'none') break;
    last = bare(answer.records[0]!);
    if (last === mailHost) return { last, isOurs: true, failure: null };
  }
  return { last, isOurs: false, failure: null };
}

async function areOurs(dns: Dns, addresses: string[], mailHost: string): Promise<boolean> {
  if (isIP(mailHost) !== 0) return addresses.every((address) => address === mailHost);
  const ours = await dns.host(mailHost);
  return ours.kind === 'found' && addresses.every((address) => ours.records.includes(address));
}

function bare(host: string): string {
  return bareHost(host.toLowerCase()).replace(/\.$/, '');
}
