import { sql } from 'kysely';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../platform/database/database.ts';
import { addDomain } from '../../testing/factories.ts';
import type { TestServer, TestTeam } from '../../testing/test-server.ts';
import { expectDocumentedFields, type WebhookReceiver } from '../../testing/servers/webhook-receiver.ts';
import { startWebhookWorld, type WebhookWorld } from '../../testing/fixtures/webhook-team.ts';
import { recordEvents } from '../events/record-events.ts';

let world: WebhookWorld;
let server: TestServer;
let receiver: WebhookReceiver;
let team: TestTeam;
let bookId: string;

beforeAll(async () => {
  world = await startWebhookWorld();
  ({ server, receiver } = world);
});
afterAll(() => world.close());
beforeEach(async () => {
  receiver.forget();
  team = await server.createTeam();
  bookId = (await team.call('POST', '/contactBooks', { name: 'x' })).body.id;
});

async function addHook(events: string[], of = team): Promise<string> {
  const url = `${receiver.url}/${of.teamId}`;
  return (await of.call('POST', '/webhooks', { url, events })).body.id;
}

/** Waits for calls to this team. Calls of earlier tests' teams may still arrive and are ignored. */
async function receiveCalls(count: number) {
  for (;;) {
    const ours = receiver.calls.filter(({ path }) => path === `/hook/${team.teamId}`);
    if (ours.length >= count) return ours.map(({ json }) => json);
    await wait(10);
  }
}

async function receivePayloads(count: number) {
  const payloads = await receiveCalls(count);
  expectDocumentedFields(payloads);
  return payloads;
}

async function receiveTypes(count: number): Promise<string[]> {
  return (await receiveCalls(count)).map(({ type }) => type);
}

async function countCalls(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from webhook_calls where team_id = ${team.teamId}
  `.execute(server.db);
  return rows[0]!.count;
}

function addContact(input: object) {
  return team.call('POST', `/contactBooks/${bookId}/contacts`, input);
}

async function send(input: object = {}): Promise<string> {
  const { status, body } = await team.call('POST', '/emails', {
    from: `Ada <ada@t${team.teamId}.test>`,
    to: ['grace@example.com'],
    subject: 'Hello',
    text: 'Hi',
    ...input,
  });
  expect(status).toBe(200);
  return body.emailId;
}

async function readEmail(emailId: string) {
  return (await team.call('GET', `/emails/${emailId}`)).body;
}

describe('emails', () => {
  beforeEach(async () => {
    const { body } = await team.call('POST', '/domains', { name: `t${team.teamId}.test` });
    await team.call('PUT', `/domains/${body.id}/verify`);
  });

  test('are announced in order from queued to delivered', async () => {
    await addHook(['email.*']);
    const labels = { tags: [{ name: 'kind', value: 'welcome' }], metadata: { order: '4711' } };
    const emailId = await send(labels);
    const payloads = await receivePayloads(3);
    const data = {
      emailId,
      ...labels,
      from: `Ada <ada@t${team.teamId}.test>`,
      to: ['grace@example.com'],
      subject: 'Hello',
    };
    const recipient = 'grace@example.com';
    expect(payloads).toEqual([
      expect.objectContaining({
        type: 'email.queued',
        data: { ...data, recipient: null, status: 'QUEUED', details: null },
      }),
      expect.objectContaining({
        type: 'email.sent',
        data: { ...data, recipient, status: 'SENT', details: null },
      }),
      expect.objectContaining({
        type: 'email.delivered',
        data: { ...data, recipient, status: 'DELIVERED', details: expect.any(Object) },
      }),
    ]);
    const { emailEvents } = await readEmail(emailId);
    expect(payloads.map(({ timestamp }) => timestamp)).toEqual(
      emailEvents.map(({ createdAt }: { createdAt: string }) => createdAt),
    );
  });

  test('are announced when they are scheduled, cancelled, released and suppressed', async () => {
    await addHook(['email.scheduled', 'email.cancelled', 'email.suppressed', 'email.queued']);
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const cancelled = await send({ scheduledAt });
    await team.call('POST', `/emails/${cancelled}/cancel`);
    expect(await receiveTypes(2)).toEqual(['email.scheduled', 'email.cancelled']);

    const later = await send({ scheduledAt });
    await team.call('PATCH', `/emails/${later}`, { scheduledAt: new Date().toISOString() });
    expect(await receiveTypes(4)).toEqual([
      'email.scheduled',
      'email.cancelled',
      'email.scheduled',
      'email.queued',
    ]);

    await team.call('POST', '/suppressions', { email: 'gone@example.com' });
    receiver.forget();
    const suppressed = await send({ to: ['gone@example.com'] });
    expect(await receivePayloads(1)).toMatchObject([
      { type: 'email.suppressed', data: { emailId: suppressed, recipient: 'gone@example.com' } },
    ]);
  });

  test('opens and clicks without a known recipient match the documented examples', async () => {
    await addHook(['email.opened', 'email.clicked']);
    const html = '<p><a href="https://example.com/">Hello</a></p>';
    const emailId = await send({ html, tracking: { opens: true, clicks: true } });
    await expect.poll(async () => (await readEmail(emailId)).status).toBe('DELIVERED');
    const [click, open] = (await readEmail(emailId)).html.match(/\/t\/[co]\/[\w-]+/g);
    for (const path of [open, click]) {
      await fetch(`${server.url}${path}`, { redirect: 'manual', headers: { 'user-agent': 'Firefox/140.0' } });
    }

    const { items } = (await team.call('GET', '/webhooks/events')).body;
    for (const { type, data } of await receivePayloads(2)) {
      const shown = items.find((item: { type: string }) => item.type === type).example.data;
      expect(data).toMatchObject({ emailId, recipient: shown.recipient, status: shown.status });
      expect(Object.keys(data.details).toSorted()).toEqual(Object.keys(shown.details).toSorted());
    }
  });

  test('a rejected batch announces nothing', async () => {
    await addHook(['*']);
    const good = { from: `a@t${team.teamId}.test`, to: 'b@example.com', subject: 'x', text: 'x' };
    const { status } = await team.call('POST', '/emails/batch', [
      good,
      { ...good, from: 'a@elsewhere.test' },
    ]);
    expect(status).toBe(400);
    expect(await countCalls()).toBe(0);
  });
});

async function findInList(): Promise<object> {
  await addContact({ email: 'listed@example.com' });
  return (await team.call('GET', `/contactBooks/${bookId}/contacts?email=listed@example.com`)).body.items[0];
}

describe('contacts', () => {
  test('are announced as the API shows them when added, changed, unsubscribed and deleted', async () => {
    await addHook(['contact.*']);
    const { contactId } = (
      await addContact({
        email: 'Ada@Example.com',
        firstName: 'Ada',
        properties: { city: 'London', old: null },
      })
    ).body;
    const path = `/contactBooks/${bookId}/contacts/${contactId}`;
    const shown: unknown[] = [(await team.call('GET', path)).body];
    await addContact({ email: 'ada@example.com', lastName: 'Lovelace' });
    shown.push((await team.call('GET', path)).body);
    await team.call('PATCH', path, { subscribed: false });
    shown.push((await team.call('GET', path)).body, (await team.call('GET', path)).body);
    await team.call('PATCH', path, { firstName: null });
    shown.push((await team.call('GET', path)).body, (await team.call('GET', path)).body);
    await team.call('DELETE', path);
    const payloads = await receivePayloads(6);
    expect(payloads.map(({ type }) => type)).toEqual([
      'contact.created',
      'contact.updated',
      'contact.updated',
      'contact.unsubscribed',
      'contact.updated',
      'contact.deleted',
    ]);
    // A single contact has more fields than contacts in lists and webhooks.
    for (const [at, { data }] of payloads.entries()) expect(shown[at]).toMatchObject(data);
    expect(new Set(Object.keys(payloads[0]!.data))).toEqual(new Set(Object.keys(await findInList())));
  });

  test('are announced once as unsubscribed by POST, PUT or bulk', async () => {
    const emails = ['a@example.com', 'b@example.com', 'c@example.com'];
    const ids = [];
    for (const email of emails) ids.push((await addContact({ email })).body.contactId);
    await addHook(['contact.unsubscribed']);
    await addContact({ email: 'a@example.com', subscribed: false });
    await addContact({ email: 'a@example.com', subscribed: false });
    const path = `/contactBooks/${bookId}/contacts`;
    await team.call('PUT', `${path}/${ids[1]}`, { email: 'b@example.com', subscribed: false });
    await team.call('POST', `${path}/bulk`, [{ email: 'c@example.com', subscribed: false }]);
    const payloads = await receivePayloads(3);
    expect(payloads.map(({ data }) => data.id)).toEqual(ids);
    expect(payloads.map(({ data }) => data.unsubscribeReason)).toEqual(emails.map(() => 'UNSUBSCRIBED'));
    expect(await countCalls()).toBe(3);
  });

  test('10,000 in one request are announced in its transaction, with the same event for each webhook', async () => {
    await addHook(['contact.created']);
    await addHook(['*']);
    await addHook(['email.*']);
    await sql`update webhooks set status = 'paused' where team_id = ${team.teamId}`.execute(server.db);
    const contacts = Array.from({ length: 10_000 }, (_, no) => ({ email: `a${no}@example.com` }));
    await team.call('POST', `/contactBooks/${bookId}/contacts/bulk`, contacts);
    const { rows } = await sql<{ calls: number; batches: number; events: number }>`
      select count(*) as calls, count(distinct (id, last_id)) as batches, (
        select count(distinct event_id) from webhook_events where team_id = ${team.teamId}
      ) as events
      from webhook_calls where team_id = ${team.teamId}
    `.execute(server.db);
    expect(rows).toEqual([{ calls: 2, batches: 1, events: 10_000 }]);
  });

  test('a rejected bulk request announces nothing', async () => {
    await addHook(['*']);
    const bulk = [{ email: 'a@example.com' }, { email: 'nonsense' }];
    await team.call('POST', `/contactBooks/${bookId}/contacts/bulk`, bulk);
    expect(await countCalls()).toBe(0);
  });

  test('a request repeated with its Idempotency-Key is announced once', async () => {
    await addHook(['*']);
    const headers = { 'idempotency-key': 'k1' };
    for (let count = 0; count < 2; count++)
      await team.call('POST', `/contactBooks/${bookId}/contacts`, { email: 'a@example.com' }, headers);
    expect(await countCalls()).toBe(1);
  });
});

test('a verified domain is announced', async () => {
  await addHook(['domain.*']);
  const { id, name } = (await team.call('POST', '/domains', { name: `v${team.teamId}.test` })).body;
  await team.call('PUT', `/domains/${id}/verify`);
  const data = { id, name, status: 'SUCCESS', errorMessage: null, verificationError: null };
  expect(await receivePayloads(1)).toMatchObject([{ type: 'domain.verified', data }]);
});

test('a domain that another team holds is announced as failed', async () => {
  const first = await server.createTeam();
  const name = `held${team.teamId}.test`;
  await addDomain(server.db, first.teamId, name);
  await addHook(['domain.failed']);
  const { id } = (await team.call('POST', '/domains', { name })).body;
  await team.call('PUT', `/domains/${id}/verify`);
  expect(await receivePayloads(1)).toMatchObject([
    { type: 'domain.failed', data: { id, errorMessage: expect.stringContaining('Another team') } },
  ]);
});

test.each([
  [['*'], true],
  [['mailbox.*'], true],
  [['mailbox.message.*'], true],
  [['mailbox.message.received'], true],
  [['mailbox.message.sent'], false],
  [['email.*', 'contact.*', 'domain.*', 'campaign.*'], false],
])('a webhook for %j receives mailbox.message.received: %s', async (events, isCalled) => {
  await addHook(events);
  await recordEvents(server.db, team.teamId, [
    { type: 'mailbox.message.received', subjectId: null, notice: { messageId: 'msg_1' } },
  ]);
  expect(await countCalls()).toBe(isCalled ? 1 : 0);
});

test('a rolled-back transaction announces nothing, and other teams receive nothing', async () => {
  await addHook(['*']);
  const other = await server.createTeam();
  const otherHook = await addHook(['*'], other);
  const rolledBack = inTransaction(server.db, async (trx) => {
    await recordEvents(trx, team.teamId, [{ type: 'campaign.sent', subjectId: null, notice: {} }]);
    throw new Error('no');
  });
  await expect(rolledBack).rejects.toThrow('no');
  await recordEvents(server.db, team.teamId, [
    { type: 'campaign.started', subjectId: null, notice: { campaignId: 'cmp_1' } },
    { type: 'campaign.sent', subjectId: null, notice: { campaignId: 'cmp_1' } },
  ]);
  await recordEvents(server.db, team.teamId, []);
  expect(await receiveTypes(2)).toEqual(['campaign.started', 'campaign.sent']);
  expect(await countCalls()).toBe(2);
  const { body } = await other.call('GET', `/webhooks/${otherHook}/calls`);
  expect(body.items).toEqual([]);
});
