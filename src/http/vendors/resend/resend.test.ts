import type { Resend } from 'resend';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { connectResend } from '../../../testing/clients/vendor-clients.ts';

let server: TestServer;
let team: TestTeam;
let resend: Resend;
const from = () => `Ada <ada@r${team.teamId}.test>`;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  const { body } = await team.call('POST', '/domains', { name: `r${team.teamId}.test` });
  await server.db
    .updateTable('domains')
    .set({ status: 'SUCCESS', held: true })
    .where('id', '=', body.id)
    .execute();
  resend = connectResend(server, team.key);
});
afterAll(() => server.close());

async function send(more: object = {}) {
  const email = { from: from(), to: 'grace@example.com', subject: 'Hello', html: '<p>Hi</p>', ...more };
  return resend.emails.send(email);
}

describe('emails', () => {
  test('are sent with all their fields, shown and listed', async () => {
    const { data, error } = await send({
      to: ['Grace <grace@example.com>'],
      cc: 'alan@example.com',
      bcc: ['hidden@example.com'],
      replyTo: 'desk@example.com',
      text: 'Hi',
      headers: { 'X-Order': '4711' },
      tags: [{ name: 'kind', value: 'order' }],
      attachments: [
        { filename: 'a.txt', content: Buffer.from('one') },
        { filename: 'b.txt', content: Buffer.from('two').toString('base64'), contentType: 'text/plain' },
      ],
    });
    expect(error).toBeNull();
    const { data: shown } = await resend.emails.get(data!.id);
    expect(shown).toMatchObject({
      object: 'email',
      id: data!.id,
      from: from(),
      to: ['Grace <grace@example.com>'],
      cc: ['alan@example.com'],
      bcc: ['hidden@example.com'],
      reply_to: ['desk@example.com'],
      subject: 'Hello',
      text: 'Hi',
      last_event: 'queued',
      scheduled_at: null,
      tags: [{ name: 'kind', value: 'order' }],
    });
    const { raw } = (await team.call('GET', `/emails/${data!.id}/source`)).body;
    expect(raw).toContain('X-Order: 4711');
    expect(raw).toContain(Buffer.from('one').toString('base64'));
    expect(raw).not.toContain('hidden@');
    const { data: list } = await resend.emails.list({ limit: 1 });
    expect(list).toMatchObject({ object: 'list', data: [{ id: data!.id }] });
  });

  test('with a topic do not reach those who have left it', async () => {
    const topic = (await resend.topics.create({ name: 'Offers', defaultSubscription: 'opt_in' })).data!;
    const left = 'gone@example.com';
    await resend.contacts.create({ email: left, topics: [{ id: topic.id, subscription: 'opt_out' }] });
    const sent = await send({ to: ['Gone@example.com', 'stays@example.com'], bcc: left, topicId: topic.id });
    expect((await resend.emails.get(sent.data!.id)).data).toMatchObject({
      to: ['stays@example.com'],
      bcc: null,
      last_event: 'queued',
    });
    const later = { to: left, topicId: topic.id, scheduledAt: 'in 1 hour' };
    const withheld = await send(later);
    expect((await resend.emails.get(withheld.data!.id)).data).toMatchObject({
      to: [left],
      last_event: 'suppressed',
    });
    const email = { from: from(), subject: 'Topical', text: 'Hi', topicId: topic.id };
    const batch = await resend.batch.send([
      { ...email, to: left },
      { ...email, to: 'stays@example.com' },
    ]);
    const events = batch.data!.data.map(async ({ id }) => (await resend.emails.get(id)).data!.last_event);
    expect(await Promise.all(events)).toEqual(['suppressed', 'queued']);
    const unknown = await send({ topicId: 'top_unknown' });
    expect(unknown.error).toMatchObject({ statusCode: 422, message: expect.stringContaining('topic_id') });
    const others = connectResend(server, (await server.createTeam()).key);
    const foreign = (await others.topics.create({ name: 'Other', defaultSubscription: 'opt_in' })).data!;
    expect((await send({ topicId: foreign.id })).error).toMatchObject({ statusCode: 422 });
  });

  test('lists continue after the last email', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.unshift((await send()).data!.id);
    const first = (await resend.emails.list({ limit: 2 })).data!;
    expect(first).toMatchObject({ has_more: true, data: [{ id: ids[0] }, { id: ids[1] }] });
    const next = (await resend.emails.list({ limit: 2, after: first.data[1]!.id })).data!;
    expect(next.data[0]!.id).toBe(ids[2]);
  });

  test('are scheduled in plain English and ISO 8601, moved and cancelled', async () => {
    const { data } = await send({ scheduledAt: 'in 1 hour' });
    const id = data!.id;
    const planned = (await resend.emails.get(id)).data!;
    expect(planned.last_event).toBe('scheduled');
    expect(Math.abs(Date.parse(planned.scheduled_at!) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    const later = new Date(Date.now() + 7_200_000).toISOString();
    expect((await resend.emails.update({ id, scheduledAt: later })).data).toEqual({ object: 'email', id });
    expect((await resend.emails.get(id)).data!.scheduled_at).toBe(later);
    expect((await resend.emails.cancel(id)).data).toEqual({ object: 'email', id });
    expect((await resend.emails.get(id)).data!.last_event).toBe('canceled');
    expect((await send({ scheduledAt: 'some day' })).error).toMatchObject({
      statusCode: 422,
      name: 'validation_error',
      message: expect.stringContaining('scheduled_at'),
    });
  });

  test('of a batch are all sent or none; a permissive batch sends those that are valid', async () => {
    const good = { from: from(), to: 'grace@example.com', subject: 'Batch', text: 'Hi' };
    const bad = { ...good, to: 'nobody' };
    const { data } = await resend.batch.send([good, good]);
    expect(data!.data).toHaveLength(2);
    expect((await resend.batch.send([good, bad])).error).toMatchObject({
      statusCode: 422,
      message: expect.stringContaining('Email 1'),
    });
    const permissive = await resend.batch.send([good, bad], { batchValidation: 'permissive' });
    expect(permissive.data).toMatchObject({ data: [{ id: expect.any(String) }], errors: [{ index: 1 }] });
    expect((await team.call('GET', '/emails?search=Batch')).body.items).toHaveLength(3);
    const strange = { ...good, from: 'ada@other.example' };
    const mixed = await resend.batch.send([strange, good, bad], { batchValidation: 'permissive' });
    expect(mixed.data).toMatchObject({
      data: [{ id: expect.any(String) }],
      errors: [{ index: 0, message: expect.stringContaining('other.example') }, { index: 2 }],
    });
    const none = await resend.batch.send([strange], { batchValidation: 'permissive' });
    expect(none.data).toMatchObject({ data: [], errors: [{ index: 0 }] });
  });

  test('have attachments without a name, and with the older name of content_id', async () => {
    const { data } = await send({
      attachments: [
        { content: 'aGk=', filename: false },
        { content: 'aGk=', inline_content_id: 'logo' },
      ],
    });
    const files = (await resend.emails.attachments.list({ emailId: data!.id })).data!.data;
    expect(files.map(({ filename }) => filename)).toEqual(['attachment-1', 'attachment-2']);
    const withoutContent = await send({ attachments: [{ filename: 'a.txt' }] });
    expect(withoutContent.error).toMatchObject({ statusCode: 422, name: 'invalid_attachment' });
  });

  test('are sent once with the same idempotency key', async () => {
    const email = { from: from(), to: 'grace@example.com', subject: 'Once', text: 'Hi' };
    const idempotencyKey = `key-${team.teamId}`;
    const first = await resend.emails.send(email, { idempotencyKey });
    const second = await resend.emails.send(email, { idempotencyKey });
    expect(second.data).toEqual(first.data);
    expect(
      (await resend.emails.send({ ...email, subject: 'Other' }, { idempotencyKey })).error,
    ).toMatchObject({
      statusCode: 409,
      name: 'invalid_idempotent_request',
    });
    expect((await team.call('GET', '/emails?search=Once')).body.items).toHaveLength(1);
  });
});

describe('errors', () => {
  test('have the status codes and names of Resend', async () => {
    expect((await send({ to: undefined })).error).toMatchObject({
      statusCode: 422,
      name: 'missing_required_field',
    });
    expect((await send({ from: 'nobody' })).error).toMatchObject({
      statusCode: 422,
      name: 'invalid_from_address',
    });
    expect((await send({ from: 'ada@other.example' })).error).toMatchObject({
      statusCode: 403,
      name: 'validation_error',
    });
    expect((await send({ subject: '' })).error).toMatchObject({
      statusCode: 422,
      name: 'missing_required_field',
    });
    expect((await send({ scheduledAt: '2020-01-01T00:00:00Z' })).error).toMatchObject({
      statusCode: 422,
      message: 'scheduled_at must not be in the past.',
    });
    expect((await send({ subject: 7 })).error).toMatchObject({ statusCode: 422, name: 'validation_error' });
    expect((await send({ attachments: [{ filename: 'a', content: '%%' }] })).error).toMatchObject({
      statusCode: 422,
      name: 'invalid_attachment',
    });
    expect((await resend.emails.get('eml_01kbd8x4zvf7m8rk2q3w5t6y7h')).error).toMatchObject({
      statusCode: 404,
      name: 'not_found',
    });
    expect((await resend.logs.list()).error).toMatchObject({
      statusCode: 501,
      name: 'application_error',
    });
    const stranger = connectResend(server, 're_123');
    expect((await stranger.emails.list()).error).toMatchObject({ statusCode: 403, name: 'invalid_api_key' });
    const { key } = (await team.call('POST', '/api-keys', { name: 's', permission: 'sending' })).body;
    const restricted = connectResend(server, key);
    expect((await restricted.emails.list()).error).toMatchObject({
      statusCode: 401,
      name: 'restricted_api_key',
    });
    const response = await fetch(`${server.url}/resend/emails`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ statusCode: 401, name: 'missing_api_key' });
  });

  test('are returned for fields that are not known, instead of dropping them', async () => {
    const response = await fetch(`${server.url}/resend/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${team.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        from: from(),
        to: 'a@b.example',
        subject: 'x',
        text: 'x',
        scheduledAt: 'tomorrow',
      }),
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ message: 'Unknown field: scheduledAt.' });
  });

  test('another team does not see the emails', async () => {
    const { data } = await send();
    const other = connectResend(server, (await server.createTeam()).key);
    expect((await other.emails.get(data!.id)).error).toMatchObject({ name: 'not_found' });
    expect((await other.emails.cancel(data!.id)).error).toMatchObject({ name: 'not_found' });
    expect((await other.emails.list()).data!.data).toEqual([]);
  });
});

test('the door is also at the root, and slashes may be doubled or missing', async () => {
  for (const path of ['/emails', '//emails', '/resend//emails', '//resend/emails', '/resendemails']) {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${team.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: from(), to: 'a@b.example', subject: path, text: 'x' }),
    });
    expect(await response.json(), path).toEqual({ id: expect.stringMatching(/^eml_/) });
  }
  const withoutKey = await fetch(`${server.url}/emails`, { method: 'POST', body: '{}' });
  expect(await withoutKey.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
  const doubled = await fetch(`${server.url}//api//v1/emails`, {
    headers: { authorization: `Bearer ${team.key}` },
  });
  expect(doubled.status).toBe(200);
});
