import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dropOldCalls } from './drop-calls.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';
import {
  startWebhookReceiver,
  type ReceivedCall,
  type WebhookReceiver,
} from '../../testing/webhook-receiver.ts';

let server: TestServer;
let receiver: WebhookReceiver;
let team: TestTeam;
let hook: { id: string; secret: string };

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'], env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await server.close();
  await receiver.close();
});
beforeEach(async () => {
  receiver.forget();
  receiver.answer(200);
  receiver.mostAtOnce = 0;
  team = await server.createTeam();
  hook = await addHook(receiver.url);
});

async function addHook(url: string, by = team): Promise<{ id: string; secret: string }> {
  const { status, body } = await by.call('POST', '/webhooks', { url, events: ['*'] });
  expect(status).toBe(200);
  return body;
}

async function sendTest(id = hook.id) {
  const { status, body } = await team.call('POST', `/webhooks/${id}/test`);
  expect(status).toBe(200);
  return body;
}

async function getHook(id = hook.id) {
  return (await team.call('GET', `/webhooks/${id}`)).body;
}

/** The call, once it was tried so often and written down. */
async function getCall(callId: string, attempts: number, id = hook.id) {
  for (;;) {
    const { body } = await team.call('GET', `/webhooks/${id}/calls/${callId}`);
    if (body.attemptCount >= attempts) return body;
    await wait(20);
  }
}

/** What was put off is due now. */
async function moveClock(): Promise<void> {
  await sql`update webhooks set rests_until = now() where team_id = ${team.teamId}`.execute(server.db);
  await sql`update webhook_calls set due_at = now() where team_id = ${team.teamId}`.execute(server.db);
}

function verify(secret: string, call: ReceivedCall): unknown {
  return new Webhook(secret).verify(call.body, call.headers as Record<string, string>);
}

describe('a call', () => {
  test('is signed as Standard Webhooks asks, and written down with its answer', async () => {
    receiver.answer((_, response) => response.writeHead(201).end('thanks\0'));
    const { id, eventId } = await sendTest();
    const [received] = await receiver.waitForCalls(1);
    const payload = {
      type: 'webhook.test',
      timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      data: { webhookId: hook.id, message: expect.any(String) },
    };
    expect(verify(hook.secret, received!)).toEqual(payload);
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
    expect(await getCall(id, 1)).toEqual({
      id,
      webhookId: hook.id,
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

  test('verifies with both secrets for a day after a rotation, then with the new one alone', async () => {
    const rotated = (await team.call('POST', `/webhooks/${hook.id}/rotate-secret`)).body;
    expect(rotated.secret).not.toBe(hook.secret);
    await sendTest();
    const [both] = await receiver.waitForCalls(1);
    expect(String(both!.headers['webhook-signature']).split(' ')).toHaveLength(2);
    verify(hook.secret, both!);
    verify(rotated.secret, both!);
    await sql`
      update webhooks set old_secret_until = now() where team_id = ${team.teamId}
    `.execute(server.db);
    await sendTest();
    const [, one] = await receiver.waitForCalls(2);
    verify(rotated.secret, one!);
    expect(() => verify(hook.secret, one!)).toThrow();
  });

  test('that fails is made again, the same byte for byte, until it is taken', async () => {
    receiver.answer((_, response) => response.writeHead(500).end('broken'));
    const { id } = await sendTest();
    await receiver.waitForCalls(1);
    const failed = await getCall(id, 1);
    expect(failed).toMatchObject({
      status: 'waiting',
      lastAttempt: { statusCode: 500, answer: 'broken', error: 'http_error' },
    });
    const waitMs = Date.parse(failed.nextAttemptAt) - Date.parse(failed.lastAttempt.at);
    expect(waitMs).toBeGreaterThan(3_900);
    expect(waitMs).toBeLessThan(60_000);
    expect(await getHook()).toMatchObject({ failures: 1, notice: null, status: 'active' });
    receiver.answer(204);
    await moveClock();
    const [first, second] = await receiver.waitForCalls(2);
    expect(second!.body).toBe(first!.body);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    verify(hook.secret, second!);
    expect(await getCall(id, 2)).toMatchObject({
      status: 'succeeded',
      attempts: [
        { no: 1, error: 'http_error' },
        { no: 2, statusCode: 204, error: null },
      ],
    });
    expect(await getHook()).toMatchObject({ failures: 0, failingSince: null });
  });

  test('is given up after three days, and replayed when asked', async () => {
    receiver.answer(500);
    const { id, eventId } = await sendTest();
    await getCall(id, 1);
    await sql`
      update webhook_calls set first_tried_at = now() - interval '3 days' where team_id = ${team.teamId}
    `.execute(server.db);
    await moveClock();
    expect(await getCall(id, 2)).toMatchObject({ status: 'failed', nextAttemptAt: null });
    const failed = await team.call('GET', `/webhooks/${hook.id}/calls?status=failed`);
    expect(failed.body.items).toMatchObject([{ id }]);

    receiver.answer(200);
    const replay = await team.call('POST', `/webhooks/${hook.id}/calls/${id}/replay`);
    expect(replay).toMatchObject({ status: 200, body: { id, eventId, status: 'waiting' } });
    const calls = await receiver.waitForCalls(3);
    expect(calls.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId, eventId]);
    expect(await getCall(id, 3)).toMatchObject({ status: 'succeeded' });
  });
});

test('all that failed since a time is replayed, in order', async () => {
  receiver.answer(500);
  const ids: string[] = [];
  for (let count = 0; count < 3; count++) ids.push((await sendTest()).id);
  for (const id of ids) await getCall(id, 1);
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
  const { body } = await team.call('POST', `/webhooks/${hook.id}/replay-failed`, { since });
  expect(body).toEqual({ count: 2 });
  await receiver.waitForCalls(2);
  for (const id of ids.slice(1)) expect(await getCall(id, 2)).toMatchObject({ status: 'succeeded' });
  expect((await getCall(ids[0]!, 1)).status).toBe('failed');
});

test('calls to one endpoint go out one at a time and in order; another endpoint does not wait for it', async () => {
  const slow = await startWebhookReceiver();
  slow.answer((_, response) => void wait(50).then(() => response.end()));
  const slowHook = await addHook(slow.url);
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

test('one that failed is passed by, and an endpoint that keeps failing rests', async () => {
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

async function waitForHook(isSo: (hook: { failures: number; status: string }) => boolean) {
  for (;;) {
    const found = await getHook();
    if (isSo(found)) return found;
    await wait(20);
  }
}

test('Retry-After is waited for, by the call and by the endpoint', async () => {
  receiver.answer((_, response) => response.writeHead(429, { 'retry-after': '1800' }).end());
  const { id } = await sendTest();
  const { nextAttemptAt, lastAttempt } = await getCall(id, 1);
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
  const { id } = await sendTest();
  expect(await getCall(id, 1)).toMatchObject({ status: 'failed' });
  expect(await getHook()).toMatchObject({
    status: 'disabled',
    pausedReason: 'gone',
    notice: expect.stringContaining('410'),
  });
  expect((await team.call('POST', `/webhooks/${hook.id}/test`)).status).toBe(409);
  expect((await team.call('POST', `/webhooks/${hook.id}/calls/${id}/replay`)).status).toBe(409);
  await team
    .call('POST', '/contactBooks', { name: 'x' })
    .then(({ body }) => team.call('POST', `/contactBooks/${body.id}/contacts`, { email: 'ada@example.com' }));
  expect((await team.call('GET', `/webhooks/${hook.id}/calls`)).body.items).toHaveLength(1);
  await team.call('PATCH', `/webhooks/${hook.id}`, { status: 'active' });
  receiver.answer(200);
  expect(await getCall((await sendTest()).id, 1)).toMatchObject({ status: 'succeeded' });
});

test('30 failures in a row over a day pause it; what waits is told when it is active again', async () => {
  receiver.answer(500);
  const first = await sendTest();
  await getCall(first.id, 1);
  await sql`
    update webhooks set failures = 28, failing_since = now() - interval '25 hours' where team_id = ${team.teamId}
  `.execute(server.db);
  await moveClock();
  await getCall(first.id, 2);
  expect(await getHook()).toMatchObject({ failures: 29, status: 'active' });
  await moveClock();
  await getCall(first.id, 3);
  expect(await getHook()).toMatchObject({
    failures: 30,
    status: 'paused',
    pausedReason: 'failures',
    notice: expect.stringMatching(/^Paused: 30 calls in a row have failed since .*http_error \(500\)/),
  });
  const book = (await team.call('POST', '/contactBooks', { name: 'x' })).body;
  await team.call('POST', `/contactBooks/${book.id}/contacts`, { email: 'ada@example.com' });
  receiver.forget();
  await moveClock();
  await wait(700);
  expect(receiver.calls).toHaveLength(0);

  receiver.answer(200);
  const { body } = await team.call('PATCH', `/webhooks/${hook.id}`, { status: 'active' });
  expect(body).toMatchObject({ status: 'active', failures: 0, failingSince: null, notice: null });
  const calls = await receiver.waitForCalls(2);
  expect(calls.map(({ json }) => json.type)).toEqual(['webhook.test', 'contact.created']);
});

test('the owners of the team get a mail when it is paused', async () => {
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
  await sql`
    update webhooks set failures = 29, failing_since = now() - interval '25 hours', events = '{domain.failed}'
    where team_id = ${team.teamId}
  `.execute(server.db);
  receiver.answer(500);
  await sendTest();
  for (;;) {
    const { items } = (await team.call('GET', '/emails')).body;
    if (items.length > 0) {
      expect(items).toMatchObject([
        { from: `no-reply@t${team.teamId}.test`, subject: 'A webhook of your team was paused' },
      ]);
      const owners = ['ada', 'grace'].map((name) => `${name}${team.teamId}@example.com`);
      expect(items[0].to.toSorted()).toEqual(owners);
      const { text } = (await team.call('GET', `/emails/${items[0].id}`)).body;
      expect(text).toContain(receiver.url);
      break;
    }
    await wait(50);
  }
});

test('calls are kept for 30 days', async () => {
  const old = await sendTest();
  const kept = await sendTest();
  await getCall(old.id, 1);
  await getCall(kept.id, 1);
  await sql`
    update webhook_calls set created_at = now() - make_interval(days => case when id = (
      select min(id::text)::uuid from webhook_calls where team_id = ${team.teamId}
    ) then 31 else 29 end)
    where team_id = ${team.teamId}
  `.execute(server.db);
  await dropOldCalls(server.db);
  const { items } = (await team.call('GET', `/webhooks/${hook.id}/calls`)).body;
  expect(items).toMatchObject([{ id: kept.id }]);
  const { rows } = await sql<{ count: number }>`
    select count(*) from webhook_attempts where team_id = ${team.teamId}
  `.execute(server.db);
  expect(rows[0]!.count).toBe(1);
});

test('30 failures within a day do not pause it', async () => {
  receiver.answer(500);
  const { id } = await sendTest();
  await getCall(id, 1);
  await sql`
    update webhooks set failures = 40, failing_since = now() - interval '23 hours' where team_id = ${team.teamId}
  `.execute(server.db);
  await moveClock();
  await getCall(id, 2);
  expect(await getHook()).toMatchObject({ failures: 41, status: 'active' });
});

test('the log goes page by page, by status and type, and a webhook that is deleted takes it along', async () => {
  for (let count = 0; count < 3; count++) await sendTest();
  await receiver.waitForCalls(3);
  const list = (query: string) => team.call('GET', `/webhooks/${hook.id}/calls${query}`);
  const first = (await list('?limit=2')).body;
  expect(first.items).toHaveLength(2);
  expect((await list(`?limit=2&cursor=${first.next_cursor}`)).body.items).toHaveLength(1);
  expect((await list('?type=webhook.test')).body.items).toHaveLength(3);
  expect((await list('?type=email.sent')).body.items).toHaveLength(0);
  expect((await list('?status=failed')).body.items).toHaveLength(0);
  expect((await list('?status=lost')).status).toBe(400);
  expect((await list('?cursor=lost')).status).toBe(400);
  await team.call('DELETE', `/webhooks/${hook.id}`);
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
