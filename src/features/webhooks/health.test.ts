import { sql } from 'kysely';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestServer } from '../../testing/test-server.ts';
import type { WebhookReceiver } from '../../testing/servers/webhook-receiver.ts';
import {
  createWebhookTeam,
  startWebhookWorld,
  type WebhookTeam,
  type WebhookWorld,
} from '../../testing/fixtures/webhook-team.ts';

let world: WebhookWorld;
let server: TestServer;
let receiver: WebhookReceiver;
let team: WebhookTeam;

beforeAll(async () => {
  world = await startWebhookWorld();
  ({ server, receiver } = world);
});
afterAll(() => world.close());
// Calls that a test left for retry must not reach the next test.
afterEach(() => sql`update webhooks set status = 'disabled'`.execute(server.db));
beforeEach(async () => {
  receiver.forget();
  receiver.answer(200);
  team = await createWebhookTeam(server, receiver.url);
});

test('later calls go on after a failed one, and an endpoint that keeps failing backs off', async () => {
  receiver.answer(({ json }, response) =>
    response.writeHead(json.data.email === 'a0@example.com' ? 500 : 200).end(),
  );
  const book = (await team.call('POST', '/contactBooks', { name: 'x' })).body;
  const addContacts = (names: string[]) =>
    team.call(
      'POST',
      `/contactBooks/${book.id}/contacts/bulk`,
      names.map((name) => ({ email: `${name}@example.com` })),
    );
  await addContacts(['a0', 'a1', 'a2']);
  await receiver.waitForCalls(3);

  receiver.answer(503);
  receiver.forget();
  await addContacts(['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7']);
  await receiver.waitForCalls(5);
  const resting = await waitForHook(({ failures }) => failures >= 5);
  expect(resting).toMatchObject({ failures: 5, status: 'active', notice: expect.stringContaining('503') });
  await wait(700);
  expect(receiver.calls).toHaveLength(5);
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from rests_until - now())::float8 as seconds from webhooks where team_id = ${team.teamId}
  `.execute(server.db);
  expect(rows[0]!.seconds).toBeGreaterThan(50);
});

async function waitForHook(matches: (hook: { failures: number; status: string }) => boolean) {
  for (;;) {
    const found = await team.getHook();
    if (matches(found)) return found;
    await wait(20);
  }
}

test('Retry-After delays both the call and the endpoint', async () => {
  receiver.answer((_, response) => response.writeHead(429, { 'retry-after': '1800' }).end());
  const { id } = await team.sendTest();
  const { nextAttemptAt, lastAttempt } = await team.getCall(id, 1);
  const waitMs = Date.parse(nextAttemptAt) - Date.parse(lastAttempt.at);
  expect(waitMs).toBeGreaterThanOrEqual(1_800_000);
  expect(waitMs).toBeLessThan(1_860_000);
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from rests_until - now())::float8 as seconds from webhooks where team_id = ${team.teamId}
  `.execute(server.db);
  expect(rows[0]!.seconds).toBeGreaterThan(1_700);
});

test('410 disables a webhook until it is set active again', async () => {
  receiver.answer(410);
  const { id } = await team.sendTest();
  expect(await team.getCall(id, 1)).toMatchObject({ status: 'failed' });
  expect(await team.getHook()).toMatchObject({
    status: 'disabled',
    pausedReason: 'gone',
    notice: expect.stringContaining('410'),
  });
  expect((await team.call('POST', `/webhooks/${team.hook.id}/test`)).status).toBe(409);
  expect((await team.call('POST', `/webhooks/${team.hook.id}/calls/${id}/replay`)).status).toBe(409);
  await team
    .call('POST', '/contactBooks', { name: 'x' })
    .then(({ body }) => team.call('POST', `/contactBooks/${body.id}/contacts`, { email: 'ada@example.com' }));
  expect((await team.call('GET', `/webhooks/${team.hook.id}/calls`)).body.items).toHaveLength(1);
  await team.call('PATCH', `/webhooks/${team.hook.id}`, { status: 'active' });
  receiver.answer(200);
  expect(await team.getCall((await team.sendTest()).id, 1)).toMatchObject({ status: 'succeeded' });
});

test('30 failures in a row over a day pause a webhook; waiting calls are made when it is active again', async () => {
  receiver.answer(500);
  const first = await team.sendTest();
  await team.getCall(first.id, 1);
  await sql`
    update webhooks set failures = 28, failing_since = now() - interval '25 hours' where team_id = ${team.teamId}
  `.execute(server.db);
  await team.moveClock();
  await team.getCall(first.id, 2);
  expect(await team.getHook()).toMatchObject({ failures: 29, status: 'active' });
  await team.moveClock();
  await team.getCall(first.id, 3);
  expect(await team.getHook()).toMatchObject({
    failures: 30,
    status: 'paused',
    pausedReason: 'failures',
    notice: expect.stringMatching(
      /^Paused: 30 deliveries in a row have failed since .* returned status 500\./,
    ),
  });
  const book = (await team.call('POST', '/contactBooks', { name: 'x' })).body;
  await team.call('POST', `/contactBooks/${book.id}/contacts`, { email: 'ada@example.com' });
  receiver.forget();
  await team.moveClock();
  await wait(700);
  expect(receiver.calls).toHaveLength(0);

  receiver.answer(200);
  const { body } = await team.call('PATCH', `/webhooks/${team.hook.id}`, { status: 'active' });
  expect(body).toMatchObject({ status: 'active', failures: 0, failingSince: null, notice: null });
  const calls = await receiver.waitForCalls(2);
  // Both calls are due, so they are made at the same time and can arrive in either order.
  expect(calls.map(({ json }) => json.type).toSorted()).toEqual(['contact.created', 'webhook.test']);
});

test("the team's owners get an email when a webhook is paused", async () => {
  const { body: domain } = await team.call('POST', '/domains', { name: `t${team.teamId}.test` });
  await team.call('PUT', `/domains/${domain.id}/verify`);
  for (const [name, role] of Object.entries({ ada: 'owner', grace: 'owner', alan: 'member' })) {
    const email = `${name}${team.teamId}@example.com`;
    await sql`
      with person as (
        insert into users (id, email, email_key, name, password_hash)
        values (gen_random_uuid(), ${email}, ${email}, ${name}, '') returning id
      )
      insert into memberships (team_id, user_id, role) select ${team.teamId}, id, ${role} from person
    `.execute(server.db);
  }
  await team.call('PATCH', `/webhooks/${team.hook.id}`, { url: `${receiver.url}/T0x1/sesame?token=sesame` });
  await sql`
    update webhooks set failures = 29, failing_since = now() - interval '25 hours', events = '{domain.failed}'
    where team_id = ${team.teamId}
  `.execute(server.db);
  receiver.answer(500);
  await team.sendTest();
  for (;;) {
    const { items } = (await team.call('GET', '/emails')).body;
    if (items.length > 0) {
      expect(items).toMatchObject([
        { from: `no-reply@t${team.teamId}.test`, subject: 'A webhook of your team was paused' },
      ]);
      const owners = ['ada', 'grace'].map((name) => `${name}${team.teamId}@example.com`);
      expect(items[0].to.toSorted()).toEqual(owners);
      const { text } = (await team.call('GET', `/emails/${items[0].id}`)).body;
      expect(text).toContain(`The webhook ${receiver.url}/… was paused.`);
      break;
    }
    await wait(50);
  }
});

test('30 failures within a day do not pause a webhook', async () => {
  receiver.answer(500);
  const { id } = await team.sendTest();
  await team.getCall(id, 1);
  await sql`
    update webhooks set failures = 40, failing_since = now() - interval '23 hours' where team_id = ${team.teamId}
  `.execute(server.db);
  await team.moveClock();
  await team.getCall(id, 2);
  expect(await team.getHook()).toMatchObject({ failures: 41, status: 'active' });
});
