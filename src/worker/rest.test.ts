import { expect, test } from 'vitest';
import { untilNextStart } from '../features/campaigns/runner.ts';
import { untilNextDelivery } from '../features/deliveries/claim.ts';
import { startTestServer } from '../testing/test-server.ts';

test('who has nothing to do rests, and does not ask the database again at once', async () => {
  const server = await startTestServer();
  expect(await untilNextDelivery(server.db)).toBeNull();
  expect(await untilNextStart(server.db)).toBe(5_000);
  await server.close();
});
