import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
});
afterAll(() => server.close());

let made = 0;
const create = (fields: object = {}) =>
  team.call('POST', '/send-policies', { name: `Policy ${++made}`, mode: 'free', ...fields });

test('a policy is created with the defaults, read, listed, changed and deleted', async () => {
  const { status, body: policy } = await create({ name: ' Assistant ' });
  expect(status).toBe(200);
  expect(policy).toMatchObject({
    name: 'Assistant',
    mode: 'free',
    recipients: { allow: [], deny: [], threadParticipants: true, contactBookIds: [] },
    maxRecipients: null,
    maxPerHour: null,
    maxPerDay: null,
    maxNewRecipientsPerDay: null,
    links: 'any',
    attachments: 'any',
    bcc: false,
    taint: 'strict',
  });
  expect((await team.call('GET', `/send-policies/${policy.id}`)).body).toEqual(policy);
  expect((await team.call('GET', '/send-policies')).body.items[0]).toEqual(policy);

  const { body: changed } = await team.call('PATCH', `/send-policies/${policy.id}`, {
    mode: 'approve_all',
    recipients: { allow: ['Ada@Example.ORG', '@Bücher.example'] },
    links: ['Example.com'],
    maxPerHour: 3,
  });
  expect(changed).toMatchObject({
    name: 'Assistant',
    mode: 'approve_all',
    recipients: {
      allow: ['ada@example.org', 'xn--bcher-kva.example'],
      deny: [],
      threadParticipants: true,
      contactBookIds: [],
    },
    links: ['example.com'],
    maxPerHour: 3,
  });
  expect(
    (await team.call('PATCH', `/send-policies/${policy.id}`, { maxPerHour: null })).body.maxPerHour,
  ).toBe(null);
  expect((await team.call('DELETE', `/send-policies/${policy.id}`)).body).toEqual({
    id: policy.id,
    success: true,
  });
  expect((await team.call('GET', `/send-policies/${policy.id}`)).status).toBe(404);
});

test.each([
  [{ name: '' }, '/name'],
  [{ mode: 'sometimes' }, '/mode'],
  [{ mode: undefined }, '/mode'],
  [{ recipients: { allow: ['not an address'] } }, '/recipients/allow/0'],
  [{ recipients: { deny: ['.com'] } }, '/recipients/deny/0'],
  [
    { recipients: { allow: Array.from({ length: 501 }, (_, no) => `${no}.example.com`) } },
    '/recipients/allow',
  ],
  [{ maxRecipients: 0 }, '/maxRecipients'],
  [{ maxPerHour: 1.5 }, '/maxPerHour'],
  [{ links: 'some' }, '/links'],
  [{ links: [] }, '/links'],
  [{ attachments: 'yes' }, '/attachments'],
  [{ bcc: 'no' }, '/bcc'],
  [{ taint: 'warn' }, '/taint'],
])('invalid policy %j is rejected', async (fields, path) => {
  const { status, body } = await create(fields);
  expect(status).toBe(400);
  expect(body.error.issues.map((issue: { path: string }) => issue.path)).toContainEqual(
    expect.stringContaining(path),
  );
});

test('a book must be one of the team', async () => {
  const other = await server.createTeam();
  const book = (await other.call('POST', '/contactBooks', { name: 'Theirs' })).body.id;
  expect((await create({ recipients: { contactBookIds: [book] } })).status).toBe(404);
});

test('two policies of a team cannot have one name, and those of other teams do not count', async () => {
  const { body } = await create({ name: 'Twice' });
  expect((await create({ name: 'Twice' })).status).toBe(409);
  const other = await server.createTeam();
  expect((await other.call('POST', '/send-policies', { name: 'Twice', mode: 'free' })).status).toBe(200);
  const { body: second } = await create({});
  expect((await team.call('PATCH', `/send-policies/${second.id}`, { name: 'Twice' })).status).toBe(409);
  expect((await other.call('GET', `/send-policies/${body.id}`)).status).toBe(404);
  expect((await other.call('PATCH', `/send-policies/${body.id}`, { name: 'x' })).status).toBe(404);
  expect((await other.call('DELETE', `/send-policies/${body.id}`)).status).toBe(404);
});

test('an agent needs a policy of its team, which cannot be deleted while a key uses it', async () => {
  const { body: policy } = await create();
  const key = { name: 'Agent', permission: 'full', kind: 'agent' };
  const without = await team.call('POST', '/api-keys', key);
  expect(without.status).toBe(400);
  expect(without.body.error.issues[0].path).toBe('/policyId');
  const other = await server.createTeam();
  expect((await other.call('POST', '/api-keys', { ...key, policyId: policy.id })).status).toBe(404);

  const { body: agent } = await team.call('POST', '/api-keys', { ...key, policyId: policy.id });
  expect(agent).toMatchObject({ kind: 'agent', policyId: policy.id });
  const { items } = (await team.call('GET', '/api-keys')).body;
  expect(items[0]).toMatchObject({ kind: 'agent', policyId: policy.id });
  expect(items.at(-1)).toMatchObject({ kind: 'application', policyId: null });
  expect((await team.call('DELETE', `/send-policies/${policy.id}`)).status).toBe(409);
  expect((await team.call('PATCH', `/api-keys/${agent.id}`, { policyId: null })).status).toBe(400);

  const { body: second } = await create();
  const moved = await team.call('PATCH', `/api-keys/${agent.id}`, { policyId: second.id });
  expect(moved.body.policyId).toBe(second.id);
  expect((await team.call('DELETE', `/send-policies/${policy.id}`)).status).toBe(200);
  await team.call('DELETE', `/api-keys/${agent.id}`);
  expect((await team.call('DELETE', `/send-policies/${second.id}`)).status).toBe(200);
});

test('members and keys with a policy change no policies, and such a key makes no keys', async () => {
  const { body: policy } = await create();
  const { body } = await team.call('POST', '/api-keys', {
    name: 'Agent',
    permission: 'full',
    kind: 'agent',
    policyId: policy.id,
  });
  const agent = createCall(server.url, body.key);
  expect((await agent('GET', `/send-policies/${policy.id}`)).status).toBe(200);
  expect((await agent('PATCH', `/send-policies/${policy.id}`, { mode: 'free' })).status).toBe(403);
  expect((await agent('POST', '/api-keys', { name: 'Free', permission: 'full' })).status).toBe(403);
  expect((await agent('PATCH', `/api-keys/${body.id}`, { policyId: null })).status).toBe(403);
  expect((await agent('POST', '/webhooks', { url: 'https://example.com/', events: ['*'] })).status).toBe(403);
  expect((await agent('POST', '/domains', { name: 'example.net' })).status).toBe(403);
});
