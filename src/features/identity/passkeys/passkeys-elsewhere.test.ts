/** Where BASE_URL allows no passkeys. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setUpOwner, type TestPerson } from '../../../testing/people.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let owner: TestPerson;

beforeAll(async () => {
  server = await startTestServer({ env: { BASE_URL: 'http://203.0.113.7:3000' } });
  owner = await setUpOwner(server);
});
afterAll(() => server.close());

test('there are no passkeys at an IP address, and nothing else changes', async () => {
  expect((await server.call('GET', '/auth/ways')).body).toEqual({ singleSignOn: false, passkeyOrigin: null });
  for (const path of ['/auth/passkeys/options', '/auth/passkeys/sign-in-options']) {
    const { status, body } = await owner.call('POST', path, {});
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('BASE_URL')]);
  }
  expect((await owner.call('GET', '/auth/passkeys')).body).toEqual({ items: [] });
});
