import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
});
afterAll(() => server.close());

async function suppress(email: string, by = team) {
  const { status, body } = await by.call('POST', '/suppressions', { email });
  expect(status).toBe(200);
  return body;
}

async function list(query = '', of = team): Promise<string[]> {
  const { body } = await of.call('GET', `/suppressions${query}`);
  return body.items.map(({ email }: { email: string }) => email);
}

test('an address is suppressed once in any letter case, and entries are listed newest first in pages', async () => {
  const first = await suppress('Gone@Example.org');
  expect(first).toMatchObject({ email: 'Gone@Example.org', reason: 'MANUAL' });
  expect(await suppress('gone@example.org')).toEqual(first);
  await suppress('left@example.org');
  expect(await list()).toEqual(['left@example.org', 'Gone@Example.org']);
  expect(await list('?email=GONE@example.org')).toEqual(['Gone@Example.org']);
  expect(await list('?email=nobody@example.org')).toEqual([]);
  expect(await list('?reason=MANUAL')).toHaveLength(2);
  expect(await list('?reason=COMPLAINT')).toEqual([]);

  const { body } = await team.call('GET', '/suppressions?limit=1');
  expect(await list(`?limit=1&cursor=${body.next_cursor}`)).toEqual(['Gone@Example.org']);
  expect((await team.call('POST', '/suppressions', { email: 'gone@' })).status).toBe(400);
});

test('a removed entry can be added again', async () => {
  const { id } = await suppress('again@example.org');
  expect((await team.call('DELETE', `/suppressions/${id}`)).body).toEqual({ id, success: true });
  expect(await list('?email=again@example.org')).toEqual([]);
  expect((await team.call('DELETE', `/suppressions/${id}`)).status).toBe(404);
  expect((await suppress('again@example.org')).id).not.toBe(id);
});

test('another team can neither see nor remove entries', async () => {
  const other = await server.createTeam();
  const { id } = await suppress('ours@example.org');
  expect(await list('', other)).toEqual([]);
  expect((await other.call('DELETE', `/suppressions/${id}`)).status).toBe(404);
  expect(await list('?email=ours@example.org')).toEqual(['ours@example.org']);
});

test('adding an entry succeeds while others add and remove it', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const { status, body } = await team.call('POST', '/suppressions', { email: 'race@example.org' });
      if (status === 200) await team.call('DELETE', `/suppressions/${body.id}`);
      return status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});
