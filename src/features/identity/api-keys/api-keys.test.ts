import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
});
afterAll(() => server.close());

test('a new key works, and only the answer that creates it shows it', async () => {
  const { status, body } = await team.call('POST', '/api-keys', { name: ' CI ', permission: 'full' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ name: 'CI', permission: 'full', domainId: null });
  expect(body.key).toMatch(/^ph_[0-9a-z]{8}_[0-9a-z]{52}$/);
  expect((await createCall(server.url, body.key)('GET', '/team')).body.id).toBe(team.teamId);
  const list = await team.call('GET', '/api-keys');
  expect(list.body.items[0]).toMatchObject({ id: body.id, name: 'CI', keyStart: body.key.slice(0, 11) });
  expect(JSON.stringify(list.body)).not.toContain(body.key);
});

test('keys are listed page by page, newest first', async () => {
  const own = await server.createTeam();
  for (let at = 0; at < 5; at++)
    await own.call('POST', '/api-keys', { name: `Key ${at}`, permission: 'sending' });
  const names: string[] = [];
  for (let cursor = ''; ;) {
    const { body } = await own.call('GET', `/api-keys?limit=2${cursor && `&cursor=${cursor}`}`);
    names.push(...body.items.map((item: { name: string }) => item.name));
    if (!body.next_cursor) break;
    cursor = body.next_cursor;
  }
  expect(names).toEqual(['Key 4', 'Key 3', 'Key 2', 'Key 1', 'Key 0', 'Test']);
});

test('a revoked key stops working within a second in every process', async () => {
  const second = await startTestServer({ databaseUrl: server.config.databaseUrl! });
  const { body } = await team.call('POST', '/api-keys', { name: 'Doomed', permission: 'full' });
  const calls = [server, second].map(({ url }) => createCall(url, body.key));
  for (const call of calls) expect((await call('GET', '/team')).status).toBe(200);

  expect((await team.call('DELETE', `/api-keys/${body.id}`)).body).toEqual({ id: body.id, success: true });
  for (const call of calls) {
    await expect
      .poll(async () => (await call('GET', '/team')).status, { timeout: 1_000, interval: 20 })
      .toBe(401);
  }
  expect((await team.call('DELETE', `/api-keys/${body.id}`)).status).toBe(404);
  const { items } = (await team.call('GET', '/api-keys')).body;
  expect(items.map(({ id }: { id: string }) => id)).not.toContain(body.id);
  await second.close();
});

test('a revoked key stops working even if the notification connection was cut', async () => {
  const { body } = await team.call('POST', '/api-keys', { name: 'Cut off', permission: 'full' });
  const call = createCall(server.url, body.key);
  expect((await call('GET', '/team')).status).toBe(200);
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'posthorn-listen' and datname = current_database()`.execute(server.db);
  await team.call('DELETE', `/api-keys/${body.id}`);
  await expect
    .poll(async () => (await call('GET', '/team')).status, { timeout: 1_000, interval: 20 })
    .toBe(401);
});

test('a key stops working when it expires, and its expiry must be in the future', async () => {
  const past = new Date(Date.now() - 1000).toISOString();
  expect(
    (await team.call('POST', '/api-keys', { name: 'x', permission: 'full', expiresAt: past })).status,
  ).toBe(400);
  const soon = new Date(Date.now() + 400).toISOString();
  const { body } = await team.call('POST', '/api-keys', { name: 'x', permission: 'full', expiresAt: soon });
  const call = createCall(server.url, body.key);
  expect((await call('GET', '/team')).status).toBe(200);
  await expect.poll(async () => (await call('GET', '/team')).status, { timeout: 2_000 }).toBe(401);
});

test('requests with a cached key do not each write when it was last used', async () => {
  const { body } = await team.call('POST', '/api-keys', { name: 'Hot', permission: 'full' });
  const call = createCall(server.url, body.key);
  await call('GET', '/team');
  const before = await countUpdates();
  for (let at = 0; at < 50; at++) await call('GET', '/team');
  await expect.poll(async () => (await keyNamed('Hot')).lastUsedAt, { interval: 200 }).not.toBeNull();
  expect((await countUpdates()) - before).toBeLessThan(10);
});

async function countUpdates(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select n_tup_upd::int8 as count from pg_stat_user_tables where relname = 'api_keys'`.execute(server.db);
  return rows[0]!.count;
}

async function keyNamed(name: string): Promise<{ lastUsedAt: string | null }> {
  const { body } = await team.call('GET', '/api-keys');
  return body.items.find((item: { name: string }) => item.name === name);
}

test('a team cannot see or revoke the keys of another team', async () => {
  const other = await server.createTeam();
  const { body } = await team.call('POST', '/api-keys', { name: 'Mine', permission: 'full' });
  expect((await other.call('DELETE', `/api-keys/${body.id}`)).status).toBe(404);
  expect(JSON.stringify((await other.call('GET', '/api-keys')).body)).not.toContain(body.id);
  expect((await createCall(server.url, body.key)('GET', '/team')).status).toBe(200);
});

test.each([
  [{ permission: 'full' }, 400],
  [{ name: 'x' }, 400],
  [{ name: 'x', permission: 'root' }, 400],
  [{ name: 'x', permission: 'full', domainId: 'a' }, 400],
  [{ name: 'x', permission: 'full', domainId: 2 ** 31 }, 400],
  [{ name: 'x', permission: 'full', domainId: 1.5 }, 400],
  [{ name: 'x', permission: 'full', domainId: 4711 }, 404],
  [{ name: 'x', permission: 'full', expiresAt: '2026-02-30T00:00:00Z' }, 400],
  [{ name: 'x', permission: 'full', expiresAt: '2030-01-01T00:00:00' }, 400],
  [{ name: 'x', permission: 'full', expiresAt: 'tomorrow' }, 400],
])('%j is %i', async (input, status) => {
  expect((await team.call('POST', '/api-keys', input)).status).toBe(status);
});

test('the team can be read and renamed', async () => {
  expect((await team.call('PATCH', '/team', { name: ' Harbour ' })).body).toMatchObject({
    id: team.teamId,
    name: 'Harbour',
  });
  expect((await team.call('PATCH', '/team', {})).body.name).toBe('Harbour');
  expect((await team.call('PATCH', '/team', { name: '' })).status).toBe(400);
});
