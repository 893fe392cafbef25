import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestServer } from '../../testing/test-server.ts';
import {
  startWebhookReceiver,
  type ReceivedCall,
  type WebhookReceiver,
} from '../../testing/servers/webhook-receiver.ts';
import {
  createWebhookTeam,
  startWebhookWorld,
  type WebhookTeam,
  type WebhookWorld,
} from '../../testing/fixtures/webhook-team.ts';
import { dropOldCalls } from './drop-calls.ts';

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
  receiver.mostAtOnce = 0;
  team = await createWebhookTeam(server, receiver.url);
});

function verify(secret: string, call: ReceivedCall): unknown {
  return new Webhook(secret).verify(call.body, call.headers as Record<string, string>);
}

describe('a call', () => {
  test('is signed as Standard Webhooks specifies, and logged with its answer', async () => {
    receiver.answer((_, response) => response.writeHead(201).end('thanks\0'));
    const { id, eventId } = await team.sendTest();
    const [received] = await receiver.waitForCalls(1);
    const payload = {
      type: 'webhook.test',
      timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      data: { webhookId: team.hook.id, message: expect.any(String) },
    };
    expect(verify(team.hook.secret, received!)).toEqual(payload);
    expect(received!.headers).toMatchObject({
      'webhook-id': eventId,
      'content-type': 'application/json',
      'user-agent': 'Posthorn',
    });
    expect(eventId).toMatch(/^evt_/);
    expect(() => new Webhook('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA').verify(received!.body, {})).toThrow();

    const attempt = {
      no: 1,
      at: expect.any(String),
      durationMs: expect.any(Number),
      statusCode: 201,
      answer: 'thanks',
      error: null,
    };
    expect(await team.getCall(id, 1)).toEqual({
      id,
      webhookId: team.hook.id,
      eventId,
      type: 'webhook.test',
      status: 'succeeded',
      attemptCount: 1,
      nextAttemptAt: null,
      lastAttempt: attempt,
      attempts: [attempt],
      payload,
      createdAt: expect.any(String),
    });
  });

  test('verifies with both secrets for a day after a rotation, then only with the new one', async () => {
    const rotated = (await team.call('POST', `/webhooks/${team.hook.id}/rotate-secret`)).body;
    expect(rotated.secret).not.toBe(team.hook.secret);
    await team.sendTest();
    const [both] = await receiver.waitForCalls(1);
    expect(String(both!.headers['webhook-signature']).split(' ')).toHaveLength(2);
    verify(team.hook.secret, both!);
    verify(rotated.secret, both!);
    await sql`
      update webhooks set old_secret_until = now() where team_id = ${team.teamId}
    `.execute(server.db);
    await team.sendTest();
    const [, one] = await receiver.waitForCalls(2);
    verify(rotated.secret, one!);
    expect(() => verify(team.hook.secret, one!)).toThrow();
  });

  test('that fails is retried with the same bytes until it succeeds', async () => {
    receiver.answer((_, response) => response.writeHead(500).end('broken'));
    const { id } = await team.sendTest();
    await receiver.waitForCalls(1);
    const failed = await team.getCall(id, 1);
    expect(failed).toMatchObject({
      status: 'waiting',
      lastAttempt: { statusCode: 500, answer: 'broken', error: 'http_error' },
    });
    const waitMs = Date.parse(failed.nextAttemptAt) - Date.parse(failed.lastAttempt.at);
    expect(waitMs).toBeGreaterThan(3_900);
    expect(waitMs).toBeLessThan(60_000);
    expect(await team.getHook()).toMatchObject({ failures: 1, notice: null, status: 'active' });
    receiver.answer(204);
    await team.moveClock();
    const [first, second] = await receiver.waitForCalls(2);
    expect(second!.body).toBe(first!.body);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    verify(team.hook.secret, second!);
    expect(await team.getCall(id, 2)).toMatchObject({
      status: 'succeeded',
      attempts: [
        { no: 1, error: 'http_error' },
        { no: 2, statusCode: 204, error: null },
      ],
    });
    expect(await team.getHook()).toMatchObject({ failures: 0, failingSince: null });
  });

  test('is given up after three days and can then be replayed', async () => {
    receiver.answer(500);
    const { id, eventId } = await team.sendTest();
    await team.getCall(id, 1);
    await sql`
      update webhook_calls set first_tried_at = now() - interval '3 days' where team_id = ${team.teamId}
    `.execute(server.db);
    await team.moveClock();
    expect(await team.getCall(id, 2)).toMatchObject({ status: 'failed', nextAttemptAt: null });
    const failed = await team.call('GET', `/webhooks/${team.hook.id}/calls?status=failed`);
    expect(failed.body.items).toMatchObject([{ id }]);

    receiver.answer(200);
    const replay = await team.call('POST', `/webhooks/${team.hook.id}/calls/${id}/replay`);
    expect(replay).toMatchObject({ status: 200, body: { id, eventId, status: 'waiting' } });
    const calls = await receiver.waitForCalls(3);
    expect(calls.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId, eventId]);
    expect(await team.getCall(id, 3)).toMatchObject({ status: 'succeeded' });
  });
});

test('replay-failed replays all calls that failed since a time', async () => {
  receiver.answer(500);
  const ids: string[] = [];
  for (let count = 0; count < 3; count++) ids.push((await team.sendTest()).id);
  for (const id of ids) await team.getCall(id, 1);
  await sql`
    update webhook_calls set status = 'failed' where team_id = ${team.teamId}
  `.execute(server.db);
  await sql`
    update webhook_calls set created_at = now() - interval '2 days'
    where team_id = ${team.teamId} and id = (select min(id::text)::uuid from webhook_calls where team_id = ${team.teamId})
  `.execute(server.db);
  receiver.forget();
  receiver.answer(200);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const { body } = await team.call('POST', `/webhooks/${team.hook.id}/replay-failed`, { since });
  expect(body).toEqual({ count: 2 });
  await receiver.waitForCalls(2);
  for (const id of ids.slice(1)) expect(await team.getCall(id, 2)).toMatchObject({ status: 'succeeded' });
  expect((await team.getCall(ids[0]!, 1)).status).toBe('failed');
});

test('calls to one endpoint are made in order, one at a time, and do not delay other endpoints', async () => {
  const slow = await startWebhookReceiver();
  slow.answer((_, response) => void wait(50).then(() => response.end()));
  const slowHook = await team.addHook(slow.url);
  const book = (await team.call('POST', '/contactBooks', { name: 'x' })).body;
  const contacts = Array.from({ length: 30 }, (_, no) => ({
    email: `a${String(no).padStart(2, '0')}@example.com`,
  }));
  await team.call('POST', `/contactBooks/${book.id}/contacts/bulk`, contacts);
  await receiver.waitForCalls(30);
  expect(slow.calls.length).toBeLessThan(30);
  await slow.waitForCalls(30);
  for (const { calls, mostAtOnce } of [receiver, slow]) {
    expect(calls.map(({ json }) => json.data.email)).toEqual(contacts.map(({ email }) => email));
    expect(mostAtOnce).toBe(1);
  }
  const [here, there] = [receiver, slow].map(({ calls }) =>
    calls.map(({ headers }) => headers['webhook-id']),
  );
  expect(there).toEqual(here);
  await team.call('DELETE', `/webhooks/${slowHook.id}`);
  await slow.close();
});

test('calls are kept for 30 days', async () => {
  const old = await team.sendTest();
  const kept = await team.sendTest();
  await team.getCall(old.id, 1);
  await team.getCall(kept.id, 1);
  await sql`
    update webhook_calls set created_at = now() - make_interval(days => case when id = (
      select min(id::text)::uuid from webhook_calls where team_id = ${team.teamId}
    ) then 31 else 29 end)
    where team_id = ${team.teamId}
  `.execute(server.db);
  await dropOldCalls(server.db);
  const { items } = (await team.call('GET', `/webhooks/${team.hook.id}/calls`)).body;
  expect(items).toMatchObject([{ id: kept.id }]);
  const { rows } = await sql<{ count: number }>`
    select count(*) from webhook_attempts where team_id = ${team.teamId}
  `.execute(server.db);
  expect(rows[0]!.count).toBe(1);
});

test('a team cannot read or replay the calls of another team', async () => {
  const { id } = await team.sendTest();
  await receiver.waitForCalls(1);
  const other = await server.createTeam();
  const path = `/webhooks/${team.hook.id}`;
  for (const [method, rest] of [
    ['GET', '/calls'],
    ['GET', `/calls/${id}`],
    ['POST', `/calls/${id}/replay`],
    ['POST', '/test'],
  ] as const) {
    expect((await other.call(method, `${path}${rest}`)).status).toBe(404);
  }
  const since = { since: '2026-01-01T00:00:00Z' };
  expect((await other.call('POST', `${path}/replay-failed`, since)).status).toBe(404);
  expect((await team.call('GET', `${path}/calls`)).body.items).toHaveLength(1);
});

test('the log is listed page by page, by status and type, and is deleted with its webhook', async () => {
  for (let count = 0; count < 3; count++) await team.sendTest();
  await receiver.waitForCalls(3);
  const list = (query: string) => team.call('GET', `/webhooks/${team.hook.id}/calls${query}`);
  const first = (await list('?limit=2')).body;
  expect(first.items).toHaveLength(2);
  expect((await list(`?limit=2&cursor=${first.next_cursor}`)).body.items).toHaveLength(1);
  expect((await list('?type=webhook.test')).body.items).toHaveLength(3);
  expect((await list('?type=email.sent')).body.items).toHaveLength(0);
  expect((await list('?status=failed')).body.items).toHaveLength(0);
  expect((await list('?status=lost')).status).toBe(400);
  expect((await list('?cursor=lost')).status).toBe(400);
  await team.call('DELETE', `/webhooks/${team.hook.id}`);
  expect((await list('')).status).toBe(404);
  for (;;) {
    const { rows } = await sql<{ left: number }>`
      select (select count(*) from webhook_calls where team_id = ${team.teamId})
        + (select count(*) from webhook_attempts where team_id = ${team.teamId}) as left
    `.execute(server.db);
    if (rows[0]!.left === 0) break;
    await wait(50);
  }
});
