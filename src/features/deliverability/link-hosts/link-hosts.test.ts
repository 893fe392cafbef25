import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadInstanceSecret } from '../../../platform/crypto.ts';
import { decodeId } from '../../../platform/ids.ts';
import { addDomain } from '../../../testing/factories.ts';
import { startDnsServer, type DnsServer } from '../../../testing/dns-server.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { createPublicLinks, hashAddress } from '../../content/links/links.ts';

const MAIL_HOST = 'mx.posthorn.example';
let dns: DnsServer;
let server: TestServer;
let door: Server;
let port: number;
let team: TestTeam;
let domainId: number;

/** BASE_URL must name the port before the server has one, so a door forwards connections to it. */
async function openDoor(): Promise<number> {
  door = createServer((socket) => {
    const inner = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => inner.destroy());
    inner.on('error', () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  return (door.address() as AddressInfo).port;
}

beforeAll(async () => {
  dns = await startDnsServer({ [MAIL_HOST]: { A: ['127.0.0.1'] } });
  port = await openDoor();
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: {
      DNS_SERVERS: dns.address,
      MAIL_HOST,
      BASE_URL: `http://mail.posthorn.example:${port}`,
      DIRECT_ALLOW_PRIVATE: 'true',
    },
  });
  team = await server.createTeam();
  domainId = await addDomain(server.db, team.teamId, 'shop.example');
});
afterAll(async () => {
  door.close();
  await server.close();
  await dns.close();
});

async function get(host: string, path: string, more: Record<string, string> = {}) {
  const headers = { host, ...more };
  const asked = request({ host: '127.0.0.1', port, path, headers, agent: false }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode, headers: response.headers, body };
}

async function patch(body: Record<string, unknown>, id = domainId, by = team) {
  return by.call('PATCH', `/domains/${id}`, body);
}

async function tracking(id = domainId, by = team) {
  return (await by.call('GET', `/domains/${id}`)).body.tracking;
}

async function recordsOf(type: string, id = domainId) {
  const { body } = await team.call('GET', `/domains/${id}`);
  return body.dnsRecords.filter((record: { type: string }) => record.type === type);
}

function idOf(domain: { dnsRecords: { name: string; value: string }[] }) {
  return domain.dnsRecords.find(({ name }) => name === '_mta-sts')?.value;
}

async function sendTracked(by = team, from = 'news@shop.example') {
  const email = {
    from,
    to: 'ada@reader.test',
    subject: 'Hello',
    html: '<p><a href="https://shop.example/sale">Sale</a></p>',
    tracking: { opens: true, clicks: true },
  };
  const { body } = await by.call('POST', '/emails', email);
  const { body: shown } = await by.call('GET', `/emails/${body.emailId}`);
  const link = /href="([^"]+)"/.exec(shown.html)![1]!;
  return { link: new URL(link), pixel: new URL(/src="([^"]+)"/.exec(shown.html)![1]!) };
}

async function activate(): Promise<void> {
  dns.zone['links.shop.example'] = { CNAME: MAIL_HOST };
  await patch({ trackingSubdomain: 'links' });
  await expect.poll(tracking).toMatchObject({ status: 'ACTIVE' });
}

test('a link host is proposed as a CNAME, and is used for links only after a probe has come through it', async () => {
  const { status, body } = await patch({ trackingSubdomain: 'links' });
  expect(status).toBe(200);
  expect(body.tracking).toEqual({ host: 'links.shop.example', status: 'WAITING_DNS', error: null });
  expect(await recordsOf('CNAME')).toEqual([
    expect.objectContaining({
      name: 'links',
      value: MAIL_HOST,
      recommended: true,
      status: expect.any(String),
    }),
  ]);
  await expect.poll(async () => (await tracking()).error).toMatch(/links\.shop\.example was not found/);
  expect((await sendTracked()).link.host).toBe(`mail.posthorn.example:${port}`);

  await activate();
  expect((await recordsOf('CNAME'))[0].status).toBe('SUCCESS');
  const { link, pixel } = await sendTracked();
  expect([link.host, pixel.host]).toEqual([`links.shop.example:${port}`, `links.shop.example:${port}`]);
  expect(await get(link.host, link.pathname)).toMatchObject({
    status: 302,
    headers: { location: 'https://shop.example/sale' },
  });
  // A token does not depend on its host.
  expect((await get(`mail.posthorn.example:${port}`, link.pathname)).status).toBe(302);
});

test('a proxy in front is told for which hosts it may get certificates', async () => {
  const ask = async (domain: string, more = {}) =>
    (await get('127.0.0.1', `/internal/tls-allowed?domain=${domain}`, more)).status;
  await activate();
  await expect.poll(() => ask('links.shop.example')).toBe(200);
  for (const host of ['LINKS.shop.example.', 'mail.posthorn.example', MAIL_HOST])
    expect([host, await ask(host)]).toEqual([host, 200]);
  for (const host of ['shop.example', 'links.rival2.example', '%20', 'x'.repeat(5_000)])
    expect([host, await ask(host)]).toEqual([host, 404]);
  expect(await ask('')).toBe(400);
  // A request that comes from outside through the proxy.
  expect(await ask('links.shop.example', { 'x-forwarded-for': '192.0.2.1' })).toBe(404);
  // It is not served under link hosts.
  expect((await get('links.shop.example', '/internal/tls-allowed?domain=links.shop.example')).status).toBe(
    404,
  );

  dns.zone['links.shop.example'] = { CNAME: 'elsewhere.example' };
  dns.zone['elsewhere.example'] = { A: ['127.0.0.1'] };
  await team.call('PUT', `/domains/${domainId}/verify`);
  await expect.poll(() => ask('links.shop.example')).toBe(404);
});

test('only links are served under a link host', async () => {
  await activate();
  for (const path of [
    '/',
    '/api/v1/domains',
    '/api/docs',
    '/sign-in',
    '/healthz',
    '/mail',
    '/docs',
    '/f/x',
    '/metrics',
  ])
    expect([path, (await get('links.shop.example', path)).status]).toEqual([path, 404]);
  expect((await get('unknown.shop.example', '/api/docs')).status).toBe(421);
});

test('a link of one team is not found under the host of another team', async () => {
  await activate();
  const other = await server.createTeam();
  const otherId = await addDomain(server.db, other.teamId, 'rival.example');
  dns.zone['links.rival.example'] = { CNAME: MAIL_HOST };
  await patch({ trackingSubdomain: 'links' }, otherId, other);
  await expect.poll(() => tracking(otherId, other)).toMatchObject({ status: 'ACTIVE' });
  const { link, pixel } = await sendTracked();
  for (const { pathname } of [link, pixel])
    expect((await get('links.rival.example', pathname)).status).toBe(404);
  expect((await get('links.shop.example', pixel.pathname)).status).toBe(200);
});

test('pages about a contact are served under the host of its team, and are 404 under another host', async () => {
  await activate();
  const other = await server.createTeam();
  dns.zone['links.other.example'] = { CNAME: MAIL_HOST };
  const otherId = await addDomain(server.db, other.teamId, 'other.example');
  await patch({ trackingSubdomain: 'links' }, otherId, other);
  await expect.poll(() => tracking(otherId, other)).toMatchObject({ status: 'ACTIVE' });

  const { body: book } = await team.call('POST', '/contactBooks', { name: 'News' });
  await team.call('PATCH', `/contactBooks/${book.id}`, { archiveEnabled: true });
  const added = await team.call('POST', `/contactBooks/${book.id}/contacts`, { email: 'ada@reader.test' });
  const contact = {
    teamId: team.teamId,
    contactBookId: decodeId('cbk', book.id)!,
    contactId: decodeId('con', added.body.contactId)!,
  };
  const secret = loadInstanceSecret(server.config.dataDir);
  const links = createPublicLinks(secret, `http://mail.posthorn.example:${port}`).under('links.shop.example');
  const pages = [
    links.unsubscribe({ ...contact, emailId: null, campaignId: null, topicId: null }),
    links.preferences(contact),
    links.confirm({
      ...contact,
      addressHash: hashAddress('ada@reader.test'),
      expiresAt: new Date(Date.now() + 3_600_000),
    }),
    `http://links.shop.example:${port}/a/${book.id}`,
  ].map((url) => new URL(url));
  for (const { host, pathname } of pages) {
    expect([pathname, (await get(host, pathname)).status]).toEqual([pathname, 200]);
    expect((await get(`mail.posthorn.example:${port}`, pathname)).status).toBe(200);
    expect((await get('links.other.example', pathname)).status).toBe(404);
  }
});

test('links go back to BASE_URL when the host stops working, and old links stay valid', async () => {
  await activate();
  const { link } = await sendTracked();
  dns.zone['links.shop.example'] = { CNAME: 'elsewhere.example' };
  dns.zone['elsewhere.example'] = { A: ['127.0.0.1'] };
  await team.call('PUT', `/domains/${domainId}/verify`);
  await expect.poll(tracking).toMatchObject({ status: 'BROKEN' });
  expect((await tracking()).error).toContain('It must be an alias of mx.posthorn.example');
  expect((await sendTracked()).link.host).toBe(`mail.posthorn.example:${port}`);
  expect((await get(link.host, link.pathname)).status).toBe(302);

  await patch({ trackingSubdomain: null });
  expect(await tracking()).toEqual({ host: null, status: 'NONE', error: null });
  expect(await recordsOf('CNAME')).toEqual([]);
  expect((await get(link.host, link.pathname)).status).toBe(302);
});

test('CAA records that forbid the authority are named, and the record to add', async () => {
  dns.zone['shop.example'] = { CAA: [{ tag: 'issue', value: 'other-ca.example' }] };
  dns.zone['links.shop.example'] = { CNAME: MAIL_HOST };
  await patch({ trackingSubdomain: 'links' });
  await expect.poll(tracking).toMatchObject({ status: 'CAA_BLOCKED' });
  expect(await recordsOf('CAA')).toEqual([
    expect.objectContaining({ name: '@', value: '0 issue "letsencrypt.org"' }),
  ]);
  dns.zone['shop.example'].CAA!.push({ tag: 'issue', value: 'letsencrypt.org' });
  await team.call('PUT', `/domains/${domainId}/verify`);
  await expect.poll(tracking).toMatchObject({ status: 'ACTIVE' });
  expect(await recordsOf('CAA')).toEqual([]);
});

test.each(['', 'a b', '-x', 'x'.repeat(64), 'links.shop', 'bounce', 5])(
  'the subdomain %j is refused and changes nothing',
  async (trackingSubdomain) => {
    const before = await tracking();
    const { status, body } = await patch({ trackingSubdomain });
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect(await tracking()).toEqual(before);
  },
);

test('a policy is served for a domain, and its ID changes with it', async () => {
  const id = await addDomain(server.db, team.teamId, 'mail-only.example');
  expect((await get('mta-sts.mail-only.example', '/.well-known/mta-sts.txt')).status).toBe(404);
  const { body: testing } = await patch({ mtaSts: 'testing' }, id);
  expect([testing.mtaSts, testing.mtaStsAuto]).toEqual(['testing', false]);
  expect(idOf(testing)).toMatch(/^v=STSv1; id=[0-9a-z]{1,32}$/);
  expect(testing.dnsRecords).toContainEqual(
    expect.objectContaining({ type: 'CNAME', name: 'mta-sts', value: MAIL_HOST }),
  );
  const policy = await get('mta-sts.mail-only.example', '/.well-known/mta-sts.txt');
  expect([policy.status, policy.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(policy.body).toBe(`version: STSv1\r\nmode: testing\r\nmx: ${MAIL_HOST}\r\nmax_age: 86400\r\n`);
  expect((await get('mta-sts.mail-only.example', '/api/docs')).status).toBe(404);

  const { body: enforced } = await patch({ mtaSts: 'enforce' }, id);
  expect(idOf(enforced)).not.toBe(idOf(testing));
  expect((await get('mta-sts.mail-only.example', '/.well-known/mta-sts.txt')).body).toContain(
    'mode: enforce',
  );
  // Its host never led here, so no sender has the policy.
  const { body: off } = await patch({ mtaSts: 'off' }, id);
  expect(idOf(off)).toBeUndefined();
  expect((await get('mta-sts.mail-only.example', '/.well-known/mta-sts.txt')).status).toBe(404);
  expect((await patch({ mtaSts: 'on' }, id)).status).toBe(400);
});

test('a policy that senders may have in their caches is replaced by the mode none, also after testing', async () => {
  const name = 'leaving.example';
  const id = await addDomain(server.db, team.teamId, name);
  dns.zone[`mta-sts.${name}`] = { CNAME: MAIL_HOST };
  await patch({ mtaSts: 'enforce' }, id);
  await team.call('PUT', `/domains/${id}/verify`);
  await expect
    .poll(async () => {
      const { body } = await team.call('GET', `/domains/${id}`);
      return body.dnsRecords.find((each: { name: string }) => each.name === 'mta-sts').status;
    })
    .toBe('SUCCESS');
  for (const mtaSts of ['testing', 'off', 'off']) await patch({ mtaSts }, id);
  expect((await get(`mta-sts.${name}`, '/.well-known/mta-sts.txt')).body).toContain('mode: none');
  const { rows } = await sql<{ days: number }>`
    select round(extract(epoch from mta_sts_until - now()) / 86400)::integer as days from domains where id = ${id}
  `.execute(server.db);
  expect(rows).toEqual([{ days: 30 }]);
});
