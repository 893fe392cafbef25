import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
});
afterAll(() => server.close());

test('an address is suppressed once, whatever its case, and stays as it was', async () => {
  const { body: first } = await team.call('POST', '/suppressions', { email: 'Gone@example.org' });
  expect(first).toMatchObject({ email: 'Gone@example.org', reason: 'MANUAL' });
  expect((await team.call('POST', '/suppressions', { email: 'gone@EXAMPLE.org' })).body).toEqual(first);
});

test('adding one that others add and remove at the same time always answers', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const { status, body } = await team.call('POST', '/suppressions', { email: 'race@example.org' });
      if (status === 200) await team.call('DELETE', `/suppressions/${body.id}`);
      return status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});
