/** Tests that DNS_SERVERS resolve the name of the relay. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../testing/dns-server.ts';
import { startSmtpSink, type SmtpSink } from '../../../testing/smtp-sink.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

let dns: DnsServer;
let sink: SmtpSink;
let server: TestServer;

beforeAll(async () => {
  sink = await startSmtpSink();
  // Nothing listens on the first address.
  dns = await startDnsServer({ 'relay.office.example': { A: ['127.0.0.9', '127.0.0.1'] } });
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: {
      MAIL_TRANSPORT: 'relay',
      RELAY_URL: `smtp://relay.office.example:${sink.port}`,
      DNS_SERVERS: dns.address,
    },
  });
});
afterAll(async () => {
  await server.close();
  await sink.close();
  await dns.close();
});

test('a relay whose name only DNS_SERVERS knows is reached at any of its addresses', async () => {
  const team = await server.createTeam();
  const { body: domain } = await team.call('POST', '/domains', { name: 'shop.test' });
  await server.db
    .updateTable('domains')
    .set({ held: true, status: 'SUCCESS' })
    .where('id', '=', domain.id)
    .execute();
  const email = { from: 'a@shop.test', to: 'ada@example.org', subject: 'x', text: 'x' };
  const { body } = await team.call('POST', '/emails', email);
  await expect
    .poll(async () => (await team.call('GET', `/emails/${body.emailId}`)).body.status)
    .toBe('DELIVERED');
});
