import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addVerifiedDomain, startRelayWorld, type RelayWorld } from '../../testing/fixtures/relay-world.ts';
import type { TestServer } from '../../testing/test-server.ts';

let world: RelayWorld;
let sink: RelayWorld['sink'];
let server: TestServer;

beforeAll(async () => {
  world = await startRelayWorld();
  ({ sink, server } = world);
});
afterAll(() => world.close());

test('mail from a deleted domain bounces, even if the worker has the domain in its cache', async () => {
  const { call } = await server.createTeam();
  const { id } = await addVerifiedDomain(server, { call }, 'shop.test');
  sink.behave({ replies: { DOT: '451 4.3.0 Try later' } });
  const email = { from: 'a@shop.test', to: 'ada@example.org', subject: 'x', text: 'x' };
  const { emailId } = (await call('POST', '/emails', email)).body;
  const read = async () => (await call('GET', `/emails/${emailId}`)).body;
  const polled = { interval: 100 };
  await expect.poll(async () => (await read()).status, polled).toBe('DELIVERY_DELAYED');

  expect((await call('DELETE', `/domains/${id}`)).status).toBe(200);
  const statusAfterRetry = async () => {
    await sql`update deliveries set due_at = now() where leased_by is null`.execute(server.db);
    return (await read()).status;
  };
  await expect.poll(statusAfterRetry, polled).toBe('BOUNCED');
  expect((await read()).emailEvents.at(-1).data).toMatchObject({
    reason: 'The sending domain was deleted.',
    bounceType: 'soft',
  });
  // The recipient has done nothing, so the reputation does not suffer.
  const { body } = await call('GET', '/analytics/reputation-metrics');
  expect(body).toMatchObject({ hardBounced: 0, bounceRate: 0 });
});
