import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../testing/dns-server.ts';
import { startSmtpSink, type SmtpSink } from '../../../testing/smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let dns: DnsServer;
let server: TestServer;
let sender: TestTeam;

const environment = () => ({
  DNS_SERVERS: dns.address,
  MAIL_HOST: 'mx.posthorn.example',
  MAIL_TRANSPORT: 'direct',
});

beforeAll(async () => {
  dns = await startDnsServer();
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: { ...environment(), DIRECT_ALLOW_PRIVATE: 'true' },
  });
  sender = await createSender(server);
});
afterAll(async () => {
  await server.close();
  await dns.close();
});
beforeEach(() => {
  for (const name of Object.keys(dns.zone)) delete dns.zone[name];
});

async function createSender(at: TestServer): Promise<TestTeam> {
  const created = await at.createTeam();
  const { body } = await created.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${body.id}`.execute(at.db);
  return created;
}

/** Returns the email once it has this status. */
async function send(to: string | string[], status: string, team: TestTeam = sender) {
  const email = { from: 'Ada <ada@shop.test>', to, subject: 'Tea', text: 'At four?' };
  const { body } = await team.call('POST', '/emails', email);
  const read = async () => (await team.call('GET', `/emails/${body.emailId}`)).body;
  await expect.poll(async () => (await read()).status).toBe(status);
  return read();
}

const reasonsOf = (email: { emailEvents: { data: { reason?: string } | null }[] }) =>
  email.emailEvents.flatMap(({ data }) => data?.reason ?? []);

describe('a domain whose MX is this server', () => {
  const ourMx = { MX: [{ priority: 10, exchange: 'MX.posthorn.example.' }] };

  test('delivers to its mailboxes without SMTP', async () => {
    dns.zone['shop.test'] = ourMx;
    const { body: box } = await sender.call('POST', '/mailboxes', { address: 'bob@shop.test' });
    await send(['bob@shop.test', 'bob+tea@shop.test'], 'DELIVERED');
    const { body } = await sender.call('GET', `/mailboxes/${box.id}/threads`);
    expect(body.items).toMatchObject([{ subject: 'Tea', message_count: 1, unread: true }]);
  });

  test('bounces mail to unknown addresses', async () => {
    dns.zone['shop.test'] = ourMx;
    const email = await send('nobody@shop.test', 'BOUNCED');
    expect(reasonsOf(email)).toEqual([
      'The domain shop.test is hosted on this server, and this address does not exist here.',
    ]);
  });

  test('a domain with another MX is delivered there, even if the address has a mailbox here', async () => {
    await sender.call('POST', '/mailboxes', { address: 'eve@shop.test' });
    dns.zone['shop.test'] = { MX: [{ priority: 0, exchange: '.' }] };
    expect(reasonsOf(await send('eve@shop.test', 'BOUNCED'))).toEqual([
      'The domain shop.test does not accept email (null MX).',
    ]);
  });
});

test('a domain that does not exist bounces; a DNS failure defers the message', async () => {
  expect(reasonsOf(await send('a@gone.test', 'BOUNCED'))).toEqual(['The domain gone.test does not exist.']);
  dns.setBehaviour('servfail');
  const [reason] = reasonsOf(await send('a@slow.test', 'DELIVERY_DELAYED'));
  dns.setBehaviour('normal');
  expect(reason).toMatch(/^MX of slow\.test/);
});

/** Port 25 may need privileges; without them the tests that listen on it are skipped. */
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

describe.runIf(probe)('remote mail servers', () => {
  let first: SmtpSink;
  let second: SmtpSink;

  beforeAll(async () => {
    first = (await startMailServer('127.0.25.1'))!;
    second = (await startMailServer('127.0.25.2'))!;
  });
  afterAll(() => Promise.all([first.close(), second.close()]));

  test('are tried in MX preference order', async () => {
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

describe('without DIRECT_ALLOW_PRIVATE', () => {
  let closed: TestServer;
  let team: TestTeam;
  let inner: SmtpSink | null;

  beforeAll(async () => {
    inner = await startMailServer('127.0.25.3');
    closed = await startTestServer({ doors: ['http', 'worker'], env: environment() });
    team = await createSender(closed);
  });
  afterAll(async () => {
    await closed.close();
    await inner?.close();
  });

  test.each([
    ['A', '127.0.25.3'],
    ['A', '10.0.0.1'],
    ['A', '0.0.0.0'],
    ['A', '100.64.0.1'],
    ['A', '169.254.169.254'],
    ['AAAA', '::1'],
    ['AAAA', '::ffff:127.0.25.3'],
    ['AAAA', '64:ff9b::7f00:1903'],
    ['AAAA', 'fd00:ec2::254'],
  ])(
    'a domain whose mail server has the %s address %s bounces without a connection',
    async (type, address) => {
      const domain = `d${address.replaceAll(/[.:]/g, '-')}x.test`;
      dns.zone[domain] = { MX: [{ priority: 10, exchange: `mx.${domain}` }] };
      dns.zone[`mx.${domain}`] = { [type]: [address] };
      const email = await send(`a@${domain}`, 'BOUNCED', team);
      expect(reasonsOf(email)).toEqual([
        `The domain ${domain} has no mail server with a public address (5.4.4). The setting DIRECT_ALLOW_PRIVATE allows others.`,
      ]);
      expect(JSON.stringify(email.emailEvents)).not.toContain('transcript":[');
      expect(inner?.commands ?? []).toEqual([]);
    },
  );

  test('an MX that is an IP address, and a domain without MX, are checked the same way', async () => {
    dns.zone['literal.test'] = { MX: [{ priority: 10, exchange: '127.0.25.3' }] };
    dns.zone['bare.test'] = { A: ['127.0.25.3'] };
    await send('a@literal.test', 'BOUNCED', team);
    await send('a@bare.test', 'BOUNCED', team);
    expect(inner?.commands ?? []).toEqual([]);
  });

  test('mail for a mailbox of this server is still delivered', async () => {
    dns.zone['shop.test'] = { MX: [{ priority: 10, exchange: 'mx.posthorn.example' }] };
    dns.zone['mx.posthorn.example'] = { A: ['127.0.0.1'] };
    await team.call('POST', '/mailboxes', { address: 'bob@shop.test' });
    await send('bob@shop.test', 'DELIVERED', team);
  });
});
