/**
 * Where the mail of a domain goes (RFC 5321 section 5.1): its MX hosts by preference, equals in random order, or the
 * domain itself where it has none. A null MX (RFC 7505) refuses all mail. An answer that nobody could give is never
 * taken for "there is none".
 */
import type { Dns, DnsAnswer, MxRecord } from './dns.ts';

interface MailHost {
  /** What MTA-STS and its certificate are held against. */
  name: string;
  addresses: string[];
}

export type NextHop =
  | { kind: 'hosts'; hosts: MailHost[] }
  | { kind: 'refuses-mail' }
  /** Neither mail hosts nor addresses, for good. */
  | { kind: 'no-such-domain' }
  /** The best host is ourselves: sending would go round in a circle. */
  | { kind: 'ourselves' }
  /** It has addresses, and `mayConnect` allows none of them. */
  | { kind: 'no-public-address' }
  | { kind: 'failed'; reason: string };

export interface NextHopOptions {
  /** Names under which we are an MX ourselves. */
  ownNames?: readonly string[];
  /** Addresses that it refuses are left out. All are allowed without it. */
  mayConnect?: (address: string) => boolean;
}

// More than this nobody tries in one attempt; a hostile zone could list thousands.
const MOST_HOSTS = 8;
const MOST_ADDRESSES = 4;

export async function findHosts(dns: Dns, domain: string, options: NextHopOptions = {}): Promise<NextHop> {
  const mx = await dns.mx(domain);
  if (mx.kind === 'failed') return { kind: 'failed', reason: `MX of ${domain}: ${mx.reason}` };
  const records = mx.kind === 'found' ? mx.records : [{ exchange: domain, priority: 0 }];
  if (records.every(({ exchange }) => tidy(exchange) === '')) return { kind: 'refuses-mail' };

  const names = sortHosts(records, options.ownNames ?? []);
  if (names.length === 0) return { kind: 'ourselves' };

  const looked = await Promise.all(names.map((name) => lookUpHost(dns, name, options.mayConnect)));
  const hosts = looked.filter((host) => 'addresses' in host);
  if (hosts.length > 0) return { kind: 'hosts', hosts };
  const others = looked.filter((host) => 'kind' in host);
  // A look-up that failed may still find a usable address later, so it comes before the facts.
  return (
    others.find(({ kind }) => kind === 'failed') ??
    others.find(({ kind }) => kind === 'no-public-address') ?? { kind: 'no-such-domain' }
  );
}

/** Best first. What is not better than ourselves would send the message back to us (RFC 5321 section 5.1). */
function sortHosts(records: MxRecord[], ownNames: readonly string[]): string[] {
  const own = new Set(ownNames.map(tidy));
  const ours = records.filter(({ exchange }) => own.has(tidy(exchange))).map(({ priority }) => priority);
  const limit = Math.min(Infinity, ...ours);
  const shuffled = records
    .filter(({ exchange, priority }) => priority < limit && tidy(exchange) !== '')
    .map((record) => ({ ...record, lot: Math.random() }))
    .toSorted((a, b) => a.priority - b.priority || a.lot - b.lot);
  return [...new Set(shuffled.map(({ exchange }) => tidy(exchange)))].slice(0, MOST_HOSTS);
}

async function lookUpHost(
  dns: Dns,
  name: string,
  mayConnect: (address: string) => boolean = () => true,
): Promise<MailHost | Exclude<NextHop, { kind: 'hosts' }>> {
  const [four, six] = await Promise.all([dns.a(name), dns.aaaa(name)]);
  // IPv4 first: large receivers are stricter over IPv6, and refuse what has no reverse name there.
  const found = [four, six].flatMap((answer) => recordsOf(answer));
  const addresses = [four, six].flatMap((answer) =>
    recordsOf(answer).filter(mayConnect).slice(0, MOST_ADDRESSES),
  );
  if (addresses.length > 0) return { name, addresses };
  for (const answer of [four, six])
    if (answer.kind === 'failed') return { kind: 'failed', reason: `address of ${name}: ${answer.reason}` };
  return found.length > 0 ? { kind: 'no-public-address' } : { kind: 'no-such-domain' };
}

function recordsOf(answer: DnsAnswer<string>): string[] {
  return answer.kind === 'found' ? answer.records : [];
}

function tidy(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
