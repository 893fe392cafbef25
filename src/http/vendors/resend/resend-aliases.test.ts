/** Tests methods of the SDK that do the same as others under another name or path. */
import type { Resend } from 'resend';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSendingTeam, type SendingTeam } from '../../../testing/fixtures/sending-team.ts';
import { shareTestServer, type TestServer } from '../../../testing/test-server.ts';
import { connectResend } from '../../../testing/clients/vendor-clients.ts';

let server: TestServer;
let team: SendingTeam;
let resend: Resend;
let other: Resend;

const clientOf = (key: string) => connectResend(server, key);

beforeAll(async () => {
  server = await shareTestServer();
  team = await createSendingTeam(server, 'ra');
  resend = clientOf(team.key);
  other = clientOf((await server.createTeam()).key);
});
afterAll(() => server.close());

const MISSING = { statusCode: 404, name: 'not_found' };
const INVALID = { statusCode: 422 };

test('audiences are created, shown, listed, renamed and removed', async () => {
  const { id } = (await resend.audiences.create({ name: 'Old' })).data!;
  expect((await resend.audiences.update(id, { name: 'New' })).error).toBeNull();
  expect((await resend.audiences.get(id)).data).toMatchObject({ id, name: 'New' });
  expect((await resend.audiences.list()).data!.data).toMatchObject([{ id, name: 'New' }]);
  expect((await resend.audiences.create({ name: '' })).error).toMatchObject(INVALID);
  expect((await resend.audiences.update(id, { name: '' })).error).toMatchObject(INVALID);
  expect((await resend.audiences.list({ limit: 0 })).error).toMatchObject(INVALID);

  expect((await other.audiences.get(id)).error).toMatchObject(MISSING);
  expect((await other.audiences.update(id, { name: 'x' })).error).toMatchObject(MISSING);
  expect((await other.audiences.remove(id)).error).toMatchObject(MISSING);
  expect((await other.audiences.list()).data!.data).toEqual([]);

  expect((await resend.audiences.remove(id)).data).toMatchObject({ id, deleted: true });
  expect((await resend.audiences.get(id)).error).toMatchObject(MISSING);
  expect((await resend.audiences.remove(id)).error).toMatchObject(MISSING);
});

test('emails and batches are sent with `create` too', async () => {
  const email = { from: `a@${team.domain}`, to: 'grace@example.com', subject: 'Created', text: 'Hi' };
  const { data } = await resend.emails.create(email);
  expect((await resend.emails.get(data!.id)).data).toMatchObject({ subject: 'Created' });
  const batch = await resend.batch.create([email, { ...email, subject: 'Second' }]);
  expect(batch.data!.data).toHaveLength(2);
  expect((await resend.emails.create({ ...email, to: 'nobody' })).error).toMatchObject(INVALID);
  expect((await resend.batch.create([email, { ...email, to: 'nobody' }])).error).toMatchObject(INVALID);
  expect((await other.emails.create(email)).error).toMatchObject({ statusCode: 403 });
  expect(await team.countEmails('grace@example.com')).toBe(3);
});

test('publishing a template changes nothing and finds only templates of the team', async () => {
  const { id } = (await resend.templates.create({ name: 'Order', alias: 'publish-me', html: '<p>Hi</p>' }))
    .data!;
  expect((await resend.templates.publish('publish-me')).data).toMatchObject({ id });
  expect((await resend.templates.get(id)).data).toMatchObject({ status: 'published', html: '<p>Hi</p>' });
  expect((await other.templates.publish(id)).error).toMatchObject(MISSING);
  expect((await resend.templates.publish('no-such-template')).error).toMatchObject(MISSING);
});

test('bodies that repeat the parameters of the path are accepted, as the SDKs of Python and Go send them', async () => {
  const call = async (method: string, path: string, body: object) => {
    const response = await fetch(`${server.url}/resend${path}`, {
      method,
      headers: { authorization: `Bearer ${team.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { id: string; message?: string };
    expect(answer.message, `${method} ${path}`).toBeUndefined();
    return answer.id;
  };
  const email = { from: `a@${team.domain}`, to: 'grace@example.com', subject: 'Repeated', html: 'Hi' };
  const id = await call('POST', '/emails', { ...email, scheduled_at: 'in 1 hour' });
  await call('PATCH', `/emails/${id}`, { id, scheduled_at: 'in 2 hours' });

  const audience_id = await call('POST', '/audiences', { name: 'Repeated' });
  const person = { audience_id, email: 'repeated@example.com' };
  const contact = await call('POST', `/audiences/${audience_id}/contacts`, person);
  await call('PATCH', `/audiences/${audience_id}/contacts/${contact}`, { ...person, id: contact });

  const { to: _, ...content } = email;
  const broadcast_id = await call('POST', '/broadcasts', { ...content, segment_id: audience_id });
  await call('PATCH', `/broadcasts/${broadcast_id}`, { broadcast_id, name: 'New' });
  await call('POST', `/broadcasts/${broadcast_id}/send`, { broadcast_id, scheduled_at: 'in 1 hour' });

  const template = await call('POST', '/templates', { name: 'Repeated', html: 'Hi' });
  await call('PATCH', `/templates/${template}`, { id: template, name: 'New' });
  const domain = (await resend.domains.list()).data!.data[0]!.id;
  await call('PATCH', `/domains/${domain}`, { id: domain, open_tracking: true });
  const hook = await call('POST', '/webhooks', { endpoint: 'https://example.com/', events: ['email.sent'] });
  await call('PATCH', `/webhooks/${hook}`, { webhook_id: hook, status: 'disabled' });
});
