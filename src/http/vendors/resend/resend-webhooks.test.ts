import type { Resend } from 'resend';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { setUpOwner, type TestPerson } from '../../../testing/people.ts';
import { connectResend } from '../../../testing/clients/vendor-clients.ts';
import {
  startWebhookReceiver,
  type ReceivedCall,
  type WebhookReceiver,
} from '../../../testing/servers/webhook-receiver.ts';

let server: TestServer;
let receiver: WebhookReceiver;
let team: TestTeam;
let resend: Resend;
let from: string;

const clientOf = (key: string) => connectResend(server, key);

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'], env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await server.close();
  await receiver.close();
});
beforeEach(async () => {
  team = await server.createTeam();
  resend = clientOf(team.key);
  from = `Ada <ada@w${team.teamId}.test>`;
  receiver.forget();
  receiver.answer(200);
});

/** The worker may be slow on a busy computer. */
const MISSING = { statusCode: 404, name: 'not_found' };

async function verifyDomain(): Promise<void> {
  const { id } = (await resend.domains.create({ name: `w${team.teamId}.test` })).data!;
  await resend.domains.verify(id);
}

function verify({ headers, body }: ReceivedCall, webhookSecret: string, names = 'svix') {
  const header = (name: string) => String(headers[`${names}-${name}`]);
  const signed = { id: header('id'), timestamp: header('timestamp'), signature: header('signature') };
  return resend.webhooks.verify({ payload: body, headers: signed, webhookSecret });
}

describe('a webhook', () => {
  test('gets payloads in the shape of Resend that its SDK verifies', async () => {
    await verifyDomain();
    const { data } = await resend.webhooks.create({
      endpoint: receiver.url,
      events: ['email.sent', 'email.delivered'],
    });
    const { id, signing_secret } = data!;
    expect(signing_secret).toMatch(/^whsec_/);
    const email = (
      await resend.emails.send({
        from,
        to: ['Grace <grace@example.com>'],
        subject: 'Hello',
        text: 'Hi',
        tags: [{ name: 'kind', value: 'order' }],
        headers: { 'X-Order': 'Nº 7', 'List-Id': 'orders.example.com' },
      })
    ).data!;
    const [sent, delivered] = await receiver.waitForCalls(2);
    const { created_at, message_id } = (await resend.emails.get(email.id)).data!;
    const payload = {
      created_at: expect.stringMatching(/Z$/),
      data: {
        email_id: email.id,
        created_at,
        message_id,
        from,
        to: ['Grace <grace@example.com>'],
        subject: 'Hello',
        tags: { kind: 'order' },
        headers: [
          { name: 'X-Order', value: 'Nº 7' },
          { name: 'List-Id', value: 'orders.example.com' },
        ],
      },
    };
    expect(verify(sent!, signing_secret)).toEqual({ type: 'email.sent', ...payload });
    expect(verify(delivered!, signing_secret, 'webhook')).toEqual({ type: 'email.delivered', ...payload });
    const log = async () => (await resend.webhooks.events.list({ webhookId: id })).data!.data;
    await expect.poll(log).toMatchObject([
      { type: 'email.delivered', status: 'success' },
      { type: 'email.sent', status: 'success' },
    ]);
    const eventId = (await log())[0]!.id;
    expect((await resend.webhooks.events.get({ webhookId: id, eventId })).data).toMatchObject({
      object: 'webhook_event',
      id: eventId,
      payload: { type: 'email.delivered', ...payload },
    });
    expect((await resend.webhooks.events.replay({ webhookId: id, eventId })).data).toEqual({
      object: 'webhook_event',
      id: eventId,
    });
    const again = (await receiver.waitForCalls(3))[2]!;
    expect(again.headers['svix-id']).toBe(delivered!.headers['svix-id']);
    expect(again.body).toBe(delivered!.body);
    const attempts = async () =>
      (await resend.webhooks.events.attempts.list({ webhookId: id, eventId })).data!.data;
    await expect.poll(attempts).toMatchObject([{ http_status_code: 200 }, { http_status_code: 200 }]);
  });

  test('is told the headers of received mail', async () => {
    await verifyDomain();
    const address = `desk@w${team.teamId}.test`;
    await team.call('POST', '/mailboxes', { address });
    const { signing_secret } = (
      await resend.webhooks.create({ endpoint: receiver.url, events: ['email.received'] })
    ).data!;
    await resend.emails.send({ from, to: address, subject: 'Grüße', text: 'Hi', headers: { 'X-Case': '7' } });
    const [call] = await receiver.waitForCalls(1);
    const { data } = verify(call!, signing_secret) as unknown as { data: { headers: object[] } };
    expect(data.headers).toEqual(
      expect.arrayContaining([
        { name: 'X-Case', value: '7' },
        { name: 'Subject', value: 'Grüße' },
        { name: 'From', value: from },
      ]),
    );
  });

  test('is told the headers of large emails and of templates', async () => {
    await verifyDomain();
    const { signing_secret } = (
      await resend.webhooks.create({ endpoint: receiver.url, events: ['email.delivered'] })
    ).data!;
    const email = { from, to: 'grace@example.com', subject: 'Large', headers: { 'X-Order': '8' } };
    const text = Array.from({ length: 40_000 }, (_, no) => `${no * 7919}`).join(' ');
    await resend.emails.send({ ...email, text });
    const [large] = await receiver.waitForCalls(1);
    const headers = [{ name: 'X-Order', value: '8' }];
    expect(verify(large!, signing_secret)).toMatchObject({ data: { headers } });
    const template = await team.call('POST', '/templates', {
      name: 'Order',
      subject: 'Order',
      html: '<p>x</p>',
    });
    const { templateId = template.body.id } = template.body;
    await team.call('POST', `/templates/${templateId}/publish`);
    const sent = await team.call('POST', '/emails', { ...email, subject: undefined, templateId });
    expect(sent.status).toBe(200);
    const [, made] = await receiver.waitForCalls(2);
    expect(verify(made!, signing_secret)).toMatchObject({ data: { headers } });
  });

  test('is told of suppressed mail, contacts and domains as Resend tells it', async () => {
    const { signing_secret } = (
      await resend.webhooks.create({
        endpoint: receiver.url,
        events: [
          'contact.created',
          'contact.updated',
          'contact.deleted',
          'domain.updated',
          'email.suppressed',
        ],
      })
    ).data!;
    await verifyDomain();
    await resend.suppressions.add({ email: 'gone@example.com' });
    await resend.emails.send({ from, to: 'gone@example.com', subject: 'x', text: 'x' });
    const segment = (await resend.segments.create({ name: 'News' })).data!;
    const contact = { email: 'ada@example.com', firstName: 'Ada' };
    const { id } = (await resend.contacts.create({ ...contact, segments: [{ id: segment.id }] })).data!;
    await resend.contacts.remove(id);
    const calls = await receiver.waitForCalls(4);
    const byType = new Map(calls.map((call) => [call.json.type, verify(call, signing_secret)]));
    expect(byType.get('domain.updated')).toMatchObject({
      data: { status: 'verified', region: 'us-east-1', created_at: expect.stringMatching(/Z$/), records: [] },
    });
    expect(byType.get('email.suppressed')).toMatchObject({
      data: { to: ['gone@example.com'], suppressed: { type: 'OnAccountSuppressionList' } },
    });
    expect(byType.get('contact.created')).toMatchObject({
      data: { id, email: contact.email, first_name: 'Ada', unsubscribed: false, segment_ids: [segment.id] },
    });
    expect(byType.get('contact.deleted')).toMatchObject({ data: { id } });
  });

  test('is shown, listed, changed and removed, and its secret rotated', async () => {
    const { id, signing_secret } = (
      await resend.webhooks.create({ endpoint: receiver.url, events: ['contact.updated'] })
    ).data!;
    const shown = { id, endpoint: receiver.url, status: 'enabled', events: ['contact.updated'] };
    expect((await resend.webhooks.get(id)).data).toMatchObject({ object: 'webhook', ...shown });
    expect((await resend.webhooks.list()).data!.data).toMatchObject([shown]);
    const rotated = (await resend.webhooks.rotateSigningSecret(id)).data!;
    expect(rotated.signing_secret).not.toBe(signing_secret);
    await resend.webhooks.update(id, { status: 'disabled', events: ['contact.created'] });
    expect((await resend.webhooks.get(id)).data).toMatchObject({
      status: 'disabled',
      events: ['contact.created'],
    });
    await resend.contacts.create({ email: 'x@example.com' });
    await resend.webhooks.update(id, { status: 'enabled' });
    expect((await resend.webhooks.events.list({ webhookId: id })).data!.data).toEqual([]);
    await resend.contacts.create({ email: 'y@example.com' });
    const [call] = await receiver.waitForCalls(1);
    expect(verify(call!, rotated.signing_secret)).toMatchObject({ data: { email: 'y@example.com' } });
    const other = clientOf((await server.createTeam()).key);
    expect((await other.webhooks.get(id)).error).toMatchObject(MISSING);
    expect((await other.webhooks.rotateSigningSecret(id)).error).toMatchObject(MISSING);
    expect((await resend.webhooks.remove(id)).data).toEqual({ object: 'webhook', id, deleted: true });
    expect((await resend.webhooks.get(id)).error).toMatchObject(MISSING);
  });

  test('is refused for events that never come, and for bad addresses', async () => {
    const { error } = await resend.webhooks.create({ endpoint: receiver.url, events: ['topic.created'] });
    expect(error).toMatchObject({ statusCode: 422, message: expect.stringContaining('topic.created') });
    const bad = await resend.webhooks.create({ endpoint: 'ftp://example.com', events: ['email.sent'] });
    expect(bad.error).toMatchObject({ statusCode: 422 });
    expect((await resend.webhooks.list()).data!.data).toEqual([]);
  });
});

/** The first person of the server. */
let owner: TestPerson;
beforeAll(async () => {
  owner = await setUpOwner(server);
});

test('events of inboxes have the form of Resend', async () => {
  const { body: domain } = await owner.call('POST', '/domains', { name: 'quay.test' });
  await owner.call('PUT', `/domains/${domain.id}/verify`);
  const { body: box } = await owner.call('POST', '/mailboxes', { address: 'desk@quay.test' });
  const { body: key } = await owner.call('POST', '/api-keys', { name: 'Resend', permission: 'full' });
  const types = ['inbox.email.sent', 'inbox.thread.assigned', 'inbox.thread.unassigned'] as const;
  await clientOf(key.key).webhooks.create({ endpoint: receiver.url, events: [...types] });
  const { body: sent } = await owner.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['charles@example.org'],
    subject: 'Hello',
    text: 'Hi',
    undo_seconds: 0,
  });
  const thread = { inbox_id: box.id, thread_id: sent.thread_id };
  const [first] = await receiver.waitForCalls(1);
  expect(first!.json).toMatchObject({ type: types[0], data: { ...thread, email_id: sent.id } });
  receiver.forget();
  for (const user_id of [owner.id, null])
    await owner.call('PUT', `/threads/${sent.thread_id}/assignee`, { user_id });
  const calls = (await receiver.waitForCalls(2)).map(({ json }) => json);
  expect(calls.find(({ type }) => type === types[1]).data).toEqual({
    source: 'dashboard',
    ...thread,
    assignee_email: owner.email,
    assigned_by_email: owner.email,
    previous_assignee_email: null,
  });
  expect(calls.find(({ type }) => type === types[2]).data).toEqual({
    source: 'dashboard',
    ...thread,
    previous_assignee_email: owner.email,
  });
});

test('every type of event of inboxes comes in the form of Resend', async () => {
  const { body: domain } = await owner.call('POST', '/domains', { name: 'every.test' });
  await owner.call('PUT', `/domains/${domain.id}/verify`);
  const { body: key } = await owner.call('POST', '/api-keys', { name: 'Resend', permission: 'full' });
  const client = clientOf(key.key);
  // Those of the tests above call the same receiver.
  for (const { id } of (await client.webhooks.list()).data!.data) await client.webhooks.remove(id);
  const types = [
    'inbox.created',
    'inbox.updated',
    'inbox.deleted',
    'inbox.thread.created',
    'inbox.thread.folder.updated',
    'inbox.thread.labels.updated',
    'inbox.email.received',
    'email.received',
    'inbox.draft.created',
    'inbox.draft.updated',
    'inbox.draft.sent',
    'inbox.draft.deleted',
  ] as const;
  const hook = await client.webhooks.create({ endpoint: receiver.url, events: [...types] });
  expect((await client.webhooks.get(hook.data!.id)).data!.events).toEqual(expect.arrayContaining([...types]));
  const collect = async (count: number) => {
    const calls = (await receiver.waitForCalls(count)).map(({ json }) => json);
    receiver.forget();
    return Object.fromEntries(calls.map(({ type, data }) => [type, data]));
  };

  const { data: box } = await client.inboxes.create({ emailAddress: 'desk@every.test' });
  const inbox = { source: 'api', inbox_id: box!.id };
  expect(await collect(1)).toEqual({ 'inbox.created': inbox });
  await client.inboxes.update(box!.id, { name: 'Desk' });
  expect(await collect(1)).toEqual({ 'inbox.updated': inbox });

  const { body: other } = await owner.call('POST', '/mailboxes', { address: 'other@every.test' });
  await collect(1);
  await owner.call('POST', `/mailboxes/${other.id}/messages`, {
    to: ['desk@every.test'],
    subject: 'Hello',
    text: 'Hi',
    undo_seconds: 0,
  });
  const arrived = await collect(4);
  const { body: threads } = await owner.call('GET', `/mailboxes/${box!.id}/threads`);
  const thread = { inbox_id: box!.id, thread_id: threads.items[0].id };
  const { body: whole } = await owner.call('GET', `/threads/${thread.thread_id}`);
  const email = { ...thread, source: 'system', email_id: whole.messages[0].id };
  const shown = await client.inboxes.threads.emails.get({
    inboxId: box!.id,
    threadId: thread.thread_id,
    emailId: email.email_id,
  });
  const { html: _html, text: _text, ...withoutBody } = shown.data!;
  expect(withoutBody).toMatchObject({ direction: 'inbound', subject: 'Hello' });
  expect(arrived['inbox.email.received']).toEqual({ ...email, email: withoutBody });
  expect(arrived['email.received']).toMatchObject({ email_id: email.email_id, subject: 'Hello' });
  expect(arrived['inbox.thread.created'].thread_id).toEqual(expect.any(String));

  const { body: label } = await owner.call('POST', `/mailboxes/${box!.id}/labels`, { name: 'Rückruf' });
  await owner.call('PUT', `/threads/${thread.thread_id}/labels`, { labels: [label.id] });
  const dashboard = { ...thread, source: 'dashboard' };
  const { id, name, color } = label;
  expect(await collect(1)).toEqual({
    'inbox.thread.labels.updated': { ...dashboard, added: [{ id, name, color }], removed: [] },
  });
  await owner.call('PATCH', `/threads/${thread.thread_id}`, { folder: 'trash' });
  await collect(1);
  await owner.call('PATCH', `/threads/${thread.thread_id}`, { folder: 'archive' });
  expect(await collect(1)).toEqual({
    'inbox.thread.folder.updated': { ...dashboard, from: 'trash', to: 'archive' },
  });

  const { data: draft } = await client.inboxes.drafts.create({
    inboxId: box!.id,
    threadId: thread.thread_id,
    to: 'other@every.test',
    text: 'Yes',
  });
  const ofDraft = { ...thread, source: 'api', draft_id: draft!.id };
  expect(await collect(1)).toEqual({ 'inbox.draft.created': ofDraft });
  await client.inboxes.drafts.update({ inboxId: box!.id, draftId: draft!.id, text: 'Yes, please' });
  expect(await collect(1)).toEqual({ 'inbox.draft.updated': ofDraft });
  const { data: sent } = await client.inboxes.drafts.send({ inboxId: box!.id, draftId: draft!.id });
  expect((await collect(3))['inbox.draft.sent']).toEqual({
    ...ofDraft,
    email_id: sent!.id,
    email: expect.objectContaining({ id: sent!.id, direction: 'outbound', to: ['other@every.test'] }),
  });
  const { data: second } = await client.inboxes.drafts.create({ inboxId: box!.id, text: 'No' });
  await collect(1);
  await client.inboxes.drafts.remove({ inboxId: box!.id, draftId: second!.id });
  expect((await collect(1))['inbox.draft.deleted']).toMatchObject({ draft_id: second!.id });
  await client.inboxes.remove(box!.id);
  expect(await collect(1)).toEqual({ 'inbox.deleted': inbox });
});
