import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addVerifiedDomain, startRelayWorld, type RelayWorld } from '../../testing/fixtures/relay-world.ts';
import type { TestServer, TestTeam } from '../../testing/test-server.ts';

const LATER = '451 4.3.0 Try later';
const polled = { interval: 100 };
let world: RelayWorld;
let sink: RelayWorld['sink'];
let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  world = await startRelayWorld();
  ({ sink, server } = world);
  team = await server.createTeam();
  await addVerifiedDomain(server, team, 'shop.test');
});
afterAll(() => world.close());

async function send(to: string[]): Promise<string> {
  const email = { from: 'a@shop.test', to, subject: 'x', text: 'x' };
  return (await team.call('POST', '/emails', email)).body.emailId;
}

async function read(emailId: string) {
  return (await team.call('GET', `/emails/${emailId}`)).body;
}

async function statusAfterRetry(emailId: string): Promise<string> {
  await sql`update deliveries set due_at = now() where leased_by is null`.execute(server.db);
  return (await read(emailId)).status;
}

test('an address that is suppressed after the first attempt gets no retry', async () => {
  sink.behave({ rcptReplies: { 'ada@example.org': LATER } });
  const emailId = await send(['ada@example.org']);
  await expect.poll(async () => (await read(emailId)).status, polled).toBe('DELIVERY_DELAYED');

  await team.call('POST', '/suppressions', { email: 'Ada@example.org' });
  sink.behave({ rcptReplies: {} });
  await expect.poll(() => statusAfterRetry(emailId), polled).toBe('SUPPRESSED');
  expect(sink.messages).toEqual([]);
  expect((await read(emailId)).emailEvents.at(-1)).toMatchObject({
    status: 'SUPPRESSED',
    recipient: 'ada@example.org',
    data: { reason: 'The address was suppressed after the last attempt.' },
  });
  const left = await sql`select from deliveries`.execute(server.db);
  expect(left.rows).toEqual([]);
  const counts = (await team.call('GET', '/analytics/reputation-metrics')).body;
  expect(counts).toMatchObject({ delivered: 0, hardBounced: 0 });
});

test('the other recipients get the email and decide its status', async () => {
  sink.behave({ rcptReplies: { 'bob@example.org': LATER, 'eve@example.org': LATER } });
  const emailId = await send(['bob@example.org', 'eve@example.org']);
  const delays = async () =>
    (await read(emailId)).emailEvents.filter(
      (event: { status: string }) => event.status === 'DELIVERY_DELAYED',
    );
  await expect.poll(async () => (await delays()).length, polled).toBe(2);

  await team.call('POST', '/suppressions', { email: 'bob@example.org' });
  sink.behave({ rcptReplies: {} });
  await expect.poll(() => statusAfterRetry(emailId), polled).toBe('DELIVERED');
  expect(sink.messages.map(({ recipients }) => recipients)).toEqual([['eve@example.org']]);
});
