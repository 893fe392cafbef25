import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import { startDnsServer, type DnsServer } from '../../../testing/dns-server.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let dns: DnsServer;
let server: TestServer;
let team: TestTeam;
let count = 0;

beforeAll(async () => {
  dns = await startDnsServer({
    'mx.posthorn.example': { A: ['192.0.2.1'] },
    'out2.posthorn.example': { A: ['192.0.2.2'] },
    '1.2.0.192.in-addr.arpa': { PTR: ['mx.posthorn.example'] },
    '2.2.0.192.in-addr.arpa': { PTR: ['out2.posthorn.example'] },
  });
  server = await startTestServer({
    env: {
      DNS_SERVERS: dns.address,
      MAIL_HOST: 'mx.posthorn.example',
      MAIL_TRANSPORT: 'direct',
      DIRECT_ALLOW_PRIVATE: 'true',
      DNSBL_ZONES: 'bl.example',
      EGRESS_SECOND: 'direct:192.0.2.2#out2.posthorn.example',
      EGRESS_OTHER: 'smtp://relay.example:587',
    },
  });
  team = await server.createTeam();
});
afterAll(async () => {
  await server.close();
  await dns.close();
});

async function look(name: string) {
  const id = await addDomain(server.db, team.teamId, `shop${(count += 1)}.example`);
  const { body } = await team.call('GET', `/domains/${id}/health`);
  return body.checks.find((check: { name: string }) => check.name === name);
}

test('each egress is looked at: its name, its reverse DNS, and blocklists', async () => {
  const ehlo = await look('ehlo');
  expect(ehlo.found).toContain('out2.posthorn.example (192.0.2.2)');
  expect(ehlo.status).toBe('good');
  const ptr = await look('ptr');
  expect([ptr.status, ptr.found]).toEqual([
    'good',
    '192.0.2.1 is mx.posthorn.example\n192.0.2.2 is out2.posthorn.example',
  ]);

  dns.zone['2.2.0.192.in-addr.arpa'] = { PTR: ['pool-2.provider.example'] };
  expect((await look('ptr')).sentence).toContain('192.0.2.2 is pool-2.provider.example');
  dns.zone['out2.posthorn.example'] = { A: ['192.0.2.99'] };
  expect(await look('ehlo')).toMatchObject({
    status: 'bad',
    sentence: expect.stringContaining('Mail of the egress second leaves from 192.0.2.2'),
  });
  dns.zone['2.2.0.192.bl.example'] = { A: ['127.0.0.2'] };
  expect(await look('blocklists')).toMatchObject({
    status: 'bad',
    found: '192.0.2.2 is on bl.example (127.0.0.2)',
  });
});
