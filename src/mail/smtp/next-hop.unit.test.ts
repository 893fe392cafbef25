import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../testing/dns-server.ts';
import { createDns, type Dns } from '../auth/dns.ts';
import { findHosts } from './next-hop.ts';

let server: DnsServer;
let dns: Dns;

beforeAll(async () => {
  server = await startDnsServer({
    'one.test': { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] },
    'two.test': { A: ['192.0.2.2'] },
    'six.test': { AAAA: ['2001:db8::6'] },
    'text.test': { TXT: ['nothing else'] },
    'null.test': { MX: [{ priority: 0, exchange: '.' }], A: ['192.0.2.9'] },
    'plain.test': { A: ['192.0.2.3'] },
    'lost.test': { MX: [{ priority: 10, exchange: 'nowhere.test' }], A: ['192.0.2.4'] },
    'partly.test': { MX: mx([5, 'nowhere.test'], [10, 'One.test']) },
    'ordered.test': { MX: mx([30, 'six.test'], [10, 'one.test'], [20, 'two.test']) },
    'equal.test': { MX: mx([10, 'one.test'], [10, 'two.test']) },
    'ours.test': { MX: mx([10, 'us.test'], [20, 'two.test']) },
    'backup.test': { MX: mx([10, 'one.test'], [20, 'us.test'], [20, 'two.test'], [30, 'six.test']) },
    'many.test': { MX: mx(...Array.from({ length: 60 }, (_, i): [number, string] => [i, `h${i}.test`])) },
  });
  for (let i = 0; i < 60; i++) server.zone[`h${i}.test`] = { A: [`192.0.2.${i}`] };
  dns = createDns([server.address], { tryMs: 200, totalMs: 800 });
});
afterAll(() => server.close());

function mx(...hosts: [number, string][]): { priority: number; exchange: string }[] {
  return hosts.map(([priority, exchange]) => ({ priority, exchange }));
}

async function names(domain: string, ownNames: string[] = []): Promise<string[]> {
  const next = await findHosts(dns, domain, { ownNames });
  return next.kind === 'hosts' ? next.hosts.map(({ name }) => name) : [next.kind];
}

test('hosts are sorted by preference, with all addresses, IPv4 first', async () => {
  expect(await findHosts(dns, 'ordered.test')).toEqual({
    kind: 'hosts',
    hosts: [
      { name: 'one.test', addresses: ['192.0.2.1', '2001:db8::1'] },
      { name: 'two.test', addresses: ['192.0.2.2'] },
      { name: 'six.test', addresses: ['2001:db8::6'] },
    ],
  });
});

test('hosts of equal preference are in random order', async () => {
  const first = new Set<string>();
  for (let round = 0; round < 40 && first.size < 2; round++) first.add((await names('equal.test'))[0]!);
  expect([...first].toSorted()).toEqual(['one.test', 'two.test']);
});

test('a domain without MX receives its own mail', async () => {
  expect(await findHosts(dns, 'plain.test')).toEqual({
    kind: 'hosts',
    hosts: [{ name: 'plain.test', addresses: ['192.0.2.3'] }],
  });
});

test('a null MX refuses mail, although the domain has an address', async () => {
  expect(await findHosts(dns, 'null.test')).toEqual({ kind: 'refuses-mail' });
});

test.each([
  ['does not exist', 'nowhere.test'],
  ['has neither MX nor address', 'text.test'],
  ['has an MX that does not exist', 'lost.test'],
])('a domain that %s cannot get mail', async (_what, domain) => {
  expect(await findHosts(dns, domain)).toEqual({ kind: 'no-such-domain' });
});

test('hosts without an address are skipped', async () => {
  expect(await names('partly.test')).toEqual(['one.test']);
});

test('mail is never sent to this server or to hosts that are not preferred over it', async () => {
  expect(await names('backup.test', ['US.test.'])).toEqual(['one.test']);
  expect(await names('ours.test', ['us.test'])).toEqual(['ourselves']);
  expect(await names('plain.test', ['plain.test'])).toEqual(['ourselves']);
});

test('a zone with many hosts causes only a few lookups', async () => {
  const before = server.queries.length;
  expect(await names('many.test')).toEqual(Array.from({ length: 8 }, (_, i) => `h${i}.test`));
  expect(server.queries.length - before).toBeLessThan(20);
});

test('a resolver that cannot answer is a failure, never "no MX"', async () => {
  server.setBehaviour('servfail');
  expect(await findHosts(dns, 'plain.test')).toMatchObject({ kind: 'failed' });
  server.setBehaviour('normal');
  const noMx: Dns = { ...dns, mx: async () => ({ kind: 'failed', reason: 'timeout' }) };
  expect(await findHosts(noMx, 'plain.test')).toEqual({
    kind: 'failed',
    reason: 'MX of plain.test: timeout',
  });
  const half: Dns = { ...dns, a: async () => ({ kind: 'failed', reason: 'timeout' }) };
  expect(await findHosts(half, 'plain.test')).toEqual({
    kind: 'failed',
    reason: 'address of plain.test: timeout',
  });
});
