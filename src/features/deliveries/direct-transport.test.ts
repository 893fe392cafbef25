import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../testing/dns-server.ts';
import { startSmtpSink, type SmtpSink } from '../../testing/smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

let dns: DnsServer;
let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  dns = await startDnsServer();
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: { DNS_SERVERS: dns.address, MAIL_HOST: 'mx.posthorn.example', MAIL_TRANSPORT: 'direct' },
  });
  team = await server.createTeam();
  const { body } = await team.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${body.id}`.execute(server.db);
});
afterAll(async () => {
  await server.close();
  await dns.close();
});
beforeEach(() => {
  for (const name of Object.keys(dns.zone)) delete dns.zone[name];
});

/** The email, once it has come so far. */
async function send(to: string | string[], status: string) {
  const email = { from: 'Ada <ada@shop.test>', to, subject: 'Tea', text: 'At four?' };
  const { body } = await team.call('POST', '/emails', email);
  const read = async () => (await team.call('GET', `/emails/${body.emailId}`)).body;
  await expect.poll(async () => (await read()).status, { timeout: 10_000 }).toBe(status);
  return read();
}

const reasonsOf = (email: { emailEvents: { data: { reason?: string } | null }[] }) =>
  email.emailEvents.flatMap(({ data }) => data?.reason ?? []);

describe('a domain whose mail comes to this very server', () => {
  const ourMx = { MX: [{ priority: 10, exchange: 'MX.posthorn.example.' }] };

  test('has its mailboxes get what is for them, without a wire', async () => {
    dns.zone['shop.test'] = ourMx;
    const { body: box } = await team.call('POST', '/mailboxes', { address: 'bob@shop.test' });
    await send(['bob@shop.test', 'bob+tea@shop.test'], 'DELIVERED');
    const { body } = await team.call('GET', `/mailboxes/${box.id}/threads`);
    expect(body.items).toMatchObject([{ subject: 'Tea', message_count: 1, unread: true }]);
  });

  test('has no other addresses', async () => {
    dns.zone['shop.test'] = ourMx;
    const email = await send('nobody@shop.test', 'BOUNCED');
    expect(reasonsOf(email)).toEqual([
      'The domain shop.test has its mail sent to us, and there is no such address here.',
    ]);
  });

  test('is left by the wire where its MX is another, whoever has a mailbox here', async () => {
    await team.call('POST', '/mailboxes', { address: 'eve@shop.test' });
    dns.zone['shop.test'] = { MX: [{ priority: 0, exchange: '.' }] };
    expect(reasonsOf(await send('eve@shop.test', 'BOUNCED'))).toEqual([
      'The domain shop.test takes no mail (null MX).',
    ]);
  });
});

test('a domain that does not exist bounces; one that nobody can ask about waits', async () => {
  expect(reasonsOf(await send('a@gone.test', 'BOUNCED'))).toEqual(['The domain gone.test does not exist.']);
  dns.setBehaviour('servfail');
  const [reason] = reasonsOf(await send('a@slow.test', 'DELIVERY_DELAYED'));
  dns.setBehaviour('normal');
  expect(reason).toMatch(/^MX of slow\.test/);
});

/** Mail servers listen on port 25, which not everybody may take. */
async function startMailServer(host: string): Promise<SmtpSink | null> {
  return startSmtpSink({ host, port: 25 }).catch(() => null);
}
const probe = await startMailServer('127.0.25.1');
await probe?.close();

function publish(domain: string): void {
  Object.assign(dns.zone, {
    [domain]: {
      MX: [
        { priority: 20, exchange: `mx2.${domain}` },
        { priority: 10, exchange: `mx1.${domain}` },
      ],
    },
    [`mx1.${domain}`]: { A: ['127.0.25.1'] },
    [`mx2.${domain}`]: { A: ['127.0.25.2'] },
  });
}

describe.runIf(probe)('mail servers of others', () => {
  let first: SmtpSink;
  let second: SmtpSink;

  beforeAll(async () => {
    first = (await startMailServer('127.0.25.1'))!;
    second = (await startMailServer('127.0.25.2'))!;
  });
  afterAll(() => Promise.all([first.close(), second.close()]));

  test('are asked in the order of their preference', async () => {
    publish('foreign.test');
    await send('a@foreign.test', 'DELIVERED');
    expect([first.messages.length, second.messages.length]).toEqual([1, 0]);
    expect(first.commands[0]).toBe('EHLO mx.posthorn.example');
    publish('other.test');
    await first.stopListening();
    await send('a@other.test', 'DELIVERED');
    expect(second.messages).toHaveLength(1);
  });
});
