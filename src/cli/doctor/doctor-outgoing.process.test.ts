import { sql } from 'kysely';
import pg from 'pg';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSelfSigned } from '../../platform/certificates/self-signed.ts';
import { startDatabaseProxy } from '../../testing/servers/database-proxy.ts';
import { startDnsServer, type DnsRecords, type DnsServer } from '../../testing/dns-server.ts';
import { freePorts } from '../../testing/servers/free-ports.ts';
import { runDoctor } from '../../testing/posthorn-process.ts';
import { startSmtpSink, type SmtpSink } from '../../testing/smtp-sink.ts';
import { createTestDatabase } from '../../testing/test-database.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { judgeAddresses } from './check-mail-host.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const LOOPBACK_MX = { MX: [{ priority: 10, exchange: 'mx.large.example' }] };

let server: TestServer;
let dns: DnsServer;
let relay: SmtpSink;
let env: Record<string, string>;

beforeAll(async () => {
  relay = await startSmtpSink({ behaviour: { auth: { user: 'posthorn', pass: 'sesame' } } });
  dns = await startDnsServer({
    'mx.shop.example': { A: ['8.8.4.4'] },
    '4.4.8.8.in-addr.arpa': { PTR: ['mx.shop.example'] },
    'mx.other.example': { A: ['8.8.8.8'], AAAA: ['2600::25'] },
    [`5.2.${'0.'.repeat(26)}0.0.6.2.ip6.arpa`]: { PTR: ['pool-7.provider.example'] },
    'relay.shop.example': { A: ['127.0.0.1'] },
    'mx.large.example': { A: ['127.0.0.1'] },
    'gmail.com': LOOPBACK_MX,
    'outlook.com': LOOPBACK_MX,
    'yahoo.com': LOOPBACK_MX,
  });
  server = await startTestServer({ env: { MAIL_HOST: 'mx.shop.example' } });
  env = {
    DATA_DIR: server.config.dataDir,
    DATABASE_URL: server.config.databaseUrl!,
    DNS_SERVERS: dns.address,
    MAIL_HOST: 'mx.shop.example',
  };
  const team = await server.createTeam();
  const { dnsRecords } = (await team.call('POST', '/domains', { name: 'good.example' })).body;
  for (const { type, name, value } of dnsRecords as { type: string; name: string; value: string }[]) {
    const records: DnsRecords = (dns.zone[name === '@' ? 'good.example' : `${name}.good.example`] ??= {});
    if (type === 'MX') records.MX = [{ priority: 10, exchange: value }];
    else records.TXT = [value];
  }
  await team.call('POST', '/domains', { name: 'bad.example' });
  await sql`update domains set held = true, status = 'SUCCESS'`.execute(server.db);
});

afterAll(async () => {
  await server.close();
  await relay.close();
  await dns.close();
});

function judge(addresses: string[], own: string[]): string {
  return judgeAddresses('mx.shop.example', addresses, own).mark;
}

function doctor(settings: Record<string, string>) {
  return runDoctor({ ...env, ...settings });
}

test.concurrent(
  'doctor signs in to each relay, and reports a wrong password and a dead relay',
  async ({ expect }) => {
    const [closed] = await freePorts(1);
    const { code, stdout } = await doctor({
      MAIL_TRANSPORT: 'relay',
      RELAY_URL: `smtp://posthorn:wrong@127.0.0.1:${relay.port}`,
      RELAY_URL_EU: `smtp://posthorn:sesame@relay.shop.example:${relay.port}`,
      RELAY_URL_US: `smtp://127.0.0.1:${closed}`,
      RELAY_URL_ASIA: 'smtp://nowhere.example',
    });
    expect(stdout).toMatch(
      /✗ RELAY_URL +127\.0\.0\.1:\d+ cannot be used: 535 .*\n +→ Correct the user and password in RELAY_URL\./,
    );
    expect(stdout).toMatch(
      /✓ RELAY_URL_EU +relay\.shop\.example:\d+ accepts mail \(without TLS, signed in\)/,
    );
    expect(stdout).toMatch(
      /✗ RELAY_URL_US +127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED.*\n +→ Start the relay/,
    );
    expect(stdout).toMatch(/✗ RELAY_URL_ASIA +nowhere\.example cannot be looked up: the name does not exist/);
    expect(stdout).not.toMatch(/wrong|sesame|No problems found/);
    expect(code).toBe(1);
  },
);

test.concurrent('doctor tells once that the host of reports does not permit them', async ({ expect }) => {
  const { stdout } = await doctor({ MAIL_TRANSPORT: 'direct' });
  expect(stdout).toMatch(
    /! REPORT_HOST +\w+\.example\._report\._dmarc\.mx\.shop\.example has no record, so nobody sends DMARC reports about \w+\.example to mx\.shop\.example, nor about 1 other domain/,
  );
  expect(stdout.match(/nobody sends .*reports about/gi)).toHaveLength(1);
});

test.concurrent('doctor reports a relay that refuses a sender', async ({ expect, onTestFinished }) => {
  const strict = await startSmtpSink({
    behaviour: { rcptReplies: { 'postmaster@good.example': '554 5.7.1 Sender address rejected' } },
  });
  onTestFinished(() => strict.close());
  const { code, stdout } = await doctor({
    MAIL_TRANSPORT: 'relay',
    RELAY_URL: `smtp://127.0.0.1:${strict.port}`,
  });
  expect(stdout).toMatch(
    /✗ RELAY_URL +127\.0\.0\.1:\d+ does not accept mail from good\.example: 554 5\.7\.1 Sender .*\n +→ Register/,
  );
  expect(strict.messages).toEqual([]);
  expect(code).toBe(1);
  const { stdout: unrouted } = await doctor({
    MAIL_TRANSPORT: 'relay',
    RELAY_URL_EU: `smtp://127.0.0.1:${strict.port}`,
  });
  expect(unrouted).toMatch(/✗ RELAY_URL +no relay is set for bad\.example, good\.example/);
});

test.concurrent(
  'doctor ends in time when DNS servers are dead or slow',
  async ({ expect, onTestFinished }) => {
    const [dead, slow] = [await startDnsServer(), await startDnsServer()];
    onTestFinished(async () => void (await Promise.all([dead.close(), slow.close()])));
    dead.setBehaviour('silent');
    slow.setBehaviour({ slowMs: 10_000 });
    const results = await Promise.all(
      [dead, slow].map(({ address }) =>
        doctor({ MAIL_TRANSPORT: 'direct', DNS_SERVERS: `${address},127.0.0.1:1` }),
      ),
    );
    for (const [at, { code, stdout }] of results.entries()) {
      expect(stdout).toContain(`no response from ${[dead, slow][at]!.address}`);
      expect(stdout).toMatch(/✗ MAIL_HOST +mx\.shop\.example cannot be looked up: /);
      expect(stdout).toMatch(/✗ Port 25 +no mail server can be looked up: /);
      expect(stdout).toMatch(/✗ good\.example +DKIM cannot be looked up.*\n +→ Set DNS_SERVERS/);
      expect(code).toBe(1);
    }
  },
);

test.concurrent(
  'doctor reports held mail, mail that no worker takes, and teams left closed by a move',
  async ({ expect }) => {
    const other = await createTestDatabase();
    const client = new pg.Client(other.url);
    await client.connect();
    await client.query(`
    insert into teams (id, name) values (1, 'Ours');
    insert into teams (id, name, closed_at, moved_to) values (2, 'Halfway', now() - interval '1 hour', null),
      (3, 'Gone', now() - interval '1 hour', 'https://other.example');
    insert into deliveries (team_id, email_id, recipient_no, domain_id, recipient, recipient_domain, priority, due_at)
    select 1, gen_random_uuid(), 0, 1, 'a@b.example', 'b.example', 1, due_at
    from (values ('infinity'::timestamptz), (now()), (now() - interval '3 hours')) as t (due_at)`);
    await client.end();
    const { code, stdout } = await doctor({ DATABASE_URL: other.url });
    await other.drop();
    expect(stdout).toMatch(
      /✗ Queue +3 deliveries, 1 held and not sent; 1 should have been tried up to 180 minutes ago\n +→ Start a process/,
    );
    expect(stdout).toMatch(/✗ Teams +team 2 is closed, because its move has stopped halfway\n +→ .*--undo/);
    expect(stdout).not.toContain('team 3');
    expect(code).toBe(1);
  },
);

test.concurrent('doctor looks up MAIL_HOST and the records of each domain', async ({ expect }) => {
  const { code, stdout } = await doctor({
    MAIL_TRANSPORT: 'relay',
    RELAY_URL: `smtp://posthorn:sesame@127.0.0.1:${relay.port}`,
  });
  expect(stdout).toMatch(/[✓!] MAIL_HOST +mx\.shop\.example has the address 8\.8\.4\.4/);
  expect(stdout).toMatch(/✓ good\.example +DKIM, SPF, DMARC and MX are correct/);
  expect(stdout).toMatch(
    /✗ bad\.example +DKIM is missing, MX of the bounce host is missing, SPF is missing, DMARC is missing, MX is missing\n +→ Create these DNS records:\n +TXT ph1\._domainkey\.bad\.example {2}v=DKIM1/,
  );
  expect(stdout).toMatch(/\n\n1 problem, \d warnings?\.\n$/);
  expect(code).toBe(1);
});

test.concurrent('doctor shows the health of domains', async ({ expect, onTestFinished }) => {
  const own = await startDnsServer({
    ...dns.zone,
    '4.4.8.8.bl.example': { A: ['127.0.0.2'] },
    '_mta-sts.good.example': { TXT: ['v=STSv1; id=1', 'v=STSv1; id=2'] },
  });
  onTestFinished(() => own.close());
  const { code, stdout } = await doctor({
    MAIL_TRANSPORT: 'direct',
    DNS_SERVERS: own.address,
    DNSBL_ZONES: 'bl.example',
  });
  expect(stdout).toMatch(
    /! good\.example +MTA-STS: .* several records, so no policy is used\.\n +→ Keep one\./,
  );
  expect(stdout).toMatch(/✗ DNSBL_ZONES +listed: 8\.8\.4\.4 is on the blocklist bl\.example/);
  expect(code).toBe(1);
});

test.concurrent('doctor checks port 25 and reverse DNS for the direct transport', async ({ expect }) => {
  const direct = { MAIL_TRANSPORT: 'direct', DIRECT_ALLOW_PRIVATE: 'true' };
  const [shop, other, unknown] = await Promise.all([
    doctor(direct),
    doctor({ ...direct, MAIL_HOST: 'mx.other.example' }),
    doctor({ ...direct, MAIL_HOST: 'mx.unknown.example' }),
  ]);
  expect(shop.stdout).toMatch(
    /✗ Port 25 +no mail server can be reached: mx\.large\.example: .*\n +→ Ask your hosting/,
  );
  expect(shop.stdout).toMatch(/✓ PTR +8\.8\.4\.4 is mx\.shop\.example/);
  expect(other.stdout).toMatch(/✗ PTR +8\.8\.8\.8 has no reverse DNS/);
  expect(other.stdout).toMatch(/! PTR +2600::25 is pool-7\.provider\.example, not mx\.other\.example/);
  expect(unknown.stdout).toMatch(/✗ MAIL_HOST +mx\.unknown\.example has no address/);
  expect([shop.code, other.code, unknown.code]).toEqual([1, 1, 1]);
});

test.concurrent('doctor reports an expired certificate', async ({ expect }) => {
  const { cert, key } = makeSelfSigned('mx.shop.example', new Date(Date.now() - 4_000 * DAY_MS));
  const [certFile, keyFile] = ['cert.pem', 'key.pem'].map((name) => join(server.config.dataDir, name));
  writeFileSync(certFile!, cert);
  writeFileSync(keyFile!, key);
  const { code, stdout } = await doctor({ SMTP_TLS_CERT: certFile!, SMTP_TLS_KEY: keyFile! });
  expect(stdout).toMatch(/✗ Certificate +expired on \d{4}-\d\d-\d\d; .*\n +→ Renew it/);
  expect(code).toBe(1);
});

test.concurrent('doctor reports a connection pooler that loses notifications', async ({ expect }) => {
  const { proxy, close } = await startDatabaseProxy(env.DATABASE_URL!);
  proxy.losesNotifications = true;
  const { code, stdout } = await doctor({ DATABASE_URL: proxy.url });
  close();
  expect(stdout).toMatch(/✗ Notifications +a notification through DATABASE_URL did not arrive/);
  expect(code).toBe(1);
});

test('the addresses of MAIL_HOST are compared with those of this machine', () => {
  expect(judge(['8.8.4.4'], ['127.0.0.1', '8.8.4.4'])).toBe('fine');
  expect(judge(['8.8.4.4'], ['127.0.0.1', '10.0.0.7'])).toBe('fine');
  expect(judge(['8.8.4.4'], ['127.0.0.1', '9.9.9.9'])).toBe('warning');
  expect(judge(['10.0.0.7'], ['10.0.0.7'])).toBe('warning');
});
