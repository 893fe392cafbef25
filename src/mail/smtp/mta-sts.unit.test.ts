import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TEST_CERTIFICATE, TEST_KEY } from '../../testing/servers/certificate.ts';
import { startDnsServer, type DnsServer } from '../../testing/dns-server.ts';
import { startSmtpSink } from '../../testing/smtp-sink.ts';
import { isPublicAddress } from '../../platform/network/public-address.ts';
import { createDns } from '../auth/dns.ts';
import { parsePolicy } from './mta-sts-policy.ts';
import { createMtaSts, mayUseHost, secureHost, type MtaSts } from './mta-sts.ts';
import { openSession } from './client.ts';

const ENFORCE = 'version: STSv1\r\nmode: enforce\r\nmx: mx.example.test\r\nmax_age: 86400\r\n';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let dns: DnsServer;
let web: Server;
let port: number;
let sts: MtaSts;
let now: number;
let answer: { status: number; headers: Record<string, string>; body: string };
let requests: string[] = [];

beforeAll(async () => {
  dns = await startDnsServer();
  web = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (request, response) => {
    requests.push(`${request.headers.host} ${request.url}`);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((listening) => web.listen(0, '127.0.0.1', listening));
  port = (web.address() as AddressInfo).port;
});
beforeEach(() => {
  now = 1_800_000_000_000;
  requests = [];
  answer = { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: ENFORCE };
  dns.zone['_mta-sts.example.test'] = { TXT: ['v=STSv1; id=20261115;'] };
  dns.zone['mta-sts.example.test'] = { A: ['127.0.0.1'] };
  sts = createSts();
});
afterEach(() => dns.setBehaviour('normal'));
afterAll(async () => {
  web.closeAllConnections();
  await new Promise((closed) => web.close(closed));
  await dns.close();
});

function createSts(ca: string | undefined = TEST_CERTIFICATE, timeoutMs = 5_000): MtaSts {
  const resolver = createDns([dns.address], { tryMs: 500, totalMs: 2_000 });
  return createMtaSts(resolver, { port, ca, timeoutMs }, () => now);
}

describe('the policy of a domain', () => {
  test('is fetched over HTTPS and cached', async () => {
    const policy = { mode: 'enforce', mx: ['mx.example.test'], maxAgeSeconds: 86400 };
    expect(await Promise.all([sts.findPolicy('example.test'), sts.findPolicy('example.test')])).toEqual([
      policy,
      policy,
    ]);
    now += 10 * MINUTE_MS;
    expect(await sts.findPolicy('example.test')).toEqual(policy);
    expect(requests).toEqual([`mta-sts.example.test:${port} /.well-known/mta-sts.txt`]);
  });

  test('is fetched again when its id changes, but at most every five minutes', async () => {
    await sts.findPolicy('example.test');
    dns.zone['_mta-sts.example.test'] = { TXT: ['v=STSv1; id=20261116'] };
    answer.body = ENFORCE.replace('enforce', 'testing');
    now += MINUTE_MS;
    expect((await sts.findPolicy('example.test'))!.mode).toBe('enforce');
    now += 5 * MINUTE_MS;
    expect((await sts.findPolicy('example.test'))!.mode).toBe('testing');
  });

  test.each([
    ['its record is gone', () => delete dns.zone['_mta-sts.example.test']],
    ['DNS is silent', () => dns.setBehaviour('silent')],
    [
      'a new one cannot be fetched',
      () => {
        dns.zone['_mta-sts.example.test'] = { TXT: ['v=STSv1; id=2'] };
        answer.status = 500;
      },
    ],
  ])('stays valid until its max_age ends, even if %s', async (_what, change) => {
    await sts.findPolicy('example.test');
    change();
    now += DAY_MS / 2;
    expect((await sts.findPolicy('example.test'))!.mode).toBe('enforce');
    now += DAY_MS;
    expect(await sts.findPolicy('example.test')).toBeNull();
  });

  test('expires after its max_age', async () => {
    answer.body = ENFORCE.replace('86400', '60');
    expect((await sts.findPolicy('example.test'))!.mode).toBe('enforce');
    now += 2 * MINUTE_MS;
    expect(await sts.findPolicy('example.test')).toBeNull();
  });

  test('does not expire while the domain is used', async () => {
    for (let day = 0; day < 4; day++) {
      expect((await sts.findPolicy('example.test'))!.mode).toBe('enforce');
      now += DAY_MS * 0.6;
    }
    expect(requests.length).toBe(4);
  });

  test.each([
    ['no TXT record', () => delete dns.zone['_mta-sts.example.test']],
    ['two TXT records', () => dns.zone['_mta-sts.example.test']!.TXT!.push('v=STSv1; id=2')],
    ['a TXT record without id', () => dns.zone['_mta-sts.example.test']!.TXT!.splice(0, 1, 'v=STSv1;')],
    ['no address of the policy host', () => delete dns.zone['mta-sts.example.test']],
    ['a redirect', () => (answer = { ...answer, status: 301, headers: { location: '/elsewhere' } })],
    ['another content type', () => (answer.headers = { 'content-type': 'text/html' })],
    ['a file over 64 KB', () => (answer.body = `${ENFORCE}${'x: y\r\n'.repeat(20_000)}`)],
    ['no policy in the file', () => (answer.body = '<html>')],
  ])('does not exist with %s', async (_what, change) => {
    change();
    expect(await sts.findPolicy('example.test')).toBeNull();
    expect(requests.length).toBeLessThan(2);
  });

  test('is fetched only from allowed addresses', async () => {
    const resolver = createDns([dns.address], { tryMs: 500, totalMs: 2_000 });
    const allowing = (mayConnect: (address: string) => boolean) =>
      createMtaSts(resolver, { port, ca: TEST_CERTIFICATE, mayConnect });
    expect(await allowing(isPublicAddress).findPolicy('example.test')).toBeNull();
    expect(requests).toEqual([]);
    // The connection goes to the address that was checked.
    dns.zone['mta-sts.example.test'] = { A: ['10.255.255.1', '127.0.0.1'] };
    const only = allowing((address) => address === '127.0.0.1');
    expect(await only.findPolicy('example.test')).toMatchObject({ mode: 'enforce' });
  });

  test('is ignored from a host with an untrusted certificate or one for another name', async () => {
    expect(await createSts('').findPolicy('example.test')).toBeNull();
    dns.zone['_mta-sts.sub.example.test'] = { TXT: ['v=STSv1; id=1'] };
    dns.zone['mta-sts.sub.example.test'] = { A: ['127.0.0.1'] };
    expect(await sts.findPolicy('sub.example.test')).toBeNull();
    expect(requests).toEqual([]);
  });
});

test.each([
  ['enforce with two hosts', ENFORCE.replace('\r\nmax', '\r\nmx: *.Example.TEST\r\nmax'), 'enforce'],
  ['bare line feeds and no space', 'version:STSv1\nmode:testing\nmx:a.test\nmax_age:1', 'testing'],
  ['none without hosts', 'version: STSv1\nmode: none\nmax_age: 86400\n', 'none'],
  ['fields of the future', `${ENFORCE}future: thing\r\n`, 'enforce'],
  ['no version first', 'mode: enforce\nmx: a.test\nmax_age: 1\n', undefined],
  ['another version', ENFORCE.replace('STSv1', 'STSv2'), undefined],
  ['an unknown mode', ENFORCE.replace('enforce', 'strict'), undefined],
  ['no hosts', ENFORCE.replace(/mx: .*\r\n/, ''), undefined],
  ['no age', ENFORCE.replace(/max_age.*/, ''), undefined],
])('a policy file with %s', (_what, text, mode) => {
  expect(parsePolicy(text)?.mode).toBe(mode);
});

test.each([
  ['mx.example.test', 'mx.example.test', true],
  ['mx.example.test', 'MX.Example.Test.', true],
  ['mx.example.test', 'mx2.example.test', false],
  ['*.example.test', 'mx.example.test', true],
  ['*.example.test', 'a.mx.example.test', false],
  ['*.example.test', 'example.test', false],
])('%s allows %s: %s', (pattern, name, expected) => {
  expect(mayUseHost({ mode: 'enforce', mx: [pattern], maxAgeSeconds: 1 }, name)).toBe(expected);
});

test('an enforced policy requires a listed host with a valid certificate; otherwise TLS is opportunistic', async () => {
  const sink = await startSmtpSink({ behaviour: { starttls: 'offered' } });
  const enforced = {
    mode: 'enforce' as const,
    mx: ['mx.example.test', 'mx.elsewhere.test'],
    maxAgeSeconds: 1,
  };
  const open = (policy: Parameters<typeof secureHost>[0], name: string) =>
    openSession(
      {
        host: sink.host,
        port: sink.port,
        auth: null,
        localName: 'us.test',
        ...secureHost(policy, name)!,
      },
      { ca: TEST_CERTIFICATE },
    );
  expect(secureHost(enforced, 'mx.other.test')).toBeNull();
  expect((await open(enforced, 'mx.example.test')).session!.isSecured).toBe(true);
  expect((await open(enforced, 'mx.elsewhere.test')).failure).toMatchObject({
    stage: 'tls',
    temporary: true,
  });
  for (const policy of [
    null,
    { ...enforced, mode: 'testing' as const },
    { ...enforced, mode: 'none' as const },
  ])
    expect((await open(policy, 'mx.other.test')).session!.isSecured).toBe(true);
  sink.behave({ starttls: 'none' });
  expect((await open(enforced, 'mx.example.test')).failure).toMatchObject({ stage: 'tls' });
  expect((await open(null, 'mx.example.test')).session!.isSecured).toBe(false);
  await sink.close();
});
