import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson, setUpOwner, type TestPerson } from '../../../testing/people.ts';
import { addDomain } from '../../../testing/factories.ts';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { expireRequests } from './forget-requests.ts';
import type { ListedRequest } from './request-log.schema.ts';

let server: TestServer;
let team: TestTeam;
let owner: TestPerson;

beforeAll(async () => {
  server = await startTestServer();
  owner = await setUpOwner(server);
  team = await server.createTeam();
});
afterAll(() => server.close());

async function logged(query: string): Promise<ListedRequest[]> {
  const { status, body } = await team.call('GET', `/logs${query}`);
  expect(status).toBe(200);
  return body.items;
}
const one = (query: string) =>
  expect
    .poll(() => logged(query), { timeout: 5_000 })
    .toHaveLength(1)
    .then(async () => (await logged(query))[0]!);

async function bodiesOf({ id }: ListedRequest) {
  const { status, body } = await team.call('GET', `/logs/${id}`);
  expect(status).toBe(200);
  return body;
}

test('a request that failed is there with its bodies, and without secrets and content', async () => {
  const { headers } = await team.call('POST', '/emails', {
    to: 'ada@example.org',
    from: 'x',
    subject: 'My diagnosis',
    html: '<p>Inner thoughts</p>',
    attachments: [{ fileName: 'a.txt', content: 'SGVsbG8=' }],
    headers: { 'x-api-key': 'hush' },
  });
  const entry = await one('?method=POST&path=/v1/emails&status=4xx');
  expect(entry).toMatchObject({ status: 400, method: 'POST', path: '/api/v1/emails', emailId: null });
  expect(entry.keyId).toMatch(/^key_/);
  const shown = await bodiesOf(entry);
  expect(shown).toMatchObject({
    requestBody: { to: 'ada@example.org', subject: '(hidden)', html: '(hidden)', attachments: '(hidden)' },
    responseBody: { error: { code: 'BAD_REQUEST' } },
  });
  expect(JSON.stringify(shown)).not.toMatch(/diagnosis|thoughts|SGVsbG8|hush/);
  expect(headers.get('x-request-id')).toBe(entry.requestId);
  expect(await logged(`?requestId=${entry.requestId}`)).toEqual([entry]);
  expect(await logged('?method=POST&path=/emails&status=400')).toEqual([entry]);
  expect(await logged(`?keyId=${entry.keyId}&status=400&method=POST`)).toEqual([entry]);
  expect(await logged('?status=401')).toEqual([]);
});

test('a request that sent an email names it, also at the doors of other vendors', async () => {
  await addDomain(server.db, team.teamId, 'logs.test');
  const email = { from: 'a@logs.test', to: 'b@example.org', subject: 'x', text: 'y' };
  const { body } = await team.call('POST', '/emails', email);
  expect((await one('?path=/api/v1/emails&status=200&method=POST')).emailId).toBe(body.emailId);
  const answer = await fetch(`${server.url}/resend/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${team.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...email, to: ['b@example.org'] }),
  });
  expect(answer.status).toBe(200);
  expect((await one('?path=/resend/')).emailId).toMatch(/^eml_/);
});

test('of requests that read, one a minute is kept for each key and path', async () => {
  for (let n = 0; n < 3; n++) await team.call('GET', '/domains');
  await team.call('GET', '/domains/999999');
  expect((await one('?path=/api/v1/domains&method=GET&status=200')).status).toBe(200);
  expect((await one('?path=/api/v1/domains&method=GET&status=404')).status).toBe(404);
});

test('nothing of a key that was made is kept', async () => {
  const { body: made } = await team.call('POST', '/api-keys', { name: 'Shop', permission: 'sending' });
  const shown = await bodiesOf(await one('?path=/api/v1/api-keys&method=POST'));
  expect(shown.responseBody).toMatchObject({ name: 'Shop', key: '(hidden)' });
  expect(JSON.stringify(shown)).not.toContain(made.key);
});

test('other teams, members and keys without the scope see nothing', async () => {
  const entry = (await logged('?limit=1'))[0]!;
  const other = await server.createTeam();
  expect((await other.call('GET', `/logs/${entry.id}`)).status).toBe(404);
  expect((await other.call('GET', `/logs?requestId=${entry.requestId}`)).body.items).toEqual([]);
  const member = await addPerson(server, owner, 'member');
  expect((await member.call('GET', '/logs')).status).toBe(403);
  const { body: sending } = await team.call('POST', '/api-keys', { name: 'S', permission: 'sending' });
  expect((await createCall(server.url, sending.key)('GET', '/logs')).status).toBe(403);
  for (const id of [
    'log_x',
    'eml_01kbd8x4zvf7m8rk2q3w5t6y7h',
    entry.id.replace(/.$/, (c) => (c === '0' ? '1' : '0')),
  ])
    expect((await team.call('GET', `/logs/${id}`)).status).toBe(404);
  for (const query of ['?status=abc', '?status=999', '?method=BREW', '?cursor=x', '?path='])
    expect((await team.call('GET', `/logs${query}`)).status).toBe(400);
});

test('requests are deleted after 30 days', async () => {
  const [entry] = await logged('?limit=1');
  expect(await expireRequests(server.db)).toBe(0);
  await sql`
    update request_log set id = (overlay(id::text placing '01900000-0000' from 1 for 13))::uuid
    where request_id = ${entry!.requestId}`.execute(server.db);
  expect(await expireRequests(server.db)).toBe(1);
  expect(await logged(`?requestId=${entry!.requestId}`)).toEqual([]);
});
