import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../testing/servers/webhook-receiver.ts';

const polled = { interval: 50 };
let server: TestServer;
let receiver: WebhookReceiver;
let team: TestTeam;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  server = await startTestServer({ doors: ['http', 'worker'], env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  team = await server.createTeam();
  const { body } = await team.call('POST', '/domains', { name: 'shop.test' });
  await team.call('PUT', `/domains/${body.id}/verify`);
});
afterAll(async () => {
  await server.close();
  await receiver.close();
});

async function send(more: object = {}): Promise<string> {
  const email = {
    from: 'a@shop.test',
    to: 'ada@example.org',
    subject: 'Secret subject',
    html: '<p>Secret</p>',
  };
  const attachments = [{ filename: 'a.txt', content: Buffer.from('secret').toString('base64') }];
  return (await team.call('POST', '/emails', { ...email, attachments, ...more })).body.emailId;
}

async function read(emailId: string) {
  return (await team.call('GET', `/emails/${emailId}`)).body;
}

test('deleting an email takes its content and subject, and keeps its status, recipients and events', async () => {
  await team.call('POST', '/webhooks', { url: receiver.url, events: ['email.delivered'] });
  const emailId = await send({ metadata: { name: 'Secret' }, tags: [{ name: 'kind', value: 'order' }] });
  await expect.poll(async () => (await read(emailId)).status, polled).toBe('DELIVERED');
  const { emailEvents } = await read(emailId);

  for (const attempt of [1, 2]) {
    const { status, body } = await team.call('DELETE', `/emails/${emailId}`);
    expect([attempt, status, body]).toEqual([attempt, 200, { id: emailId, success: true }]);
  }
  expect(await read(emailId)).toMatchObject({
    status: 'DELIVERED',
    to: ['ada@example.org'],
    subject: '',
    metadata: {},
    tags: [{ name: 'kind', value: 'order' }],
    html: null,
    text: null,
    contentDeletedAt: expect.any(String),
    emailEvents,
  });
  expect((await team.call('GET', `/emails/${emailId}/source`)).body).toEqual({ emailId, raw: null });
  expect((await team.call('GET', '/sandbox/messages')).body.items).toEqual([]);
  expect((await team.call('GET', '/emails')).body.items).toMatchObject([{ id: emailId, subject: '' }]);
  await expect
    .poll(
      async () =>
        (await sql`select 1 from webhook_events where data::text like '%Secret%'`.execute(server.db)).rows,
      polled,
    )
    .toEqual([]);
});

test('an email that can still be sent is rejected, naming what to do', async () => {
  const emailId = await send({ scheduledAt: new Date(Date.now() + 3_600_000).toISOString() });
  const refused = await team.call('DELETE', `/emails/${emailId}`);
  expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
  expect(refused.body.error.message).toMatch(/cancel/i);
  expect((await read(emailId)).html).toContain('Secret');

  await team.call('POST', `/emails/${emailId}/cancel`);
  await sql`
    insert into deliveries (team_id, email_id, recipient_no, domain_id, recipient, recipient_domain, priority, due_at)
    select team_id, id, 0, domain_id, 'ada@example.org', 'example.org', 0, now() + interval '1 day' from emails
    where team_id = ${team.teamId} and status = 'CANCELLED'
  `.execute(server.db);
  expect((await team.call('DELETE', `/emails/${emailId}`)).status).toBe(409);
  await sql`delete from deliveries`.execute(server.db);
  expect((await team.call('DELETE', `/emails/${emailId}`)).status).toBe(200);
  expect((await read(emailId)).html).toBe(null);
});

test('an email of a thread, another team or another domain is not deleted', async () => {
  const { body: box } = await team.call('POST', '/mailboxes', { address: 'box@shop.test', undoSeconds: 0 });
  const message = { to: ['ada@example.org'], subject: 'Thread', text: 'Kept', undo_seconds: 0 };
  const sent = await team.call('POST', `/mailboxes/${box.id}/messages`, message);
  expect(sent.status).toBe(200);
  await expect
    .poll(async () => (await team.call('GET', '/emails?search=Thread')).body.items[0]?.status, polled)
    .toBe('DELIVERED');
  const { items } = (await team.call('GET', '/emails?search=Thread')).body;
  const refused = await team.call('DELETE', `/emails/${items[0].id}`);
  expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringMatching(/thread/)]);
  const stranger = await server.createTeam();
  expect((await stranger.call('DELETE', `/emails/${items[0].id}`)).status).toBe(404);
  const { body: domain } = await team.call('POST', '/domains', { name: 'second.test' });
  const { body: key } = await team.call('POST', '/api-keys', {
    name: 'B',
    permission: 'full',
    domainId: domain.id,
  });
  expect((await createCall(server.url, key.key)('DELETE', `/emails/${items[0].id}`)).status).toBe(403);
  expect((await read(items[0].id)).text).toContain('Kept');
});
