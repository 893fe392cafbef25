import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { connectMailgun, type MailgunClient } from '../../../testing/clients/vendor-clients.ts';

let server: TestServer;
let team: TestTeam;
let domain: string;
let mailgun: MailgunClient;

const connect = (key: string) => connectMailgun(server, key);

beforeAll(async () => {
  // The SDK warns about deprecated methods.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  server = await shareTestServer();
  team = await server.createTeam();
  domain = `lists${team.teamId}.test`;
  await addDomain(server.db, team.teamId, domain);
  mailgun = connect(team.key);
});
afterAll(() => server.close());

const listed = async () =>
  (await team.call('GET', '/suppressions?limit=100')).body.items
    .map(({ email, reason }: { email: string; reason: string }) => `${email} ${reason}`)
    .toSorted();

const names = (page: { items: unknown[] }) =>
  (page.items as { address: string }[]).map((item) => item.address);

const create = (list: string, data: unknown) => mailgun.suppressions.create(domain, list, data as never);

describe('suppressions', () => {
  test('are created one or many at a time, on the list with their reason', async () => {
    const bounces = [
      { address: 'b1@example.com', code: 550, error: 'No such user' },
      { address: 'b2@example.com' },
      { address: 'b3@example.com' },
    ];
    expect(await mailgun.suppressions.create(domain, 'bounces', bounces)).toMatchObject({
      message: '3 addresses have been added to the bounces table',
      status: 200,
    });
    await mailgun.suppressions.create(domain, 'complaints', { address: 'c1@example.com' });
    expect(
      await mailgun.suppressions.create(domain, 'unsubscribes', { address: 'u1@example.com', tag: '*' }),
    ).toMatchObject({ message: 'Address has been added to the unsubscribes table' });
    await mailgun.suppressions.create(domain, 'unsubscribes', [{ address: 'u2@example.com', tags: ['*'] }]);
    expect(await listed()).toEqual([
      'b1@example.com HARD_BOUNCE',
      'b2@example.com HARD_BOUNCE',
      'b3@example.com HARD_BOUNCE',
      'c1@example.com COMPLAINT',
      'u1@example.com MANUAL',
      'u2@example.com MANUAL',
    ]);
  });

  test('are shown', async () => {
    expect(await mailgun.suppressions.get(domain, 'bounces', 'B1@example.com')).toMatchObject({
      type: 'bounces',
      address: 'b1@example.com',
      code: 550,
      created_at: expect.any(Date),
    });
    expect(await mailgun.suppressions.get(domain, 'unsubscribes', 'u1@example.com')).toMatchObject({
      tags: ['*'],
    });
    await expect(mailgun.suppressions.get(domain, 'complaints', 'b1@example.com')).rejects.toMatchObject({
      status: 404,
      details: 'Address not found in complaints table',
    });
  });

  test('are listed page by page in both directions', async () => {
    const first = await mailgun.suppressions.list(domain, 'bounces', { limit: 2 });
    expect(names(first)).toEqual(['b1@example.com', 'b2@example.com']);
    const second = await mailgun.suppressions.list(domain, 'bounces', { page: first.pages.next.page });
    expect(names(second)).toEqual(['b3@example.com']);
    const end = await mailgun.suppressions.list(domain, 'bounces', { page: second.pages.next.page });
    expect(names(end)).toEqual([]);
    const back = await mailgun.suppressions.list(domain, 'bounces', { page: second.pages.previous.page });
    expect(names(back)).toEqual(['b1@example.com', 'b2@example.com']);
    const last = await mailgun.suppressions.list(domain, 'bounces', { page: second.pages.last.page });
    expect(names(last)).toEqual(['b2@example.com', 'b3@example.com']);
  });

  test('are removed from their own list only, one or all', async () => {
    await expect(mailgun.suppressions.destroy(domain, 'complaints', 'b1@example.com')).rejects.toMatchObject({
      status: 404,
    });
    expect(await mailgun.suppressions.destroy(domain, 'bounces', 'b1@example.com')).toMatchObject({
      status: 200,
      address: 'b1@example.com',
      message: 'Bounced address has been removed',
    });
    await expect(mailgun.suppressions.destroy(domain, 'bounces', 'all')).rejects.toMatchObject({
      status: 404,
    });
    expect(await mailgun.suppressions.destroyAll(domain, 'bounces')).toMatchObject({ status: 200 });
    expect(await listed()).toEqual([
      'c1@example.com COMPLAINT',
      'u1@example.com MANUAL',
      'u2@example.com MANUAL',
    ]);
  });

  test('that are not valid are refused, and none is stored', async () => {
    const before = await listed();
    await expect(create('bounces', [{ address: 'x1@example.com' }, { address: 'x' }])).rejects.toMatchObject({
      status: 400,
    });
    await expect(create('unsubscribes', { address: 'x1@example.com', tag: 'news' })).rejects.toMatchObject({
      status: 400,
      details: expect.stringContaining('tag must be *'),
    });
    await expect(create('complaints', [])).rejects.toMatchObject({ status: 400 });
    const many = Array.from({ length: 1_001 }, (_, at) => ({ address: `x${at}@example.com` }));
    await expect(create('complaints', many)).rejects.toMatchObject({ status: 400 });
    await expect(create('whitelists', { domain: 'example.com' })).rejects.toMatchObject({ status: 501 });
    expect(await listed()).toEqual(before);
  });

  test('of another team are out of reach, and keys for one domain are refused', async () => {
    const stranger = connect((await server.createTeam()).key);
    await expect(stranger.suppressions.list(domain, 'bounces')).rejects.toMatchObject({ status: 404 });
    await expect(stranger.suppressions.destroyAll(domain, 'complaints')).rejects.toMatchObject({
      status: 404,
    });
    const domainId = await addDomain(server.db, team.teamId, `bound${team.teamId}.test`);
    const { key } = (await team.call('POST', '/api-keys', { name: 'b', permission: 'full', domainId })).body;
    await expect(connect(key).suppressions.list(`bound${team.teamId}.test`, 'bounces')).rejects.toMatchObject(
      {
        status: 403,
      },
    );
  });
});

describe('domains', () => {
  test('are created, shown, listed, verified and deleted', async () => {
    const name = `mail.new${team.teamId}.example`;
    const created = await mailgun.domains.create({ name, web_scheme: 'https', wildcard: false });
    expect(created).toMatchObject({
      name,
      state: 'unverified',
      type: 'custom',
      created_at: expect.any(Date),
    });
    expect(created.sending_dns_records).toContainEqual(
      expect.objectContaining({
        record_type: 'TXT',
        name: expect.stringMatching(new RegExp(`_domainkey\\.${name}$`)),
        value: expect.stringContaining('v=DKIM1'),
        valid: 'unknown',
      }),
    );
    expect(created.receiving_dns_records).toMatchObject([{ record_type: 'MX', name }]);
    expect(await mailgun.domains.get(name)).toMatchObject({ name, id: created.id });
    const list = await mailgun.domains.list({ limit: 1 });
    expect(list.map((each) => each.name)).toEqual([name]);
    expect(await mailgun.domains.update(name, { spam_action: 'disabled' } as never)).toMatchObject({ name });
    expect(await mailgun.domains.verify(name)).toMatchObject({ name, state: 'unverified' });
    await expect(mailgun.domains.create({ name })).rejects.toMatchObject({ status: 409 });
    expect(await mailgun.domains.destroy(name)).toMatchObject({ message: 'Domain has been deleted' });
    await expect(mailgun.domains.get(name)).rejects.toMatchObject({ status: 404 });
  });

  test('have settings for tracking', async () => {
    const { domainTracking } = mailgun.domains;
    await domainTracking.updateTracking(domain, 'open', { active: true });
    // The SDK for Java reads the value that it sent.
    expect(await domainTracking.updateTracking(domain, 'click', { active: 'htmlonly' })).toMatchObject({
      click: { active: 'htmlonly' },
    });
    expect(await domainTracking.getTracking(domain)).toMatchObject({
      open: { active: true },
      click: { active: true },
      unsubscribe: { active: false, html_footer: '', text_footer: '' },
    });
    await domainTracking.updateTracking(domain, 'open', { active: false });
    expect(await domainTracking.getTracking(domain)).toMatchObject({ open: { active: false } });
    await expect(
      domainTracking.updateTracking(domain, 'unsubscribe', { active: true }),
    ).rejects.toMatchObject({ status: 501 });
  });

  test('refuse settings that they cannot have', async () => {
    const name = `refused${team.teamId}.example`;
    await expect(mailgun.domains.create({ name, smtp_password: 'secret' })).rejects.toMatchObject({
      status: 400,
      details: expect.stringContaining('API key'),
    });
    await expect(mailgun.domains.update(domain, { require_tls: true } as never)).rejects.toMatchObject({
      status: 400,
    });
    await expect(mailgun.domains.create({ name: 'nothing' })).rejects.toMatchObject({ status: 400 });
    await expect(mailgun.domains.get(name)).rejects.toMatchObject({ status: 404 });
  });
});

const ask = async (method: string, path: string) => {
  const response = await fetch(server.url + path, { method });
  return [response.status, await response.json()];
};

test('a request without a valid key is asked for Basic authentication', async () => {
  for (const headers of [{}, { authorization: `Bearer ${team.key}` }, { authorization: 'Basic YXBpOng=' }]) {
    const answer = await fetch(`${server.url}/v3/${domain}/bounces`, {
      headers: headers as Record<string, string>,
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="Mailgun API"');
  }
});

test('an endpoint that is not supported returns 501, a wrong method 405, and an unknown path 404', async () => {
  await expect(mailgun.routes.list({})).rejects.toMatchObject({ status: 501 });
  await expect(mailgun.webhooks.list(domain, {})).rejects.toMatchObject({ status: 501 });
  await expect(mailgun.stats.getDomain(domain, { event: 'delivered' })).rejects.toMatchObject({
    status: 501,
  });
  await expect(mailgun.domains.domainTags.list(domain)).rejects.toMatchObject({ status: 501 });
  await expect(mailgun.domains.domainTemplates.list(domain)).rejects.toMatchObject({ status: 501 });
  await expect(mailgun.validate.get('a@example.com')).rejects.toMatchObject({ status: 501 });
  expect(await ask('GET', `/v3/${domain}/messages`)).toEqual([405, { message: expect.any(String) }]);
  expect(await ask('GET', `/v3/${domain}/invented`)).toEqual([404, { message: expect.any(String) }]);
  expect(await ask('POST', `/v3//${domain}/messages`)).toEqual([401, { message: 'Invalid private key' }]);
});
