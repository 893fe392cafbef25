import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import { startDnsServer, type DnsServer } from '../../../testing/dns-server.ts';
import { readMetrics } from '../../../testing/read-metrics.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { enqueue } from '../../jobs/jobs.ts';

let dns: DnsServer;
let server: TestServer;
let team: TestTeam;
let other: TestTeam;
let domainId: number;

beforeAll(async () => {
  dns = await startDnsServer({ 'mx.posthorn.example': { A: ['192.0.2.1'] } });
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: {
      DNS_SERVERS: dns.address,
      MAIL_HOST: 'mx.posthorn.example',
      MAIL_TRANSPORT: 'direct',
      DNSBL_ZONES: 'bl.example, domain:dbl.example',
      BASE_URL: 'https://mail.posthorn.example',
    },
  });
  [team, other] = [await server.createTeam(), await server.createTeam()];
  domainId = await addDomain(server.db, team.teamId, 'news.shop.example');
});
afterAll(async () => {
  await server.close();
  await dns.close();
});

interface Item {
  kind: string;
  id: string | null;
  message: string;
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

async function notices(of: TestTeam, kind: string): Promise<Item[]> {
  const { status, body } = await of.call('GET', '/notices');
  expect(status).toBe(200);
  return body.items.filter((item: Item) => item.kind === kind);
}

test('a listing of a domain is told to its team, one of the server to all, until it ends', async () => {
  dns.zone['shop.example.dbl.example'] = { A: ['127.0.1.2'] };
  dns.zone['1.2.0.192.bl.example'] = { A: ['127.0.0.2'] };
  await enqueue(server.db, 'check-listings', {});
  await expect.poll(async () => (await notices(team, 'blocklist')).length).toBe(2);
  const found = await notices(team, 'blocklist');
  expect(found.map(({ id }) => id).toSorted()).toEqual([String(domainId), null]);
  expect(found.map(({ message }) => message).join(' ')).toContain(
    'shop.example is on the blocklist dbl.example',
  );
  expect(await notices(other, 'blocklist')).toEqual([
    expect.objectContaining({ message: expect.stringContaining('192.0.2.1 is on the blocklist bl.example') }),
  ]);
  await expect
    .poll(async () => (await readMetrics(`${server.url}/metrics`)).get('posthorn_blocklistings'))
    .toBe(2);

  // A list that does not answer has not removed anything.
  dns.zone['shop.example.dbl.example'] = { A: ['127.255.255.254'] };
  delete dns.zone['1.2.0.192.bl.example'];
  await enqueue(server.db, 'check-listings', {});
  await expect.poll(() => notices(other, 'blocklist')).toEqual([]);
  expect(await notices(team, 'blocklist')).toHaveLength(1);
});

test('the domains of all pages are asked about, and each registrable name once', async () => {
  const big = await server.createTeam();
  await sql`
    insert into domains (team_id, name, status, held, public_key, private_key)
    select ${big.teamId}, case when n % 2 = 0 then 'd' || n || '.example' else 's' || n || '.shared.example' end,
      'SUCCESS', true, '', ''
    from generate_series(1, 2200) as n
  `.execute(server.db);
  dns.zone['d2200.example.dbl.example'] = { A: ['127.0.1.2'] };
  dns.zone['shared.example.dbl.example'] = { A: ['127.0.1.2'] };
  dns.queries.length = 0;
  await enqueue(server.db, 'check-listings', {});
  const listed = async () => {
    const { rows } = await sql<{ subject: string; count: number }>`
      select subject, count(*)::integer as count from blocklistings where team_id = ${big.teamId} group by 1 order by 1
    `.execute(server.db);
    return rows;
  };
  await expect.poll(listed, { timeout: 30_000 }).toEqual([
    { subject: 'd2200.example', count: 1 },
    { subject: 'shared.example', count: 1100 },
  ]);
  expect(dns.queries.filter(({ name }) => name === 'shared.example.dbl.example')).toHaveLength(1);
  await sql`delete from domains where team_id = ${big.teamId}`.execute(server.db);
});

test('a link host that has failed for an hour is told, with the reason', async () => {
  const set = {
    tracking_subdomain: 'links',
    tracking_status: 'BROKEN' as const,
    tracking_error: 'It does not answer.',
  };
  const store = (minutes: number) =>
    server.db
      .updateTable('domains')
      .set({ ...set, tracking_since: minutesAgo(minutes), hosts_check_at: null })
      .where('id', '=', domainId)
      .execute();
  await store(10);
  expect(await notices(team, 'link-host')).toEqual([]);
  await store(90);
  expect(await notices(team, 'link-host')).toEqual([
    expect.objectContaining({
      id: String(domainId),
      message: expect.stringContaining('links.news.shop.example'),
    }),
  ]);
  expect(await notices(other, 'link-host')).toEqual([]);
});
