import { sql } from 'kysely';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../testing/dns-server.ts';
import { startSmtpSink, type SmtpSink } from '../../../testing/smtp-sink.ts';
import {
  shareTestServer,
  startTestServer,
  type TestServer,
  type TestTeam,
} from '../../../testing/test-server.ts';

let dns: DnsServer;
let sink: SmtpSink;
let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  [dns, sink] = await Promise.all([startDnsServer(), startSmtpSink()]);
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: {
      DNS_SERVERS: dns.address,
      MAIL_HOST: 'mx.posthorn.example',
      MAIL_TRANSPORT: 'relay',
      RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
      DKIM_PRIMES: '3',
    },
  });
  team = await server.createTeam();
});
afterAll(async () => {
  await server.close();
  await Promise.all([dns.close(), sink.close()]);
});

interface DomainBody {
  id: number;
  name: string;
  dnsRecords: { type: string; name: string; value: string; status: string; recommended: boolean }[];
  [field: string]: unknown;
}

async function get(id: number): Promise<DomainBody> {
  return (await team.call('GET', `/domains/${id}`)).body;
}

function publish({ name: domain, dnsRecords }: DomainBody): void {
  for (const { type, name, value } of dnsRecords) {
    const entry = (dns.zone[name === '@' ? domain : `${name}.${domain}`] ??= {});
    if (type === 'TXT') entry.TXT = [value];
    else entry.MX = [{ priority: 10, exchange: value }];
  }
}

async function createVerified(name: string): Promise<DomainBody> {
  const domain: DomainBody = (await team.call('POST', '/domains', { name })).body;
  publish(domain);
  await team.call('PUT', `/domains/${domain.id}/verify`);
  await expect.poll(async () => (await get(domain.id)).status).toBe('SUCCESS');
  return get(domain.id);
}

const rotate = (id: number) => team.call('POST', `/domains/${id}/rotate-key`);

/** Sends an email and returns the selector of its signature, which mailauth has verified with the published records. */
async function selectorOfNewMail(domain: string): Promise<string> {
  const count = sink.messages.length;
  const email = { from: `a@${domain}`, to: 'b@example.org', subject: 'Hello', text: 'Hello' };
  expect((await team.call('POST', '/emails', email)).status).toBe(200);
  await expect.poll(() => sink.messages.length).toBe(count + 1);
  const { results } = await dkimVerify(sink.messages.at(-1)!.data, {
    strict: true,
    resolver: async (name) => (dns.zone[name]?.TXT ?? []).map((text) => [String(text)]),
  });
  expect(results.map(({ status }) => status.result)).toEqual(['pass']);
  return results[0]!.selector!;
}

test('the old key signs until the record of the new one is published', async () => {
  const { id, name, publicKey } = await createVerified('rotated.example');
  expect(await selectorOfNewMail(name)).toBe('ph1');

  const { status, body: waiting } = await rotate(id);
  expect(status).toBe(200);
  expect(waiting).toMatchObject({
    status: 'SUCCESS',
    publicKey,
    dkimSelector: 'ph1',
    nextDkimSelector: 'ph2',
    retiredDkimSelector: null,
  });
  const next = waiting.dnsRecords.find((record: { name: string }) => record.name === 'ph2._domainkey');
  expect(next).toMatchObject({ type: 'TXT', recommended: true });
  await team.call('PUT', `/domains/${id}/verify`);
  await expect.poll(async () => (await get(id)).isVerifying).toBe(false);
  expect(await get(id)).toMatchObject({ status: 'SUCCESS', dkimSelector: 'ph1' });
  expect(await selectorOfNewMail(name)).toBe('ph1');
  // A second request changes nothing, even while the first key waits.
  expect((await rotate(id)).body.dnsRecords).toEqual((await get(id)).dnsRecords);

  publish(waiting);
  await team.call('PUT', `/domains/${id}/verify`);
  await expect.poll(async () => (await get(id)).dkimSelector).toBe('ph2');
  const rotated = await get(id);
  expect(rotated).toMatchObject({
    status: 'SUCCESS',
    dkimStatus: 'SUCCESS',
    nextDkimSelector: null,
    retiredDkimSelector: 'ph1',
  });
  expect(next.value).toContain(rotated.publicKey);
  expect(rotated.dnsRecords.filter((record) => record.name.endsWith('_domainkey'))).toMatchObject([
    { name: 'ph2._domainkey', recommended: false, status: 'SUCCESS' },
    { name: 'ph1._domainkey', recommended: true, status: 'SUCCESS' },
  ]);
  await expect.poll(() => selectorOfNewMail(name), { interval: 300 }).toBe('ph2');

  await sql`update domains set retired_at = now() - interval '8 days' where id = ${id}`.execute(server.db);
  expect(await get(id)).toMatchObject({ retiredDkimSelector: null });
  expect((await get(id)).dnsRecords).toHaveLength(6);
});

test('a wrong record of the new key does not replace the old one, and the domain stays verified', async () => {
  const { id, name } = await createVerified('mistyped.example');
  await rotate(id);
  dns.zone[`ph2._domainkey.${name}`] = { TXT: ['v=DKIM1; k=rsa; p=WRONG'] };
  await team.call('PUT', `/domains/${id}/verify`);
  const recordOfNext = async () =>
    (await get(id)).dnsRecords.find((record) => record.name === 'ph2._domainkey')!.status;
  await expect.poll(recordOfNext).toBe('FAILED');
  expect(await get(id)).toMatchObject({ status: 'SUCCESS', dkimSelector: 'ph1', nextDkimSelector: 'ph2' });
});

test('concurrent requests make one new key', async () => {
  const { id } = await createVerified('hurried.example');
  const answers = await Promise.all([rotate(id), rotate(id), rotate(id)]);
  const values = answers.map(
    ({ body }) => body.dnsRecords.find(({ name }: { name: string }) => name === 'ph2._domainkey').value,
  );
  expect(new Set(values).size).toBe(1);
});

test('a domain that was never verified gets the new key immediately', async () => {
  const { body: domain } = await team.call('POST', '/domains', { name: 'new.example' });
  const { body } = await rotate(domain.id);
  expect(body).toMatchObject({
    dkimSelector: 'ph2',
    nextDkimSelector: null,
    retiredDkimSelector: null,
    status: 'NOT_STARTED',
    dkimStatus: 'NOT_STARTED',
  });
  expect(body.publicKey).not.toBe(domain.publicKey);
  expect(body.dnsRecords).toHaveLength(6);
});

test('a trusted name of the sandbox needs no record', async () => {
  const sandbox = await (await shareTestServer()).createTeam();
  const { body: domain } = await sandbox.call('POST', '/domains', { name: 'rotating.test' });
  await sandbox.call('PUT', `/domains/${domain.id}/verify`);
  const { body } = await sandbox.call('POST', `/domains/${domain.id}/rotate-key`);
  expect(body).toMatchObject({
    dkimSelector: 'ph2',
    nextDkimSelector: null,
    retiredDkimSelector: 'ph1',
    status: 'SUCCESS',
    dkimStatus: 'SUCCESS',
  });
});

test('other teams, other domains of a bound key and unknown ids have no access', async () => {
  const { id } = (await team.call('POST', '/domains', { name: 'private.example' })).body;
  const stranger = await server.createTeam();
  expect((await stranger.call('POST', `/domains/${id}/rotate-key`)).status).toBe(404);
  expect((await rotate(999_999)).status).toBe(404);
  expect((await team.call('POST', '/domains/x/rotate-key')).status).toBe(400);
  expect((await get(id)).dkimSelector).toBe('ph1');
});
