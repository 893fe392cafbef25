import { afterEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
afterEach(() => server.close());

test.each([
  ['sandbox', true],
  ['direct', false],
])('with the transport %s, the sandbox is %s', async (transport, sandbox) => {
  server = await startTestServer({ doors: ['http'], env: { MAIL_TRANSPORT: transport } });
  const team = await server.createTeam();
  expect(await team.call('GET', '/instance')).toMatchObject({ status: 200, body: { sandbox } });
  expect((await server.call('GET', '/instance')).status).toBe(401);
});
