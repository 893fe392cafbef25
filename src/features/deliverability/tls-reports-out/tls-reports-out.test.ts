/** TLS reports that we send. The mail server listens on port 25, which may need privileges. */
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDns } from '../../../mail/auth/dns.ts';
import { parseNow } from '../../../mail/mime/parse/parse-message.ts';
import { createLog } from '../../../platform/log.ts';
import { startDnsServer, type DnsServer } from '../../../testing/dns-server.ts';
import { startSmtpSink } from '../../../testing/smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { sendTlsReports } from './send-tls-reports.ts';

const ADDRESS = '127.0.26.2';
const sink = await startSmtpSink({ host: ADDRESS, port: 25, behaviour: { starttls: 'offered' } }).catch(
  () => null,
);
let dns: DnsServer;
let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  dns = await startDnsServer();
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: {
      DNS_SERVERS: dns.address,
      MAIL_HOST: 'mx.posthorn.example',
      MAIL_TRANSPORT: 'direct',
      DIRECT_ALLOW_PRIVATE: 'true',
      DNS_DNSSEC: 'trusted',
    },
  });
  team = await server.createTeam();
  const { body } = await team.call('POST', '/domains', { name: 'shop.test' });
  const { body: own } = await team.call('POST', '/domains', { name: 'posthorn.example' });
  await sql`
    update domains set held = true, status = 'SUCCESS' where id in (${body.id}, ${own.id})
  `.execute(server.db);
});
afterAll(async () => {
  await server.close();
  await dns.close();
  await sink?.close();
});
beforeEach(async () => {
  sink?.reset();
  dns.signed.clear();
  await sql`delete from tls_sessions`.execute(server.db);
  await sql`delete from tls_reports_sent`.execute(server.db);
});

function publish(domain: string, records: string[] = []): void {
  dns.zone[domain] = { MX: [{ priority: 10, exchange: `mx.${domain}` }] };
  dns.zone[`mx.${domain}`] = { A: [ADDRESS] };
  dns.zone[`_smtp._tls.${domain}`] = { TXT: records };
}

async function send(domain: string, status: string): Promise<void> {
  const email = { from: 'Ada <ada@shop.test>', to: `bob@${domain}`, subject: 'Tea', text: 'At four?' };
  const { body } = await team.call('POST', '/emails', email);
  const read = async () => (await team.call('GET', `/emails/${body.emailId}`)).body.status;
  await expect.poll(read).toBe(status);
}

/** Waits until the connections to the domain are counted, and makes them those of yesterday. */
async function endDay(domain: string, results: number): Promise<void> {
  const count = async () => {
    const { rows } = await sql`select from tls_sessions where domain = ${domain}`.execute(server.db);
    return rows.length;
  };
  await expect.poll(count, { timeout: 20_000 }).toBe(results);
  await sql`update tls_sessions set day = day - 1 where domain = ${domain}`.execute(server.db);
}

describe.runIf(sink)('a domain that asks for TLS reports', () => {
  test(
    'gets one by mail about the connections of the day before, signed, and only once',
    { timeout: 60_000 },
    async () => {
      publish('asking.test', ['v=TLSRPTv1; rua=mailto:tls@inbox.test,ftp://x,https://']);
      await send('asking.test', 'DELIVERED');
      dns.signed.add('asking.test');
      dns.zone['_25._tcp.mx.asking.test'] = {
        TLSA: [{ usage: 3, selector: 1, matchingType: 1, certificate: Buffer.alloc(32, 7) }],
      };
      // Open connections are used again.
      sink!.cut();
      await send('asking.test', 'DELIVERY_DELAYED');
      await endDay('asking.test', 2);
      delete dns.zone['_25._tcp.mx.asking.test'];
      sink!.reset();
      publish('inbox.test');

      await Promise.all([1, 2].map(() => enqueue(server.db, 'send-tls-reports', {})));
      const reports = () =>
        sink!.messages.filter(({ data }) => data.includes('TLS-Report-Domain: asking.test'));
      await expect.poll(() => reports().length, { timeout: 20_000 }).toBe(1);
      const raw = Buffer.from(reports()[0]!.data);
      const text = raw.toString('latin1');
      expect(text).toMatch(/^DKIM-Signature: [^]*d=posthorn\.example/m);
      expect(text).toContain('From: <tls-reports@posthorn.example>');
      expect(text).toContain('report-type="tlsrpt"');
      const { attachments } = parseNow(raw);
      const json = JSON.parse(gunzipSync(attachments[0]!.content).toString());
      expect(json).toMatchObject({
        'organization-name': 'mx.posthorn.example',
        'contact-info': 'postmaster@mx.posthorn.example',
        policies: [
          {
            policy: { 'policy-type': 'no-policy-found', 'policy-domain': 'asking.test' },
            summary: { 'total-successful-session-count': 1, 'total-failure-session-count': 0 },
          },
          {
            policy: { 'policy-type': 'tlsa', 'policy-string': [`3 1 1 ${'07'.repeat(32)}`] },
            summary: { 'total-successful-session-count': 0, 'total-failure-session-count': 1 },
            'failure-details': [
              {
                'result-type': 'validation-failure',
                'receiving-mx-hostname': 'mx.asking.test',
                'receiving-ip': ADDRESS,
                'failed-session-count': 1,
              },
            ],
          },
        ],
      });
      const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
      expect(json['date-range']).toEqual({
        'start-datetime': `${yesterday}T00:00:00Z`,
        'end-datetime': `${yesterday}T23:59:59Z`,
      });
      const { rows } = await sql`select receivers from tls_reports_sent where domain = 'asking.test'`.execute(
        server.db,
      );
      expect(rows).toEqual([{ receivers: ['mailto:tls@inbox.test'] }]);
    },
  );

  test('gets one by HTTPS, and domains that do not ask get none', async () => {
    const posts: { url: string; body: Buffer; contentType: string }[] = [];
    const tools = {
      db: server.db,
      dns: createDns([dns.address]),
      log: createLog('silent'),
      facts: { mailHost: 'mx.posthorn.example', wakeDeliveryWorkers() {} },
      endpoints: {
        post(url: string, { body, contentType }: { body: Buffer; contentType: string }) {
          posts.push({ url, body, contentType });
          return Promise.resolve({ error: null });
        },
      },
    };
    publish('posted.test', ['v=TLSRPTv1;rua=https://reports.posted.test/tls']);
    publish('silent.test');
    publish('twice.test', ['v=TLSRPTv1; rua=https://a.test', 'v=TLSRPTv1; rua=https://b.test']);
    for (const domain of ['posted.test', 'silent.test', 'twice.test'])
      await sql`
        insert into tls_sessions (day, domain, policy_type, result, mx, receiving_ip, policy, policy_hosts, sessions)
        values ((now() at time zone 'UTC')::date - 1, ${domain}, 'sts', 'success', '', '',
          ${['version: STSv1']}::text[], ${['mx.posted.test']}::text[], 5)
      `.execute(server.db);
    await Promise.all([sendTlsReports(tools), sendTlsReports(tools)]);
    expect(posts).toHaveLength(1);
    expect(posts[0]).toMatchObject({
      url: 'https://reports.posted.test/tls',
      contentType: 'application/tlsrpt+gzip',
    });
    expect(JSON.parse(gunzipSync(posts[0]!.body).toString()).policies).toEqual([
      {
        policy: {
          'policy-type': 'sts',
          'policy-string': ['version: STSv1'],
          'policy-domain': 'posted.test',
          'mx-host': ['mx.posted.test'],
        },
        summary: { 'total-successful-session-count': 5, 'total-failure-session-count': 0 },
      },
    ]);
    await sql`update tls_sessions set day = day - 3`.execute(server.db);
    await sendTlsReports(tools);
    const { rows } = await sql`select from tls_sessions`.execute(server.db);
    expect(rows).toEqual([]);
  });
});
