/**
 * Finds the servers for a domain (RFC 5321 section 5.1): its MX hosts by preference, equal ones in random order, or
 * the domain itself if it has no MX. A null MX (RFC 7505) rejects all mail. A failed lookup never counts as "no
 * record".
 */
import type { Dns, DnsAnswer, MxRecord } from '../auth/dns.ts';

interface MailHost {
  /** The name for MTA-STS and certificate checks. */
  name: string;
  addresses: string[];
}

export type NextHop =
  | { kind: 'hosts'; hosts: MailHost[] }
  | { kind: 'refuses-mail' }
  /** The domain has neither MX nor addresses. */
  | { kind: 'no-such-domain' }
  /** The best host is this server, so sending would create a loop. */
  | { kind: 'ourselves' }
  /** The domain has addresses, but `mayConnect` rejects all of them. */
  | { kind: 'no-public-address' }
  | { kind: 'failed'; reason: string };

export interface NextHopOptions {
  /** The names under which this server is an MX. */
  ownNames?: readonly string[];
  /** Excludes the addresses for which it returns false. By default all are allowed. */
  mayConnect?: (address: string) => boolean;
}

// Limits one attempt, because a hostile zone could list thousands.
const MAX_HOSTS = 8;
const MAX_ADDRESSES = 4;

export async function findHosts(dns: Dns, domain: string, options: NextHopOptions = {}): Promise<NextHop> {
  const mx = await dns.mx(domain);
  if (mx.kind === 'failed') return { kind: 'failed', reason: `MX of ${domain}: ${mx.reason}` };
  const records = mx.kind === 'found' ? mx.records : [{ exchange: domain, priority: 0 }];
  if (records.every(({ exchange }) => normalize(exchange) === '')) return { kind: 'refuses-mail' };

  const names = sortHosts(records, options.ownNames ?? []);
  if (names.length === 0) return { kind: 'ourselves' };

  const lookups = await Promise.all(names.map((name) => lookUpHost(dns, name, options.mayConnect)));
  const hosts = lookups.filter((host) => 'addresses' in host);
  if (hosts.length > 0) return { kind: 'hosts', hosts };
  const others = lookups.filter((host) => 'kind' in host);
  // A failed lookup may find an address later, so it takes precedence over permanent results.
  return (
    others.find(({ kind }) => kind === 'failed') ??
    others.find(({ kind }) => kind === 'no-public-address') ?? { kind: 'no-such-domain' }
  );
}

/** Best first. A host that is not preferred over this server would send the message back (RFC 5321 section 5.1). */
function sortHosts(records: MxRecord[], ownNames: readonly string[]): string[] {
  const own = new Set(ownNames.map(normalize));
  const ours = records.filter(({ exchange }) => own.has(normalize(exchange))).map(({ priority }) => priority);
  const limit = Math.min(Infinity, ...ours);
  const shuffled = records
    .filter(({ exchange, priority }) => priority < limit && normalize(exchange) !== '')
    .map((record) => ({ ...record, order: Math.random() }))
    .toSorted((a, b) => a.priority - b.priority || a.order - b.order);
  return [...new Set(shuffled.map(({ exchange }) => normalize(exchange)))].slice(0, MAX_HOSTS);
}

async function lookUpHost(
  dns: Dns,
  name: string,
  mayConnect: (address: string) => boolean = () => true,
): Promise<MailHost | Exclude<NextHop, { kind: 'hosts' }>> {
  const [ipv4, ipv6] = await Promise.all([dns.a(name), dns.aaaa(name)]);
  // IPv4 first, because large receivers are stricter over IPv6 and require reverse DNS there.
  const found = [ipv4, ipv6].flatMap((answer) => recordsOf(answer));
  const addresses = [ipv4, ipv6].flatMap((answer) =>
    recordsOf(answer).filter(mayConnect).slice(0, MAX_ADDRESSES),
  );
  if (addresses.length > 0) return { name, addresses };
  for (const answer of [ipv4, ipv6])
    if (answer.kind === 'failed') return { kind: 'failed', reason: `address of ${name}: ${answer.reason}` };
  return found.length > 0 ? { kind: 'no-public-address' } : { kind: 'no-such-domain' };
}

function recordsOf(answer: DnsAnswer<string>): string[] {
  return answer.kind === 'found' ? answer.records : [];
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
