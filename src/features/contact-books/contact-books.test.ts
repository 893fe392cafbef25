import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
});
afterAll(() => server.close());

test('a book is made with good defaults', async () => {
  const { status, body } = await team.call('POST', '/contactBooks', { name: '  Newsletter ' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    name: 'Newsletter',
    teamId: team.teamId,
    emoji: '📙',
    variables: [],
    properties: {},
  });
  expect(body).toMatchObject({ doubleOptInEnabled: false, doubleOptInFrom: null, _count: { contacts: 0 } });
  expect(body.doubleOptInContent).toContain('{{doubleOptInUrl}}');
  expect((await team.call('GET', `/contactBooks/${body.id}`)).body).toEqual(body);
});
