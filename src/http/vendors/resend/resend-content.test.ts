import PostalMime from 'postal-mime';
import type { Resend } from 'resend';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { connectResend } from '../../../testing/clients/vendor-clients.ts';

let server: TestServer;
let team: TestTeam;
let resend: Resend;
let from: string;
/** A client of another team. */
let stranger: Resend;

const clientOf = (key: string) => connectResend(server, key);

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
  team = await server.createTeam();
  resend = clientOf(team.key);
  from = `Ada <ada@c${team.teamId}.test>`;
  const { id } = (await resend.domains.create({ name: `c${team.teamId}.test` })).data!;
  await resend.domains.verify(id);
  stranger = clientOf((await server.createTeam()).key);
});
afterAll(() => server.close());

/** The worker may be slow on a busy computer. */
const MISSING = { statusCode: 404, name: 'not_found' };
const INVALID = { statusCode: 422, name: 'validation_error' };

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

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
    await expect.poll(async () => (await resend.broadcasts.get(id)).data!.status).toBe('sent');
    await expect.poll(() => sandboxMailTo('grace@example.com')).not.toBeNull();
    const mail = (await sandboxMailTo('grace@example.com'))!;
    expect(mail.subject).toBe('News for grace');
    expect(mail.html).toContain('<p>Hi grace</p>');
    expect(mail.text).toMatch(/^Plain grace\s+Unsubscribe: http/);
    expect(await sandboxMailTo('alan@example.com')).toBeNull();
    expect(await sandboxMailTo('outside@example.com')).toBeNull();
    const delivered = async () => (await resend.broadcasts.recipients(id, { type: 'delivered' })).data!.data;
    await expect.poll(delivered).toMatchObject([{ email: 'grace@example.com' }]);
    const sent = (await resend.broadcasts.recipients(id, { type: 'sent', email: 'x@example.com' })).data!;
    expect(sent).toEqual({ object: 'list', has_more: false, data: [] });
    expect((await resend.broadcasts.send(id)).error).toMatchObject({ statusCode: 409 });
  });

  test('have a list of the links that were clicked, and count in the metrics', async () => {
    const domain = (await resend.domains.list()).data!.data[0]!;
    await resend.domains.update({ id: domain.id, clickTracking: true });
    const segmentId = await createSegment('clicker@example.com');
    const links = ['a', 'b'].map((name) => `https://shop.example/${name}`);
    const html = links.map((url) => `<a href="${url}">Look</a>`).join(' ');
    const broadcast = { segmentId, from, subject: 'Links', html };
    const { id } = (await resend.broadcasts.create({ ...broadcast, send: true })).data!;
    expect((await resend.broadcasts.clickedLinks(id)).data!.data).toEqual([]);
    await expect.poll(() => sandboxMailTo('clicker@example.com')).not.toBeNull();
    const mail = (await sandboxMailTo('clicker@example.com'))!;
    const tracked = [...mail.html!.matchAll(/href="http:\/\/[^/"]+(\/[^"]+)">Look/g)].map(
      ([, path]) => path!,
    );
    const headers = { 'user-agent': BROWSER };
    for (const path of [...tracked, tracked[0]!])
      await fetch(`${server.url}${path}`, { headers, redirect: 'manual' });
    const clicked = async () => (await resend.broadcasts.clickedLinks(id)).data!.data;
    await expect
      .poll(async () => (await clicked()).toSorted((a, b) => (a.url < b.url ? -1 : 1)))
      .toMatchObject([
        { url: links[0], clicks: 2, unique_clicks: 1 },
        { url: links[1], clicks: 1, unique_clicks: 1 },
      ]);
    const first = (await resend.broadcasts.clickedLinks(id, { limit: 1 })).data!;
    expect(first.has_more).toBe(true);
    const rest = (await resend.broadcasts.clickedLinks(id, { after: first.data[0]!.id })).data!;
    expect([...first.data, ...rest.data]).toEqual(await clicked());
    expect((await stranger.broadcasts.clickedLinks(id)).error).toMatchObject(MISSING);

    const wanted = { broadcastId: [id], metrics: ['sent', 'unique_clicked', 'click_rate'] as const };
    const metrics = async (more: object) =>
      (await resend.emails.metrics({ ...wanted, metrics: [...wanted.metrics], ...more })).data!;
    const counts = { sent: 1, unique_clicked: 1, click_rate: 100 };
    await expect.poll(async () => (await metrics({})).totals).toEqual(counts);
    const today = new Date().toISOString().slice(0, 10);
    expect(await metrics({ startDate: today, dimensions: ['period', 'domain', 'broadcast'] })).toMatchObject({
      object: 'metrics',
      dimensions: ['period', 'domain', 'broadcast'],
      granularity: 'daily',
      data: [
        {
          period: today,
          domain_id: domain.id,
          domain_name: domain.name,
          broadcast_id: id,
          broadcast_name: 'Links',
          ...counts,
        },
      ],
    });
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

test('metrics are of the whole team by default, and refuse what is not counted here', async () => {
  const all = (await resend.emails.metrics()).data!;
  expect(all.metrics).toEqual(Object.keys(all.totals));
  expect(all.data).toBeUndefined();
  expect(Date.parse(all.end_date) - Date.parse(all.start_date)).toBe(6 * 86_400_000);
  expect((await stranger.emails.metrics()).data!.totals.sent).toBe(0);
  const range = { startDate: '2025-07-07', endDate: '2025-07-14', dimensions: ['period' as const] };
  const zone = { ...range, timezone: 'America/New_York' };
  const periodsOf = async (more: object) =>
    (await resend.emails.metrics({ ...zone, ...more })).data!.data!.map(({ period }) => period);
  expect(await periodsOf({ granularity: 'weekly' })).toEqual(['2025-07-07', '2025-07-14']);
  expect(await periodsOf({ granularity: 'monthly' })).toEqual(['2025-07-01']);
  expect(await periodsOf({ granularity: 'hourly', endDate: '2025-07-07' })).toHaveLength(24);
  const domain = (await resend.domains.list()).data!.data[0]!;
  expect((await stranger.emails.metrics({ domainId: [domain.id] })).error).toMatchObject(MISSING);
  for (const wrong of [
    { metrics: ['received'] },
    { metrics: ['nothing'] },
    { dimensions: ['email'] },
    { dimensions: ['broadcast'] },
    { emailId: ['eml_1'] },
    { startDate: 'soon' },
    { startDate: '2026-02-30' },
    { startDate: '2026-07-02', endDate: '2026-07-01' },
    { startDate: '2020-01-01', endDate: '2026-07-01' },
    { timezone: 'Mars/Base' },
    { domainId: ['x'] },
  ])
    expect((await resend.emails.metrics(wrong as never)).error, JSON.stringify(wrong)).toMatchObject(INVALID);
});

test('imports of contacts read a CSV file with a column map, count its rows and are listed', async () => {
  const email = 'imported@example.com';
  await resend.contacts.create({ email, firstName: 'Old' });
  const rows = ['Mail,Given,Off,Plan', `${email},Ada,no,pro`, 'off@example.com,,true,', 'wrong,,,'];
  const created = await resend.contacts.imports.create({
    file: new Blob([rows.join('\n')], { type: 'text/csv' }),
    columnMap: {
      email: 'Mail',
      firstName: 'Given',
      unsubscribed: 'Off',
      properties: { plan: { column: 'Plan', type: 'string' } },
    },
    onConflict: 'upsert',
  });
  const { id } = created.data!;
  expect(created.data).toEqual({ object: 'contact_import', id: expect.stringMatching(/^imp_/) });
  const statusOf = async () => (await resend.contacts.imports.get(id)).data!.status;
  await expect.poll(statusOf).toBe('completed');
  const shown = {
    object: 'contact_import',
    id,
    status: 'completed',
    created_at: expect.any(String),
    completed_at: expect.any(String),
    counts: { total: 3, created: 1, updated: 1, skipped: 0, failed: 1 },
  };
  expect((await resend.contacts.imports.get(id)).data).toEqual(shown);
  expect((await resend.contacts.get(email)).data).toMatchObject({
    first_name: 'Ada',
    unsubscribed: false,
    properties: { plan: { value: 'pro' } },
  });
  expect((await resend.contacts.get('off@example.com')).data).toMatchObject({ unsubscribed: true });
  const listOf = async (options: object) => (await resend.contacts.imports.list(options)).data!;
  expect(await listOf({ status: 'completed' })).toEqual({ object: 'list', has_more: false, data: [shown] });
  expect((await listOf({ status: 'failed' })).data).toEqual([]);
  expect((await stranger.contacts.imports.get(id)).error).toMatchObject(MISSING);
  expect((await stranger.contacts.imports.list()).data!.data).toEqual([]);
});
