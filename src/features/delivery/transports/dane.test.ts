/** DANE (RFC 7672) in the direct transport. The mail servers listen on port 25, which may need privileges. */
import { createHash, X509Certificate } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../testing/dns-server.ts';
import { TEST_CERTIFICATE } from '../../../testing/servers/certificate.ts';
import { startSmtpSink } from '../../../testing/smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

const ADDRESS = '127.0.26.1';
const certificate = new X509Certificate(TEST_CERTIFICATE);
const spki = certificate.publicKey.export({ type: 'spki', format: 'der' });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
const sha512 = (bytes: Buffer) => createHash('sha512').update(bytes).digest();

type Tlsa = [usage: number, selector: number, matchingType: number, data: Buffer];
const RIGHT: Tlsa = [3, 1, 1, sha256(spki)];
const WRONG: Tlsa = [3, 1, 1, sha256(Buffer.from('another key'))];

const sink = await startSmtpSink({ host: ADDRESS, port: 25, behaviour: { starttls: 'offered' } }).catch(
  () => null,
);
let dns: DnsServer;
let trusting: TestServer;
let plain: TestServer;
let names = 0;

beforeAll(async () => {
  dns = await startDnsServer();
  const env = {
    DNS_SERVERS: dns.address,
    MAIL_HOST: 'mx.posthorn.example',
    MAIL_TRANSPORT: 'direct',
    DIRECT_ALLOW_PRIVATE: 'true',
  };
  trusting = await startTestServer({ doors: ['http', 'worker'], env: { ...env, DNS_DNSSEC: 'trusted' } });
  plain = await startTestServer({ doors: ['http', 'worker'], env });
});
afterAll(async () => {
  await trusting.close();
  await plain.close();
  await dns.close();
  await sink?.close();
});
beforeEach(() => {
  sink?.reset();
  dns.signed.clear();
  dns.bogus.clear();
});

const senders = new Map<TestServer, TestTeam>();

async function senderAt(server: TestServer): Promise<TestTeam> {
  const known = senders.get(server);
  if (known) return known;
  const team = await server.createTeam();
  const { body } = await team.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${body.id}`.execute(server.db);
  senders.set(server, team);
  return team;
}

/** A signed domain whose mail server has these TLSA records. */
function publish(records: Tlsa[], { host = '', isSigned = true } = {}): { domain: string; host: string } {
  const domain = `d${(names += 1)}.test`;
  const name = host || `mx.${domain}`;
  dns.zone[domain] = { MX: [{ priority: 10, exchange: name }] };
  dns.zone[name] = { A: [ADDRESS] };
  dns.zone[`_25._tcp.${name}`] = {
    TLSA: records.map(([usage, selector, matchingType, data]) => ({
      usage,
      selector,
      matchingType,
      certificate: data,
    })),
  };
  if (isSigned) dns.signed.add(domain).add(name);
  return { domain, host: name };
}

async function send(domain: string, status: string, server = trusting): Promise<string> {
  const team = await senderAt(server);
  const email = { from: 'Ada <ada@shop.test>', to: `bob@${domain}`, subject: 'Tea', text: 'At four?' };
  const { body } = await team.call('POST', '/emails', email);
  const read = async () => (await team.call('GET', `/emails/${body.emailId}`)).body;
  await expect.poll(async () => (await read()).status).toBe(status);
  return JSON.stringify((await read()).emailEvents);
}

describe.runIf(sink)('a domain with TLSA records', () => {
  test.each<[string, Tlsa]>([
    ['3 1 1', RIGHT],
    ['3 0 1', [3, 0, 1, sha256(certificate.raw)]],
    ['3 1 2', [3, 1, 2, sha512(spki)]],
    ['3 1 0', [3, 1, 0, spki]],
  ])('gets mail if its certificate matches %s, whatever else the certificate says', async (_, record) => {
    const { domain } = publish([WRONG, record]);
    expect(await send(domain, 'DELIVERED')).toContain('under TLS');
    expect(sink!.messages).toHaveLength(1);
  });

  test.each<[string, Tlsa[]]>([
    ['another key', [WRONG]],
    ['the digest of another part', [[3, 0, 1, sha256(spki)]]],
    ['an authority that has not issued it', [[2, 1, 1, sha256(Buffer.from('another'))]]],
  ])(
    'gets no mail if its records name %s: the mail waits, and never goes in plain text',
    async (_, records) => {
      const { domain } = publish(records);
      expect(await send(domain, 'DELIVERY_DELAYED')).toContain('does not match its TLSA records');
      expect(sink!.messages).toEqual([]);
      expect(sink!.commands.filter((command) => command.startsWith('MAIL'))).toEqual([]);
    },
  );

  test('gets mail under the certificate of an authority only if it is for the name of the server', async () => {
    const authority: Tlsa = [2, 0, 1, sha256(certificate.raw)];
    await send(publish([authority], { host: 'one.mail.test' }).domain, 'DELIVERED');
    const elsewhere = publish([authority]);
    expect(await send(elsewhere.domain, 'DELIVERY_DELAYED')).toContain('DANE');
  });

  test('gets no mail while it offers no encryption', async () => {
    sink!.behave({ starttls: 'none' });
    for (const records of [[RIGHT], [[1, 1, 1, sha256(spki)] satisfies Tlsa]])
      expect(await send(publish(records).domain, 'DELIVERY_DELAYED')).toContain('does not offer STARTTLS');
    expect(sink!.messages).toEqual([]);
  });

  test('gets encrypted mail without a check of the certificate if no record is usable', async () => {
    const { domain } = publish([
      [1, 1, 1, sha256(Buffer.from('x'))],
      [3, 1, 1, Buffer.from('too short')],
      [3, 9, 9, Buffer.from('x')],
    ]);
    expect(await send(domain, 'DELIVERED')).toContain('under TLS');
  });

  test('gets no mail while the records cannot be verified', async () => {
    const { domain, host } = publish([RIGHT]);
    dns.bogus.add(`_25._tcp.${host}`);
    expect(await send(domain, 'DELIVERY_DELAYED')).toContain('DNSSEC');
    expect(sink!.commands).toEqual([]);
  });

  test('is treated as others if the answers are not signed, or the resolver is not trusted', async () => {
    await send(publish([WRONG], { isSigned: false }).domain, 'DELIVERED');
    const halfSigned = publish([WRONG]);
    dns.signed.delete(halfSigned.domain);
    dns.signed.delete(halfSigned.host);
    dns.signed.add(`_25._tcp.${halfSigned.host}`);
    await send(halfSigned.domain, 'DELIVERED');
    await send(publish([WRONG]).domain, 'DELIVERED', plain);
    expect(sink!.messages).toHaveLength(3);
  });
});

test.runIf(sink)('signed domains without TLSA records get mail as before', async () => {
  const { domain, host } = publish([]);
  delete dns.zone[`_25._tcp.${host}`];
  await send(domain, 'DELIVERED');
  expect(dns.queries.some(({ type }) => type === 'TLSA')).toBe(true);
});
