import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shareTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let other: TestTeam;
const url = 'https://example.com/hook';

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  other = await server.createTeam();
});
afterAll(() => server.close());

async function createWebhook(input: object = {}) {
  const { status, body } = await team.call('POST', '/webhooks', { url, events: ['*'], ...input });
  expect(status).toBe(200);
  return body;
}

test('a new webhook shows its secret once and stores it encrypted', async () => {
  const created = await createWebhook({ events: ['email.sent', 'contact.*', 'email.sent'] });
  expect(created).toEqual({
    id: expect.stringMatching(/^whk_[0-9a-z]{26}$/),
    url,
    shownUrl: url,
    events: ['email.sent', 'contact.*'],
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
    status: 'active',
    description: null,
    format: 'posthorn',
    publicKey: null,
    pausedReason: null,
    notice: null,
    failures: 0,
    failingSince: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const { secret, ...shown } = created;
  expect((await team.call('GET', `/webhooks/${created.id}`)).body).toEqual(shown);
  expect((await team.call('GET', '/webhooks')).body.items).toContainEqual(shown);
  const { rows } = await sql<{ text: string }>`
    select encode(secret, 'escape') as text from webhooks where team_id = ${team.teamId}
  `.execute(server.db);
  for (const { text } of rows) expect(text).not.toContain(secret.slice(6));
});

test.each([
  ['https://hooks.slack.com/services/T024BE7LD/B08A1C2D3/x8PqZ1mV', 'https://hooks.slack.com/services/…'],
  ['https://discord.com/api/webhooks/1096/aBcDeF-g', 'https://discord.com/api/webhooks/…'],
  ['https://example.com/api/v1/mail/events', 'https://example.com/api/v1/…'],
  ['https://example.com/hooks/mail?token=sesame', 'https://example.com/hooks/mail?…'],
  ['https://example.com:8443/5f0c7b1e9d', 'https://example.com:8443/…'],
  ['https://example.com/?token=sesame#x', 'https://example.com?…'],
  ['https://example.com/mail-hooks/', 'https://example.com/mail-hooks'],
  ['https://user:sesame@example.com/mail', 'https://example.com/mail'],
])('the URL %s is shown without what may be secret', async (whole, shownUrl) => {
  expect(await createWebhook({ url: whole })).toMatchObject({ url: whole, shownUrl });
});

test('a webhook can be changed and deleted', async () => {
  const { id, secret: _, ...created } = await createWebhook();
  const change = { url: 'http://example.org/', events: ['mailbox.message.*'], description: 'Shop' };
  const changed = await team.call('PATCH', `/webhooks/${id}`, change);
  expect(changed.body).toEqual({
    ...created,
    id,
    ...change,
    shownUrl: 'http://example.org',
    updatedAt: expect.any(String),
  });
  const inResendsFormat = await team.call('PATCH', `/webhooks/${id}`, { format: 'resend' });
  expect(inResendsFormat.body).toMatchObject({ ...change, format: 'resend' });
  expect((await team.call('PATCH', `/webhooks/${id}`, { format: 'svix' })).status).toBe(400);
  await team.call('PATCH', `/webhooks/${id}`, { format: 'posthorn' });
  const paused = await team.call('PATCH', `/webhooks/${id}`, { status: 'paused' });
  expect(paused.body).toMatchObject({ ...change, status: 'paused', pausedReason: 'by_hand' });
  const resumed = await team.call('PATCH', `/webhooks/${id}`, { status: 'active', description: null });
  expect(resumed.body).toMatchObject({ status: 'active', pausedReason: null, description: null });
  expect((await team.call('PATCH', `/webhooks/${id}`, {})).body).toMatchObject({ url: change.url });
  expect((await team.call('DELETE', `/webhooks/${id}`)).body).toEqual({ id, success: true });
  expect((await team.call('GET', `/webhooks/${id}`)).status).toBe(404);
  expect((await team.call('DELETE', `/webhooks/${id}`)).status).toBe(404);
});

test('webhooks are listed page by page', async () => {
  const busy = await server.createTeam();
  for (let count = 0; count < 3; count++) await busy.call('POST', '/webhooks', { url, events: ['*'] });
  const first = (await busy.call('GET', '/webhooks?limit=2')).body;
  expect(first.items).toHaveLength(2);
  const second = (await busy.call('GET', `/webhooks?limit=2&cursor=${first.next_cursor}`)).body;
  expect(second).toMatchObject({ items: [expect.anything()], next_cursor: null });
  expect((await busy.call('GET', '/webhooks?cursor=nonsense')).status).toBe(400);
});

test('a team has at most 100 webhooks, even if they are created concurrently', async () => {
  const greedy = await server.createTeam();
  const add = () => greedy.call('POST', '/webhooks', { url, events: ['*'] });
  const answers = await Promise.all(Array.from({ length: 110 }, add));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(10);
});

test('a team cannot find the webhooks of another team', async () => {
  const { id } = await createWebhook();
  const calls: [string, string, object?][] = [
    ['GET', ''],
    ['PATCH', '', { status: 'paused' }],
    ['DELETE', ''],
    ['POST', '/rotate-secret'],
    ['POST', '/test'],
    ['GET', '/calls'],
    ['GET', '/calls/whc_01kbd8x4zvf7m8rk2q3w5t6y7h'],
    ['POST', '/calls/whc_01kbd8x4zvf7m8rk2q3w5t6y7h/replay'],
    ['POST', '/replay-failed', { since: '2026-11-14T00:00:00Z' }],
  ];
  for (const [method, path, body] of calls) {
    expect((await other.call(method, `/webhooks/${id}${path}`, body)).status).toBe(404);
    expect((await team.call(method, `/webhooks/nonsense${path}`, body)).status).toBe(404);
  }
  expect((await other.call('GET', '/webhooks')).body.items).toEqual([]);
  expect((await team.call('GET', `/webhooks/${id}`)).body.status).toBe('active');
});

test('a key that may only send gets 403', async () => {
  const { body } = await team.call('POST', '/api-keys', { name: 'x', permission: 'sending' });
  const headers = { authorization: `Bearer ${body.key}` };
  expect((await server.call('GET', '/webhooks', undefined, headers)).status).toBe(403);
  expect((await server.call('GET', '/webhooks')).status).toBe(401);
});

test('every type of event is listed with its fields and an example', async () => {
  const { items } = (await team.call('GET', '/webhooks/events')).body;
  for (const { type, description, fields, example } of items) {
    expect(description).not.toBe('');
    expect(example.type).toBe(type);
    expect(Object.keys(example.data)).toEqual(fields.map(({ name }: { name: string }) => name));
    if (type !== 'webhook.test') await createWebhook({ events: [type] });
  }
  expect(items.map(({ type }: { type: string }) => type)).toContain('email.delivery_delayed');
});

describe('invalid input', () => {
  test.each([
    [{}],
    [[]],
    [null],
    [{ url }],
    [{ events: ['*'] }],
    [{ url: 7, events: ['*'] }],
    [{ url: '', events: ['*'] }],
    [{ url: 'example.com/hook', events: ['*'] }],
    [{ url: 'ftp://example.com/', events: ['*'] }],
    [{ url: 'http:example.com', events: ['*'] }],
    [{ url: 'http://', events: ['*'] }],
    [{ url: 'javascript:alert(1)', events: ['*'] }],
    [{ url: 'https://user:%zz@example.com/', events: ['*'] }],
    [{ url: 'https://us%3Aer:pass@example.com/', events: ['*'] }],
    [{ url: 'https://user:pa%0Ass@example.com/', events: ['*'] }],
    [{ url: `https://example.com/${'x'.repeat(2000)}`, events: ['*'] }],
    [{ url: 'https://example.com/\u0000', events: ['*'] }],
    [{ url, events: [] }],
    [{ url, events: '*' }],
    [{ url, events: ['email.lost'] }],
    [{ url, events: ['emails.*'] }],
    [{ url, events: ['.*'] }],
    [{ url, events: ['email.s*'] }],
    [{ url, events: ['webhook.test'] }],
    [{ url, events: [null] }],
    [{ url, events: Array.from({ length: 101 }, () => '*') }],
    [{ url, events: ['*'], description: 'x'.repeat(501) }],
  ])('%j is 400', async (input) => {
    const { status, body } = await team.call('POST', '/webhooks', input);
    expect(status).toBe(400);
    expect(body.error.code).toBe('BAD_REQUEST');
  });

  test.each([
    'http://localhost/',
    'http://LOCALHOST:8080/',
    'http://shop.localhost/',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0/',
    'http://10.0.0.1/',
    'http://172.20.0.1/',
    'http://192.168.1.1/',
    'http://100.64.1.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://[64:ff9b::7f00:1]/',
  ])('%s is refused as a private address', async (address) => {
    const created = await team.call('POST', '/webhooks', { url: address, events: ['*'] });
    expect(created.status).toBe(400);
    expect(created.body.error.issues).toEqual([{ path: '/url', message: expect.any(String) }]);
    const { id } = await createWebhook();
    expect((await team.call('PATCH', `/webhooks/${id}`, { url: address })).status).toBe(400);
  });

  test.each([
    { status: 'disabled' },
    { status: 'off' },
    { url: 'x' },
    { events: [] },
    { events: ['x'] },
    { url: null },
    { events: null },
    { status: null },
  ])('PATCH with %j is 400', async (update) => {
    const { id } = await createWebhook();
    expect((await team.call('PATCH', `/webhooks/${id}`, update)).status).toBe(400);
  });

  test.each([
    {},
    { since: 'yesterday' },
    { since: '2026-02-30T00:00:00Z' },
    { since: '2026-11-14T00:00:00' },
  ])('replaying with %j is 400', async (input) => {
    const { id } = await createWebhook();
    expect((await team.call('POST', `/webhooks/${id}/replay-failed`, input)).status).toBe(400);
  });
});
