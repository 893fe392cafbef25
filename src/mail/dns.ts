/**
 * DNS look-ups whose answers are values. Every one ends within five seconds, whatever the servers do. `none` is a
 * fact (the name or the record does not exist); `failed` is not: nobody could tell, ask again later.
 */
import { promises } from 'node:dns';

/** `noSuchName`: nothing at all is at that name; without it there may be other records. */
type Nothing = { kind: 'none'; noSuchName?: true };
export type DnsAnswer<T> = { kind: 'found'; records: T[] } | Nothing | { kind: 'failed'; reason: string };

export interface MxRecord {
  exchange: string;
  priority: number;
}

export interface Dns {
  /** Each record as one text, its strings joined (RFC 7208 section 3.3). */
  txt(name: string): Promise<DnsAnswer<string>>;
  mx(name: string): Promise<DnsAnswer<MxRecord>>;
  a(name: string): Promise<DnsAnswer<string>>;
  aaaa(name: string): Promise<DnsAnswer<string>>;
  /** Where the name itself is an alias; not followed. */
  cname(name: string): Promise<DnsAnswer<string>>;
  /** Every address of a host. Without servers of our own as the system finds it, its hosts file included. */
  host(name: string): Promise<DnsAnswer<string>>;
}

export interface DnsLimits {
  /** For the first try; the second gets twice that. */
  tryMs: number;
  tries: number;
  totalMs: number;
}

const LIMITS: DnsLimits = { tryMs: 1500, tries: 2, totalMs: 5000 };

// EBADNAME: a label too long or empty. Such a name exists nowhere, and no later try will change that.
const FACTS = new Set(['ENODATA', 'EBADNAME']);

/** `servers` as `host[:port]`, or null for the system's own. */
export function createDns(servers: string[] | null, limits: Partial<DnsLimits> = {}): Dns {
  const { tryMs, tries, totalMs } = { ...LIMITS, ...limits };
  const resolver = new promises.Resolver({ timeout: tryMs, tries });
  if (servers) resolver.setServers(servers);

  async function ask<T>(question: Promise<T[]>): Promise<DnsAnswer<T>> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<DnsAnswer<T>>((resolve) => {
      // With several servers the tries add up to more than anyone should wait.
      timer = setTimeout(
        () => resolve({ kind: 'failed', reason: `no answer within ${totalMs} ms` }),
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
    // This machine under every resolver (RFC 6761 section 6.3).
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
  };
}

function describeFailure(error: NodeJS.ErrnoException): Nothing | { kind: 'failed'; reason: string } {
  if (error.code === 'ENOTFOUND') return { kind: 'none', noSuchName: true };
  if (FACTS.has(error.code ?? '')) return { kind: 'none' };
  return { kind: 'failed', reason: error.message };
}
