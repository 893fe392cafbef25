/** Calls every operation with a key of each scope, and tries keys that are bound, rotated and made by others. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCOPES, allowsScope, type RouteScope } from '../features/api/scopes.ts';
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
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, scope: operation['x-scope'] })),
    )
    .filter(
      (operation): operation is typeof operation & { scope: RouteScope } => operation.scope !== undefined,
    );
  expect(operations.length).toBeGreaterThan(200);
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

test('a key works from its networks alone', async () => {
  const here = await makeKey({ scopes: ['domains.read'], allowedIps: ['127.0.0.0/8', '::1'] });
  expect((await here.call('GET', '/domains')).status).toBe(200);
  const away = await makeKey({ scopes: ['domains.read'], allowedIps: ['192.0.2.1'] });
  expect((await away.call('GET', '/domains')).status).toBe(403);
  expect((await team.call('PATCH', `/api-keys/${away.id}`, { allowedIps: null })).status).toBe(200);
  await expect.poll(async () => (await away.call('GET', '/domains')).status).toBe(200);
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
  await owner.call('DELETE', `/members/${id}`);
  await expect.poll(async () => (await key.call('GET', '/topics')).status).toBe(401);
});
