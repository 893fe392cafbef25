import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startDnsServer } from '../../testing/dns-server.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../testing/servers/webhook-receiver.ts';

const env = {
  WEBHOOK_ALLOW_PRIVATE: 'true',
  INSTANCE_SECRET: 'ab'.repeat(32),
};
let database: TestDatabase;
let receiver: WebhookReceiver;
let http: TestServer;
let team: TestTeam;
let hookId: string;
const servers: TestServer[] = [];

beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
afterAll(() => receiver.close());
beforeEach(async () => {
  receiver.forget();
  receiver.answer(200);
  database = await createTestDatabase();
  http = await open(['http']);
  team = await http.createTeam();
  hookId = (await team.call('POST', '/webhooks', { url: receiver.url, events: ['*'] })).body.id;
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await database.drop();
});

async function open(doors: ('http' | 'worker')[]): Promise<TestServer> {
  const server = await startTestServer({ doors, env, databaseUrl: database.url });
  servers.push(server);
  return server;
}

async function close(server: TestServer): Promise<void> {
  servers.splice(servers.indexOf(server), 1);
  await server.close();
}

async function sendTest(): Promise<string> {
  return (await team.call('POST', `/webhooks/${hookId}/test`)).body.id;
}

async function hasSucceeded(callId: string): Promise<boolean> {
  return (await team.call('GET', `/webhooks/${hookId}/calls/${callId}`)).body.status === 'succeeded';
}

async function waitForSuccess(callId: string): Promise<void> {
  while (!(await hasSucceeded(callId))) await wait(20);
}

test('events announced while no worker ran are sent when one starts', async () => {
  const id = await sendTest();
  await open(['worker']);
  await receiver.waitForCalls(1);
  await waitForSuccess(id);
});

test('an endpoint leased by a dead process is taken over immediately', async () => {
  await sql`
    update webhooks set leased_by = ${randomUUID()}, leased_until = now() + interval '1 hour'
  `.execute(http.db);
  const id = await sendTest();
  await open(['worker']);
  await receiver.waitForCalls(1);
  await waitForSuccess(id);
});

test('a call that was running when the worker closed is made again with the same id', async () => {
  receiver.answer(() => {});
  const id = await sendTest();
  const worker = await open(['worker']);
  await receiver.waitForCalls(1);
  await close(worker);
  expect((await team.call('GET', `/webhooks/${hookId}/calls/${id}`)).body).toMatchObject({
    status: 'waiting',
    attemptCount: 0,
  });
  receiver.answer(200);
  await open(['worker']);
  const [first, second] = await receiver.waitForCalls(2);
  expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
  await waitForSuccess(id);
});

test('two workers make each call once and never two at a time', async () => {
  receiver.answer((_, response) => void wait(5).then(() => response.end()));
  receiver.mostAtOnce = 0;
  await Promise.all([open(['worker']), open(['worker'])]);
  const ids: string[] = [];
  for (let count = 0; count < 60; count++) ids.push(await sendTest());
  await receiver.waitForCalls(60);
  for (const id of ids) await waitForSuccess(id);
  expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(60);
  expect(receiver.calls).toHaveLength(60);
  expect(receiver.mostAtOnce).toBe(1);
});

test('a changed URL applies from the next call', async () => {
  receiver.answer((call, response) => {
    if (call.path !== '/hook') return response.end();
    void team
      .call('PATCH', `/webhooks/${hookId}`, { url: receiver.url.replace('/hook', '/new') })
      .then(() => response.end());
  });
  for (let count = 0; count < 3; count++) await sendTest();
  await open(['worker']);
  await receiver.waitForCalls(3);
  expect(receiver.calls.map(({ path }) => path)).toEqual(['/hook', '/new', '/new']);
});

test('a host name with a private address is not called unless private addresses are allowed', async () => {
  const dns = await startDnsServer({ 'hook.example.com': { A: ['127.0.0.1'] } });
  const restricted = await startTestServer({ doors: ['http', 'worker'], env: { DNS_SERVERS: dns.address } });
  const { key } = await restricted.createTeam();
  const call = createCall(restricted.url, key);
  const url = `http://hook.example.com:${receiver.port}/hook`;
  const { id } = (await call('POST', '/webhooks', { url, events: ['*'] })).body;
  const { id: callId } = (await call('POST', `/webhooks/${id}/test`)).body;
  for (;;) {
    const { body } = await call('GET', `/webhooks/${id}/calls/${callId}`);
    if (body.attemptCount > 0) {
      expect(body).toMatchObject({ status: 'waiting', lastAttempt: { error: 'private_address' } });
      break;
    }
    await wait(20);
  }
  expect(receiver.calls).toHaveLength(0);
  await restricted.close();
  await dns.close();
});
