/** Calls every operation with a key of each scope, and tries keys that are bound, rotated and made by others. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCOPES, allowsScope } from '../features/api/scopes.ts';
import { addDomain } from '../testing/factories.ts';
import { addPerson, setUpOwner, type TestPerson } from '../testing/people.ts';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';
import type { OpenApi } from './openapi/document.ts';

let server: TestServer;
let owner: TestPerson;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer();
  owner = await setUpOwner(server);
  team = await server.createTeam();
});
afterAll(() => server.close());

async function makeKey(input: object, by: Pick<TestTeam, 'call'> = team) {
  const { status, body } = await by.call('POST', '/api-keys', { name: 'k', ...input });
  expect([status, body]).toEqual([200, expect.objectContaining({ name: 'k' })]);
  return { ...body, call: createCall(server.url, body.key) } as { id: string; key: string } & Pick<
    TestTeam,
    'call'
  >;
}

/** An authorised call fails validation, so it changes nothing. */
const INVALID = { 'idempotency-key': 'x'.repeat(300) };

test('a key of each scope may call the operations of that scope and no others', async () => {
  const { paths }: OpenApi = (await server.call('GET', '/openapi.json')).body;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, scope: operation['x-scope'] })),
  );
  expect(operations.length).toBeGreaterThan(200);
  expect(operations.filter((operation) => operation.scope === undefined)).toEqual([]);
  for (const scope of SCOPES) {
    const key = await makeKey({ scopes: [scope] });
    for (const operation of operations) {
      const url = operation.path.replace('/v1', '').replaceAll(/\{\w+\}/g, '0');
      const { status } = await key.call(operation.method.toUpperCase(), url, undefined, INVALID);
      const what = `${scope}: ${operation.method} ${operation.path}`;
      expect([what, status]).not.toEqual([what, 401]);
      expect([what, status === 403]).toEqual([what, !allowsScope([scope], operation.scope)]);
    }
  }
});

test.each([
  [{ scopes: [] }, 400],
  [{ scopes: ['mail.everything'] }, 400],
  [{ scopes: ['mail.read'], allowedIps: ['10.0.0.0/33'] }, 400],
  [{ scopes: ['mail.read'], allowedIps: ['example.com'] }, 400],
  [{ scopes: ['domains.read'], domainIds: [4711] }, 404],
  [{ scopes: ['contacts.read'], contactBookIds: ['cbk_unknown'] }, 404],
  [{ permission: 'full', domainId: 1, domainIds: [1] }, 400],
  [{}, 400],
])('%j is %i', async (input, status) => {
  expect((await team.call('POST', '/api-keys', { name: 'x', ...input })).status).toBe(status);
});

test('a key that is bound to a contact book does not find others, and can do nothing else', async () => {
  const books = await Promise.all(
    ['One', 'Two'].map(
      async (name) => (await team.call('POST', '/contactBooks', { name })).body.id as string,
    ),
  );
  const key = await makeKey({ scopes: ['contacts.read', 'contacts.write'], contactBookIds: [books[0]] });
  const list = await key.call('GET', '/contactBooks');
  expect(list.body.map(({ id }: { id: string }) => id)).toEqual([books[0]]);
  const contact = { email: 'ada@example.org' };
  expect((await key.call('POST', `/contactBooks/${books[0]}/contacts`, contact)).status).toBe(200);
  expect((await key.call('POST', `/contactBooks/${books[1]}/contacts`, contact)).status).toBe(404);
  expect((await key.call('GET', `/contactBooks/${books[1]}/contacts`)).status).toBe(404);
  expect((await key.call('GET', '/topics')).status).toBe(403);
  expect((await key.call('GET', '/contacts?email=ada@example.org')).status).toBe(403);
});

test('a key that is bound to several domains uses those and no others', async () => {
  const names = ['one.test', 'two.test', 'three.test'];
  const ids: number[] = [];
  for (const name of names) ids.push(await addDomain(server.db, team.teamId, name));
  const key = await makeKey({
    scopes: ['domains.read', 'emails.send', 'mail.read'],
    domainIds: ids.slice(0, 2),
  });
  const list = await key.call('GET', '/domains');
  expect(list.body.map(({ name }: { name: string }) => name).toSorted()).toEqual(['one.test', 'two.test']);
  const send = (from: string) =>
    key.call('POST', '/emails', { from, to: 'bob@example.org', subject: 's', text: 't' });
  expect((await send('a@two.test')).status).toBe(200);
  expect((await send('a@three.test')).status).toBe(403);
  expect((await key.call('GET', '/emails')).body.items).toHaveLength(1);
});

test('the mailboxes, domains and books of a key can be changed later', async () => {
  const domains = [
    await addDomain(server.db, team.teamId, 'later-one.test'),
    await addDomain(server.db, team.teamId, 'later-two.test'),
  ];
  const make = async (path: string, input: object) =>
    (await team.call('POST', path, input)).body.id as string;
  const boxes = [
    await make('/mailboxes', { address: 'one@later-one.test' }),
    await make('/mailboxes', { address: 'two@later-two.test' }),
  ];
  const book = await make('/contactBooks', { name: 'Later' });
  const key = await makeKey({ scopes: ['mail.read', 'contacts.read'], mailboxIds: [boxes[0]] });
  const change = (input: object) => team.call('PATCH', `/api-keys/${key.id}`, input);
  const reached = async () =>
    Promise.all(boxes.map(async (id) => (await key.call('GET', `/mailboxes/${id}`)).status));
  expect(await reached()).toEqual([200, 404]);
  expect((await change({ mailboxIds: [boxes[1], boxes[1]] })).body.mailboxIds).toEqual([boxes[1]]);
  await expect.poll(reached).toEqual([404, 200]);
  expect((await change({ mailboxIds: null })).body.mailboxIds).toBeNull();
  await expect.poll(reached).toEqual([200, 200]);
  expect((await change({ domainIds: [domains[0]] })).body.domainIds).toEqual([domains[0]]);
  await expect.poll(reached).toEqual([200, 404]);
  await change({ domainIds: null, contactBookIds: [book] });
  await expect.poll(async () => (await key.call('GET', '/contactBooks')).body.length).toBe(1);

  expect((await change({ mailboxIds: [] })).status).toBe(400);
  expect((await change({ mailboxIds: ['mbx_unknown'] })).status).toBe(404);
  const sending = await makeKey({ permission: 'sending' });
  const refused = await team.call('PATCH', `/api-keys/${sending.id}`, { mailboxIds: [boxes[0]] });
  expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining('scopes')]);
});

test('a key that may reply begins no conversation, neither directly nor with a draft', async () => {
  await addDomain(server.db, team.teamId, 'reply.test');
  const { body: box } = await team.call('POST', '/mailboxes', { address: 'ada@reply.test' });
  const path = `/mailboxes/${box.id}`;
  const message = { to: ['bob@example.org'], subject: 's', text: 't', undo_seconds: 0 };
  const { body: sent } = await team.call('POST', `${path}/messages`, message);
  const replying = await makeKey({ scopes: ['mail.draft', 'mail.reply'] });
  const refused = await replying.call('POST', `${path}/messages`, message);
  expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringContaining('mail.send')]);
  const draftOf = async (input: object) =>
    (await replying.call('POST', `${path}/drafts`, input)).body.id as string;
  const sendDraft = async (input: object) =>
    (await replying.call('POST', `${path}/drafts/${await draftOf(input)}/send`, {})).status;
  expect(await sendDraft(message)).toBe(403);
  const reply = { ...message, thread_id: sent.thread_id };
  expect((await replying.call('POST', `${path}/messages`, reply)).status).toBe(200);
  const { undo_seconds: _, ...draft } = reply;
  expect(await sendDraft(draft)).toBe(200);
  const sending = await makeKey({ scopes: ['mail.send'] });
  expect((await sending.call('POST', `${path}/messages`, message)).status).toBe(200);
});

test('a key works from its networks alone, and so do the keys that it makes', async () => {
  const here = await makeKey({ scopes: ['domains.read'], allowedIps: ['127.0.0.0/8', '::1'] });
  expect((await here.call('GET', '/domains')).status).toBe(200);
  const away = await makeKey({ scopes: ['domains.read'], allowedIps: ['192.0.2.1'] });
  expect((await away.call('GET', '/domains')).status).toBe(403);
  expect((await team.call('PATCH', `/api-keys/${away.id}`, { allowedIps: null })).status).toBe(200);
  await expect.poll(async () => (await away.call('GET', '/domains')).status).toBe(200);
  const maker = await makeKey({
    scopes: ['keys.manage', 'domains.read'],
    allowedIps: ['127.0.0.0/8', '::1'],
  });
  const made = await makeKey({ scopes: ['domains.read'] }, maker);
  expect((await made.call('GET', '/domains')).status).toBe(200);
  await team.call('PATCH', `/api-keys/${maker.id}`, { allowedIps: ['192.0.2.1'] });
  await expect.poll(async () => (await made.call('GET', '/domains')).status).toBe(403);
});

test('a rotated key works beside the one before it until the overlap ends', async () => {
  const key = await makeKey({ permission: 'full' });
  const { body } = await team.call('POST', `/api-keys/${key.id}/rotate`, { overlapHours: 1 });
  expect(body).toMatchObject({ id: key.id });
  const renewed = createCall(server.url, body.key);
  expect((await renewed('GET', '/team')).status).toBe(200);
  expect((await key.call('GET', '/team')).status).toBe(200);
  const again = await team.call('POST', `/api-keys/${key.id}/rotate`, { overlapHours: 0 });
  await expect.poll(async () => (await renewed('GET', '/team')).status).toBe(401);
  expect((await key.call('GET', '/team')).status).toBe(401);
  expect((await createCall(server.url, again.body.key)('GET', '/team')).status).toBe(200);
});

test('a key with scopes gives no key more than it has, and cannot rotate keys that it did not make', async () => {
  const maker = await makeKey({ scopes: ['keys.manage', 'contacts.read'] });
  const refused = async (input: object) =>
    expect((await maker.call('POST', '/api-keys', { name: 'x', ...input })).status).toBe(403);
  await refused({ permission: 'full' });
  await refused({ permission: 'sending' });
  await refused({ scopes: ['contacts.write'] });
  const victim = await makeKey({ permission: 'full' });
  expect((await maker.call('POST', `/api-keys/${victim.id}/rotate`, {})).status).toBe(404);
  expect((await maker.call('PATCH', `/api-keys/${victim.id}`, { name: 'mine' })).status).toBe(404);
  expect((await maker.call('DELETE', `/api-keys/${victim.id}`)).status).toBe(404);

  const made = await makeKey({ scopes: ['contacts.read'] }, maker);
  expect((await made.call('GET', '/contactBooks')).status).toBe(200);
  expect((await maker.call('PATCH', `/api-keys/${made.id}`, { scopes: ['emails.send'] })).status).toBe(403);
  // Taking the scope from the maker takes it from the key that it made.
  await team.call('PATCH', `/api-keys/${maker.id}`, { scopes: ['keys.manage'] });
  await expect.poll(async () => (await made.call('GET', '/contactBooks')).status).toBe(403);
  await team.call('DELETE', `/api-keys/${maker.id}`);
  await expect.poll(async () => (await made.call('GET', '/contactBooks')).status).toBe(401);
});

test('a key has the rights of the person who made it, when it is used', async () => {
  const admin = await addPerson(server, owner, 'admin');
  const key = await makeKey({ permission: 'full' }, admin);
  expect((await key.call('GET', '/webhooks')).status).toBe(200);
  const { items } = (await owner.call('GET', '/members')).body;
  const { id } = items.find(({ email }: { email: string }) => email === admin.email);
  await owner.call('PATCH', `/members/${id}`, { role: 'member' });
  await expect.poll(async () => (await key.call('GET', '/webhooks')).status).toBe(403);
  expect((await key.call('GET', '/topics')).status).toBe(200);
  expect((await key.call('POST', '/api-keys', { name: 'x', permission: 'full' })).status).toBe(403);
  const bearer = { authorization: `Bearer ${key.key}` };
  const mailgun = { authorization: `Basic ${Buffer.from(`api:${key.key}`).toString('base64')}` };
  for (const [method, path, headers] of [
    ['GET', '/resend/webhooks', bearer],
    ['GET', '/resend/api-keys', bearer],
    ['DELETE', '/resend/api-keys/key_x', bearer],
    ['DELETE', '/resend/domains/1', bearer],
    ['DELETE', '/v3/domains/x.test', mailgun],
  ] as const) {
    const answer = await fetch(server.url + path, { method, headers });
    // Resend says 401 for a key that may not do something.
    expect([path, answer.status]).toEqual([path, path.startsWith('/resend') ? 401 : 403]);
    expect(await answer.text()).toContain('The person who made this API key can no longer do this.');
  }
  expect((await fetch(`${server.url}/resend/domains`, { headers: bearer })).status).toBe(200);
  await owner.call('DELETE', `/members/${id}`);
  await expect.poll(async () => (await key.call('GET', '/topics')).status).toBe(401);
});
