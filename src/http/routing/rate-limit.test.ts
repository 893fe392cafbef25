import { expect, test } from 'vitest';
import { startTestServer } from '../../testing/test-server.ts';
import { sendVendorRequest, vendorRequests } from '../../testing/clients/vendor-requests.ts';

test('a request over the limit of its team is 429 with Retry-After, and other teams are not affected', async () => {
  const server = await startTestServer({ env: { RATE_LIMIT: '5' } });
  const team = await server.createTeam();
  const other = await server.createTeam();
  const first = await team.call('GET', '/team');
  expect(first.headers.get('ratelimit-policy')).toBe('"team";q=5;w=60');
  expect(first.headers.get('ratelimit')).toMatch(/^"team";r=4;t=60$/);
  for (let at = 0; at < 4; at++) expect((await team.call('GET', '/team')).status).toBe(200);
  const over = await team.call('GET', '/team');
  expect([over.status, over.body.error.code]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await other.call('GET', '/team')).status).toBe(200);
  for (const [vendor, request] of Object.entries(vendorRequests(team.key, 'shop.test'))) {
    const refused = await sendVendorRequest(server, request);
    expect([refused.status, refused.body], vendor).toEqual([429, request.error]);
    expect(Number(refused.headers.get('retry-after')), vendor).toBeGreaterThan(0);
  }
  await server.close();
});

test('without a limit there are no rate limit headers', async () => {
  const server = await startTestServer();
  const team = await server.createTeam();
  expect((await team.call('GET', '/team')).headers.get('ratelimit')).toBeNull();
  await server.close();
});
