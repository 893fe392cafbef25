import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../testing/dns-server.ts';
import { createDns, type Dns } from './dns.ts';

let server: DnsServer;
let dns: Dns;

beforeAll(async () => {
  server = await startDnsServer({
    'x.test': {
      TXT: ['v=spf1 -all', ['two ', 'strings']],
      MX: [{ priority: 10, exchange: 'mx.x.test' }],
      A: ['127.0.0.1'],
      AAAA: ['::1'],
    },
    'big.test': { TXT: [`v=DKIM1; p=${'A'.repeat(700)}`] },
    'alias.test': { CNAME: 'x.test' },
  });
  dns = createDns([server.address], { tryMs: 100, totalMs: 400 });
});
afterEach(() => server.setBehaviour('normal'));
afterAll(() => server.close());

test('all record types are found, and the strings of a TXT are joined', async () => {
  expect(await dns.txt('x.test')).toEqual({ kind: 'found', records: ['v=spf1 -all', 'two strings'] });
  expect(await dns.mx('x.test')).toEqual({
    kind: 'found',
    records: [{ exchange: 'mx.x.test', priority: 10 }],
  });
  expect(await dns.a('x.test')).toEqual({ kind: 'found', records: ['127.0.0.1'] });
  expect(await dns.aaaa('x.test')).toEqual({ kind: 'found', records: ['::1'] });
});

test('a TXT record that is too big for UDP is complete', async () => {
  expect(await dns.txt('big.test')).toEqual({ kind: 'found', records: [`v=DKIM1; p=${'A'.repeat(700)}`] });
  expect(server.queries.filter(({ name }) => name === 'big.test').map(({ over }) => over)).toEqual([
    'udp',
    'tcp',
  ]);
});

test('a record behind a CNAME is found', async () => {
  expect(await dns.txt('alias.test')).toMatchObject({ kind: 'found' });
});

test.each([
  ['a name that does not exist', 'nowhere.test'],
  ['a name without such a record', 'big.test'],
  ['a label that is too long', `${'a'.repeat(64)}.test`],
  ['an empty label', 'a..test'],
])('%s has no records', async (_what, name) => {
  expect(await dns.mx(name)).toMatchObject({ kind: 'none' });
});

test('a change of the zone is seen immediately', async () => {
  server.zone['new.test'] = { TXT: ['one'] };
  expect(await dns.txt('new.test')).toEqual({ kind: 'found', records: ['one'] });
  server.zone['new.test'] = { TXT: ['two'] };
  expect(await dns.txt('new.test')).toEqual({ kind: 'found', records: ['two'] });
  delete server.zone['new.test'];
  expect(await dns.txt('new.test')).toEqual({ kind: 'none', noSuchName: true });
});

test.each(['silent', 'servfail', 'refused', 'garbage', 'wrong', { slowMs: 2000 }] as const)(
  'a server that is %o gives failed within the time limit',
  async (behaviour) => {
    server.setBehaviour(behaviour);
    const question = dns.txt('x.test');
    const limit = new Promise((resolve) => setTimeout(resolve, 1000, 'too late'));
    expect(await Promise.race([question, limit])).toMatchObject({ kind: 'failed' });
  },
);

test('a slow answer within the limit counts', async () => {
  server.setBehaviour({ slowMs: 40 });
  expect(await dns.txt('x.test')).toMatchObject({ kind: 'found' });
});

test('the second server is asked when the first is silent', async () => {
  const other = await startDnsServer();
  other.setBehaviour('silent');
  const both = createDns([other.address, server.address], { tryMs: 100, totalMs: 1000 });
  expect(await both.txt('x.test')).toMatchObject({ kind: 'found' });
  await other.close();
});

test('several silent servers together take no longer than the limit', async () => {
  const silent = await Promise.all([startDnsServer(), startDnsServer(), startDnsServer()]);
  for (const one of silent) one.setBehaviour('silent');
  const addresses = silent.map(({ address }) => address);
  const nobody = createDns(addresses, { tryMs: 250, totalMs: 100 });
  expect(await nobody.a('x.test')).toEqual({ kind: 'failed', reason: 'no response within 100 ms' });
  await Promise.all(silent.map((one) => one.close()));
});

test('an unreachable server gives failed, not none', async () => {
  const gone = await startDnsServer();
  await gone.close();
  const nobody = createDns([gone.address], { tryMs: 100, totalMs: 400 });
  expect(await nobody.txt('x.test')).toMatchObject({ kind: 'failed' });
});
