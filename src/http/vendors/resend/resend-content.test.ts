import PostalMime from 'postal-mime';
import type { Resend } from 'resend';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { connectResend } from '../../../testing/vendor-clients.ts';

let server: TestServer;
let team: TestTeam;
let resend: Resend;
let from: string;

const clientOf = (key: string) => connectResend(server, key);

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
  team = await server.createTeam();
  resend = clientOf(team.key);
  from = `Ada <ada@c${team.teamId}.test>`;
  const { id } = (await resend.domains.create({ name: `c${team.teamId}.test` })).data!;
  await resend.domains.verify(id);
});
afterAll(() => server.close());

/** The worker of a busy machine takes its time. */
const PATIENT = { timeout: 20_000 };
const MISSING = { statusCode: 404, name: 'not_found' };
const INVALID = { statusCode: 422, name: 'validation_error' };

async function sandboxMailTo(recipient: string) {
  const { items } = (await team.call('GET', '/sandbox/messages')).body;
  const found = items.find((item: { recipient: string }) => item.recipient === recipient);
  return found ? PostalMime.parse(found.raw as string) : null;
}

async function createSegment(...emails: string[]): Promise<string> {
  const { id } = (await resend.segments.create({ name: 'Readers' })).data!;
  for (const email of emails)
    await resend.contacts.create({ email, firstName: email.split('@')[0]!, segments: [{ id }] });
  return id;
}

describe('templates', () => {
  test('are created, shown, changed, copied, published and removed, by id and alias', async () => {
    const { data } = await resend.templates.create({
      name: 'Order',
      alias: 'order',
      subject: 'Order {{{ORDER}}}',
      html: '<p>Hi {{{NAME}}}, {{{ORDER}}}</p>',
      variables: [
        { key: 'NAME', type: 'string', fallbackValue: 'friend' },
        { key: 'ORDER', type: 'number' },
      ],
    });
    const { id } = data!;
    expect(data).toEqual({ object: 'template', id: expect.stringMatching(/^tpl_/) });
    expect((await resend.templates.get('order')).data).toMatchObject({
      object: 'template',
      id,
      alias: 'order',
      status: 'published',
      subject: 'Order {{{ORDER}}}',
      html: '<p>Hi {{{NAME}}}, {{{ORDER}}}</p>',
      variables: [
        { key: 'ORDER', fallback_value: null },
        { key: 'NAME', fallback_value: 'friend' },
      ],
    });
    await resend.templates.update('order', { html: '<p>Dear {{{NAME}}}, {{{ORDER}}}</p>' });
    expect((await team.call('GET', `/templates/${id}`)).body.html).toBe(
      '<p>Dear {{NAME,fallback=friend}}, {{ORDER}}</p>',
    );
    await resend.templates.update(id, {
      variables: [{ key: 'NAME', type: 'string', fallbackValue: 'you' }],
    });
    expect((await team.call('GET', `/templates/${id}`)).body.html).toContain('{{NAME,fallback=you}}');
    const copy = (await resend.templates.duplicate(id).publish()).data!;
    expect((await resend.templates.get(copy.id)).data).toMatchObject({ name: 'Order (copy)', alias: null });
    expect((await resend.templates.list({ limit: 1 })).data).toMatchObject({
      has_more: true,
      data: [{ id: copy.id }],
    });
    const taken = await resend.templates.create({ name: 'x', alias: 'order', html: 'x' });
    expect(taken.error).toMatchObject({ statusCode: 409 });
    expect((await resend.templates.create({ name: 'x', html: 'x', from })).error).toMatchObject({
      statusCode: 422,
    });
    const other = clientOf((await server.createTeam()).key);
    expect((await other.templates.get('order')).error).toMatchObject(MISSING);
    expect((await resend.templates.remove(copy.id)).data).toMatchObject({ id: copy.id, deleted: true });
    expect((await resend.templates.get(copy.id)).error).toMatchObject(MISSING);
  });

  test('fill emails with their variables', async () => {
    await resend.templates.create({
      name: 'Hello',
      alias: 'hello',
      subject: 'For {{{NAME}}}',
      html: '<p>{{{GREETING}}} {{{NAME}}}</p>',
      variables: [{ key: 'GREETING', type: 'string', fallbackValue: 'Hello' }],
    });
    const { data } = await resend.emails.send({
      from,
      to: 'grace@example.com',
      template: { id: 'hello', variables: { NAME: 'Grace' } },
    });
    expect((await resend.emails.get(data!.id)).data).toMatchObject({
      subject: 'For Grace',
      html: expect.stringContaining('<p>Hello Grace</p>'),
    });
    const unknown = { from, to: 'grace@example.com', template: { id: 'unknown' } };
    expect((await resend.emails.send(unknown)).error).toMatchObject(MISSING);
  });
});

describe('broadcasts', () => {
  test('go to the contacts of a segment, with their own text and merge tags', async () => {
    const segmentId = await createSegment('grace@example.com', 'alan@example.com');
    await resend.contacts.create({ email: 'outside@example.com' });
    await resend.contacts.update({ email: 'alan@example.com', unsubscribed: true });
    const { data, error } = await resend.broadcasts.create({
      segmentId,
      from,
      subject: 'News for {{{contact.first_name|you}}}',
      html: '<p>Hi {{{FIRST_NAME|you}}}</p><a href="{{{RESEND_UNSUBSCRIBE_URL}}}">Leave</a>',
      text: 'Plain {{{contact.first_name|you}}}',
      replyTo: 'desk@example.com',
      previewText: 'Soon',
    });
    expect(error).toBeNull();
    const { id } = data!;
    expect((await resend.broadcasts.get(id)).data).toMatchObject({
      object: 'broadcast',
      id,
      name: 'News for {{{contact.first_name|you}}}',
      segment_id: segmentId,
      status: 'draft',
      from,
      reply_to: ['desk@example.com'],
      preview_text: 'Soon',
      html: '<p>Hi {{{contact.first_name|you}}}</p><a href="{{{RESEND_UNSUBSCRIBE_URL}}}">Leave</a>',
      text: 'Plain {{{contact.first_name|you}}}',
    });
    await resend.broadcasts.update(id, { name: 'News' });
    expect((await resend.broadcasts.send(id)).data).toEqual({ id });
    await expect.poll(async () => (await resend.broadcasts.get(id)).data!.status, PATIENT).toBe('sent');
    await expect.poll(() => sandboxMailTo('grace@example.com'), PATIENT).not.toBeNull();
    const mail = (await sandboxMailTo('grace@example.com'))!;
    expect(mail.subject).toBe('News for grace');
    expect(mail.html).toContain('<p>Hi grace</p>');
    expect(mail.text).toMatch(/^Plain grace\s+Unsubscribe: http/);
    expect(await sandboxMailTo('alan@example.com')).toBeNull();
    expect(await sandboxMailTo('outside@example.com')).toBeNull();
    const delivered = async () => (await resend.broadcasts.recipients(id, { type: 'delivered' })).data!.data;
    await expect.poll(delivered, PATIENT).toMatchObject([{ email: 'grace@example.com' }]);
    const sent = (await resend.broadcasts.recipients(id, { type: 'sent', email: 'x@example.com' })).data!;
    expect(sent).toEqual({ object: 'list', has_more: false, data: [] });
    expect((await resend.broadcasts.send(id)).error).toMatchObject({ statusCode: 409 });
  });

  test('are scheduled in English, cancelled, copied and removed', async () => {
    const segmentId = await createSegment('later@example.com');
    const { id } = (
      await resend.broadcasts.create({
        segmentId,
        from,
        subject: 'Later',
        text: 'Hi & bye',
        send: true,
        scheduledAt: 'in 2 hours',
      })
    ).data!;
    const planned = (await resend.broadcasts.get(id)).data!;
    expect(planned).toMatchObject({ status: 'queued', html: expect.stringContaining('Hi &amp; bye') });
    expect(Math.abs(Date.parse(planned.scheduled_at!) - Date.now() - 7_200_000)).toBeLessThan(60_000);
    expect((await resend.broadcasts.cancel(id)).data).toEqual({ object: 'broadcast', id });
    expect((await resend.broadcasts.get(id)).data).toMatchObject({ status: 'draft', scheduled_at: null });
    await resend.broadcasts.send(id, { scheduledAt: 'in 3 hours' });
    const copy = (await resend.broadcasts.duplicate(id)).data!;
    expect((await resend.broadcasts.get(copy.id)).data).toMatchObject({
      name: 'Later (copy)',
      status: 'draft',
      segment_id: segmentId,
      text: 'Hi & bye',
    });
    const page = (await resend.broadcasts.list({ limit: 1, before: id })).data!;
    expect(page).toMatchObject({ has_more: false, data: [{ id: copy.id }] });
    expect((await resend.broadcasts.remove(copy.id)).data).toMatchObject({ id: copy.id, deleted: true });
    expect((await resend.broadcasts.get(copy.id)).error).toMatchObject(MISSING);
    expect((await resend.broadcasts.send(id, { scheduledAt: 'some day' })).error).toMatchObject(INVALID);
    const other = clientOf((await server.createTeam()).key);
    expect((await other.broadcasts.get(id)).error).toMatchObject(MISSING);
    expect((await other.broadcasts.send(id)).error).toMatchObject(MISSING);
  });

  test('are refused without an audience, with one of another team, or with a sender that is not verified', async () => {
    const segmentId = await createSegment('x@example.com');
    const good = { segmentId, from, subject: 'x', html: 'x' };
    const { segmentId: _, ...without } = good;
    const create = resend.broadcasts.create.bind(resend.broadcasts);
    const count = (await resend.broadcasts.list()).data!.data.length;
    expect((await create(without as typeof good)).error).toMatchObject({ name: 'missing_required_field' });
    expect((await create({ ...good, segmentId: 'seg_1' })).error).toMatchObject(MISSING);
    const other = clientOf((await server.createTeam()).key);
    expect((await other.broadcasts.create(good)).error).toMatchObject(MISSING);
    expect((await create({ ...good, from: 'a@other.example' })).error).toMatchObject({ statusCode: 403 });
    expect((await resend.broadcasts.list()).data!.data).toHaveLength(count);
  });
});
