/**
 * DNS lookups that return their failures as values. Each ends within five seconds. `none` means that the name or
 * record does not exist. `failed` means that the result is unknown and the lookup should be repeated later.
 */
import { promises, type CaaRecord } from 'node:dns';
import { isIPv6 } from 'node:net';

/** With `noSuchName` the name has no records at all. Otherwise it may have records of other types. */
type NoRecords = { kind: 'none'; noSuchName?: true };
export type DnsAnswer<T> = { kind: 'found'; records: T[] } | NoRecords | { kind: 'failed'; reason: string };

export interface MxRecord {
  exchange: string;
  priority: number;
}

export interface Dns {
  /** The strings of each record are joined (RFC 7208 section 3.3). */
  txt(name: string): Promise<DnsAnswer<string>>;
  mx(name: string): Promise<DnsAnswer<MxRecord>>;
  a(name: string): Promise<DnsAnswer<string>>;
  aaaa(name: string): Promise<DnsAnswer<string>>;
  /** Set when the name itself is an alias. The alias is not followed. */
  cname(name: string): Promise<DnsAnswer<string>>;
  /** As in a zone file: `0 issue "ca.example"`. Aliases are followed (RFC 8659 section 3). */
  caa(name: string): Promise<DnsAnswer<string>>;
  /** The names of an address, from reverse DNS. */
  ptr(address: string): Promise<DnsAnswer<string>>;
  /** All addresses of a host. Without configured servers this uses the system resolver, including the hosts file. */
  host(name: string): Promise<DnsAnswer<string>>;
}

export interface DnsLimits {
  /** The timeout of the first try; the second gets twice as long. */
  tryMs: number;
  tries: number;
  totalMs: number;
}

const LIMITS: DnsLimits = { tryMs: 1500, tries: 2, totalMs: 5000 };

// EBADNAME: a label is too long or empty. Such a name cannot exist, so a retry is useless.
const DEFINITE_CODES = new Set(['ENODATA', 'EBADNAME']);

/** `servers` are written as `host[:port]`; null uses those of the system. */
export function createDns(servers: string[] | null, limits: Partial<DnsLimits> = {}): Dns {
  const { tryMs, tries, totalMs } = { ...LIMITS, ...limits };
  const resolver = new promises.Resolver({ timeout: tryMs, tries });
  if (servers) resolver.setServers(servers);

  async function ask<T>(question: Promise<T[]>): Promise<DnsAnswer<T>> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<DnsAnswer<T>>((resolve) => {
      // With several servers the tries can add up to more than the total limit.
      timer = setTimeout(
        () => resolve({ kind: 'failed', reason: `no response within ${totalMs} ms` }),
        totalMs,
      );
    });
    const answer = question.then(
      (records): DnsAnswer<T> => (records.length > 0 ? { kind: 'found', records } : { kind: 'none' }),
      describeFailure,
    );
    const first = await Promise.race([answer, tooLate]);
    clearTimeout(timer);
    return first;
  }

  async function host(name: string): Promise<DnsAnswer<string>> {
    // RFC 6761 section 6.3: localhost is always this machine.
    if (/^(.*\.)?localhost\.?$/i.test(name)) return { kind: 'found', records: ['127.0.0.1', '::1'] };
    if (!servers) {
      const found = promises.lookup(name, { all: true });
      return ask(found.then((addresses) => addresses.map(({ address }) => address)));
    }
    const answers = await Promise.all([ask(resolver.resolve4(name)), ask(resolver.resolve6(name))]);
    const records = answers.flatMap((answer) => (answer.kind === 'found' ? answer.records : []));
    if (records.length > 0) return { kind: 'found', records };
    return answers.find((answer) => answer.kind === 'failed') ?? { kind: 'none' };
  }

  return {
    host,
    txt: (name) => ask(resolver.resolveTxt(name).then((records) => records.map((parts) => parts.join('')))),
    mx: (name) => ask(resolver.resolveMx(name)),
    a: (name) => ask(resolver.resolve4(name)),
    aaaa: (name) => ask(resolver.resolve6(name)),
    cname: (name) => ask(resolver.resolveCname(name)),
    caa: (name) => ask(resolver.resolveCaa(name).then((records) => records.map(writeCaa))),
    ptr: (address) => ask(resolver.resolvePtr(reverseNameOf(address))),
  };
}

/** Node.js gives each record as its flags and one field with the name of the tag. */
function writeCaa({ critical, ...tags }: CaaRecord): string {
  const [[tag, value] = ['', '']] = Object.entries(tags as Record<string, string>).filter(
    ([name]) => name !== 'type',
  );
  return `${critical} ${tag} "${value}"`;
}

function describeFailure(error: NodeJS.ErrnoException): NoRecords | { kind: 'failed'; reason: string } {
  if (error.code === 'ENOTFOUND') return { kind: 'none', noSuchName: true };
  if (DEFINITE_CODES.has(error.code ?? '')) return { kind: 'none' };
  return { kind: 'failed', reason: error.message };
}

/** RFC 1035 section 3.5 and RFC 3596 section 2.5. */
function reverseNameOf(address: string): string {
  return `${reverseLabelsOf(address)}.${isIPv6(address) ? 'ip6' : 'in-addr'}.arpa`;
}

/** The labels of an address in reverse names, and in blocklists (RFC 5782 section 2). */
export function reverseLabelsOf(address: string): string {
  if (!isIPv6(address)) return address.split('.').toReversed().join('.');
  // URL has one short form for each address, with at most one `::` and no IPv4 notation.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [first, last] = [head, tail ?? ''].map((text) => (text ? text.split(':') : [])) as [
    string[],
    string[],
  ];
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  const digits = [...first, ...zeros, ...last].map((group) => group.padStart(4, '0')).join('');
  return [...digits].toReversed().join('.');
}
