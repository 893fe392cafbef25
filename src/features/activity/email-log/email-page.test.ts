/** The data for the page of an email and the page of a contact. */
import { sql } from 'kysely';
import nodemailer from 'nodemailer';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decodeId } from '../../../platform/ids.ts';
import {
  addVerifiedDomain,
  startRelayWorld,
  type RelayWorld,
} from '../../../testing/fixtures/relay-world.ts';
import { createCall, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let world: RelayWorld;
let sink: RelayWorld['sink'];
let server: TestServer;
let team: TestTeam;
let domainId: number;

beforeAll(async () => {
  world = await startRelayWorld({ doors: ['http', 'smtp', 'worker'] });
  ({ sink, server } = world);
  team = await server.createTeam();
  domainId = (await addVerifiedDomain(server, team, 'shop.test')).id;
  await team.call('PATCH', `/domains/${domainId}`, { openTracking: true, clickTracking: true });
});
afterAll(() => world.close());
beforeEach(async () => {
  // The previous test may not have waited for its email.
  await expect
    .poll(async () => (await server.db.selectFrom('deliveries').select('email_id').execute()).length)
    .toBe(0);
  sink.reset();
});

const FILE = { filename: 'Büro.txt', content: Buffer.from('Hello file').toString('base64') };

async function send(fields: object = {}): Promise<string> {
  const { status, body } = await team.call('POST', '/emails', {
    from: 'Shop <hello@shop.test>',
    to: 'Ada <ada@example.org>',
    subject: 'Order',
    html: '<p><a href="https://shop.example/a?b=1&amp;c=2">Shop</a></p>',
    ...fields,
  });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.emailId;
}

async function nextMessage(count: number) {
  await expect.poll(() => sink.messages.length, { interval: 20 }).toBe(count);
  const message = sink.messages.at(-1)!;
  return { ...(await PostalMime.parse(message.data)), recipients: message.recipients };
}

const idPart = (html: string | undefined) => [...(html ?? '').matchAll(/\/t\/[co]\/[\w-]+/g)].map(String);

const at = (time: number) => encodeURIComponent(new Date(time).toISOString());

describe('attachments', () => {
  test('are listed with the email and can be downloaded', async () => {
    const html = { filename: 'page.html', content: FILE.content, contentType: 'text/html' };
    const id = await send({ attachments: [FILE, html], tracking: { opens: false } });
    const { body } = await team.call('GET', `/emails/${id}`);
    expect(body.campaignId).toBeNull();
    expect(body.attachments).toMatchObject([
      { no: 0, filename: 'Büro.txt', contentType: 'text/plain', inline: false, size: 10 },
      { no: 1, filename: 'page.html', contentType: 'text/html', inline: false, size: 10 },
    ]);
    const headers = { authorization: `Bearer ${team.key}` };
    const file = await fetch(`${server.url}/api/v1/emails/${id}/attachments/1`, { headers });
    expect(await file.text()).toBe('Hello file');
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="page.html"/);
    for (const n of ['2', '99999'])
      expect((await team.call('GET', `/emails/${id}/attachments/${n}`)).status).toBe(404);
    for (const n of ['-1', 'x', '1.5', '99999999999'])
      expect((await team.call('GET', `/emails/${id}/attachments/${n}`)).status).toBe(400);
    const stranger = await server.createTeam();
    expect((await stranger.call('GET', `/emails/${id}/attachments/0`)).status).toBe(404);
  });
});

describe('send again', () => {
  test('makes a new email with the same content, and tracking of its own', async () => {
    const id = await send({
      cc: 'grace@example.org',
      bcc: 'hidden@example.org',
      replyTo: 'help@shop.test',
      headers: { 'X-Order': '4711', 'In-Reply-To': '<a@b.example>' },
      attachments: [FILE],
      tags: [{ name: 'kind', value: 'order' }],
      metadata: { order: '4711' },
    });
    const first = await nextMessage(3);
    sink.reset();
    const { status, body } = await team.call('POST', `/emails/${id}/send-again`);
    expect([status, body.emailId === id]).toEqual([200, false]);
    const second = await nextMessage(3);
    const same = ({ subject, from, to, cc, replyTo, inReplyTo, text, attachments }: typeof first) => ({
      subject,
      from,
      to,
      cc,
      replyTo,
      inReplyTo,
      text,
      files: attachments.map(({ filename }) => filename),
    });
    expect(same(second)).toEqual(same(first));
    expect(second.headers.find(({ key }) => key === 'x-order')?.value).toBe('4711');
    expect(second.messageId).toBe(`<${body.emailId}@shop.test>`);
    expect(sink.messages.map(({ recipients }) => recipients[0]).toSorted()).toEqual([
      'ada@example.org',
      'grace@example.org',
      'hidden@example.org',
    ]);
    // Each email has one link and one pixel, and the second has none of the first.
    expect([idPart(first.html).length, idPart(second.html).length]).toEqual([2, 2]);
    expect(idPart(second.html).filter((part) => idPart(first.html).includes(part))).toEqual([]);
    const { headers } = await fetch(`${server.url}${idPart(second.html)[0]}`, { redirect: 'manual' });
    expect(headers.get('location')).toBe('https://shop.example/a?b=1&c=2');
    const { body: sent } = await team.call('GET', `/emails/${body.emailId}`);
    expect(sent).toMatchObject({
      bcc: ['hidden@example.org'],
      tags: [{ name: 'kind', value: 'order' }],
      metadata: { order: '4711' },
    });
  });

  test('keeps the message of an email app, with a Message-ID of its own', async () => {
    const mailer = nodemailer.createTransport({
      host: '127.0.0.1',
      port: server.submissionPort,
      ignoreTLS: true,
      auth: { user: 'posthorn', pass: team.key },
    });
    await mailer.sendMail({
      from: 'hello@shop.test',
      to: 'ada@example.org',
      bcc: 'hidden@example.org',
      subject: 'By SMTP',
      text: 'Hello',
      messageId: '<own@shop.test>',
      icalEvent: { method: 'REQUEST', content: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n' },
    });
    const first = await nextMessage(2);
    sink.reset();
    const { body: list } = await team.call('GET', '/emails?search=smtp');
    const { body } = await team.call('POST', `/emails/${list.items[0].id}/send-again`);
    const second = await nextMessage(2);
    expect([first.messageId, second.messageId]).toEqual(['<own@shop.test>', `<${body.emailId}@shop.test>`]);
    expect(String(sink.messages[0]!.data)).toContain('text/calendar');
    expect(sink.messages.map(({ recipients }) => recipients[0]).toSorted()).toEqual([
      'ada@example.org',
      'hidden@example.org',
    ]);
  });

  test('is rejected for deleted content, accounts, campaigns and other teams', async () => {
    const id = await send({ scheduledAt: new Date(Date.now() + 3_600_000).toISOString() });
    const again = (call = team.call) => call('POST', `/emails/${id}/send-again`);
    const stranger = await server.createTeam();
    expect((await again(stranger.call)).status).toBe(404);
    const other = (await team.call('POST', '/domains', { name: 'other.test' })).body.id;
    const bound = { name: 'B', permission: 'full', domainId: other };
    const { key } = (await team.call('POST', '/api-keys', bound)).body;
    expect((await again(createCall(server.url, key))).status).toBe(403);
    const uuid = decodeId('eml', id);
    await sql`update emails set source = 'account' where id = ${uuid}`.execute(server.db);
    expect((await again()).status).toBe(409);
    await sql`update emails set source = 'api', campaign_id = id where id = ${uuid}`.execute(server.db);
    expect((await again()).status).toBe(409);
    await sql`update emails set campaign_id = null where id = ${uuid}`.execute(server.db);
    await team.call('POST', `/emails/${id}/cancel`);
    expect((await team.call('DELETE', `/emails/${id}`)).status).toBe(200);
    expect((await again()).status).toBe(409);
  });
});

describe('emails of a time range', () => {
  test('are listed and exported', async () => {
    const owner = await server.createTeam();
    await sql`update domains set team_id = ${owner.teamId} where id = ${domainId}`.execute(server.db);
    const own = async (subject: string, more: object = {}) =>
      (
        await owner.call('POST', '/emails', {
          from: 'hello@shop.test',
          to: ['ada@example.org', 'grace@example.org'],
          subject,
          text: 'Hello',
          ...more,
        })
      ).body.emailId;
    const formula = await own('=1+1, "quoted"', { tags: [{ name: 'a', value: 'b' }] });
    await own('Second');
    const { body: before } = await owner.call('GET', '/emails');
    const [second, first] = before.items.map(({ createdAt }: { createdAt: string }) => Date.parse(createdAt));
    const list = async (query: string) =>
      (await owner.call('GET', `/emails?${query}`)).body.items.map(
        ({ subject }: { subject: string }) => subject,
      );
    expect(await list(`since=${at(first - 1000)}&until=${at(second + 1000)}`)).toHaveLength(2);
    expect(await list(`until=${at(first - 1)}`)).toEqual([]);
    expect(await list(`since=${at(second + 1)}`)).toEqual([]);
    expect(await list(`since=${at(first - 1000)}&search=ada@example.org`)).toHaveLength(2);
    expect(await list(`since=${at(second + 1)}&tag=a:b`)).toEqual([]);
    expect(await list('since=0000-01-01T00:00:00Z&until=9999-12-31T23:59:59Z')).toHaveLength(2);
    for (const query of ['since=2026-11-01', 'until=yesterday', 'since=2026-02-30T00:00:00Z'])
      expect((await owner.call('GET', `/emails?${query}`)).status).toBe(400);

    const headers = { authorization: `Bearer ${owner.key}` };
    const csv = await fetch(`${server.url}/api/v1/emails/export?search=quoted`, { headers });
    expect(csv.headers.get('content-disposition')).toContain('emails.csv');
    const lines = (await csv.text()).split('\r\n');
    expect(lines[0]).toBe('id,createdAt,scheduledAt,status,from,to,cc,bcc,subject,messageId,campaignId,tags');
    expect(lines[1]).toContain(`${formula},`);
    expect(lines[1]).toContain(`,"ada@example.org, grace@example.org",,,"'=1+1, ""quoted""",`);
    expect(lines[1]).toMatch(/,a:b$/);
    expect(lines).toHaveLength(3);
    const all = await fetch(`${server.url}/api/v1/emails/export`, { headers });
    expect((await all.text()).split('\r\n')).toHaveLength(4);
    expect((await owner.call('GET', '/emails/export?status=NONE')).status).toBe(400);
    await sql`update domains set team_id = ${team.teamId} where id = ${domainId}`.execute(server.db);
  });
});

test('the activity of a contact lists every email to its address, with its own status', async () => {
  const book = (await team.call('POST', '/contactBooks', { name: 'B' })).body.id;
  const contact = { email: 'Reader@example.org' };
  const { contactId } = (await team.call('POST', `/contactBooks/${book}/contacts`, contact)).body;
  const path = `/contactBooks/${book}/contacts/${contactId}/activity`;
  expect((await team.call('GET', path)).body).toEqual({ items: [], next_cursor: null });
  const alone = await send({ to: 'reader@EXAMPLE.org', subject: 'Alone' });
  const many = await send({ to: ['reader@example.org', 'other@example.org'], subject: 'Many' });
  await send({ to: 'other@example.org' });
  await nextMessage(4);
  await sql`
    update emails set status = 'OPENED', opened_at = now() where id in (${decodeId('eml', alone)}, ${decodeId('eml', many)})
  `.execute(server.db);
  await expect.poll(async () => (await team.call('GET', path)).body.items[0].status).toBe('DELIVERED');
  const { body } = await team.call('GET', path);
  expect(body.items).toMatchObject([
    { id: many, subject: 'Many', status: 'DELIVERED', openedAt: null, clickedAt: null, campaign: null },
    { id: alone, subject: 'Alone', status: 'OPENED', openedAt: expect.any(String) },
  ]);
  const { body: head } = await team.call('GET', `${path}?limit=1`);
  expect(head.next_cursor).toBe(many);
  expect((await team.call('GET', `${path}?cursor=${many}`)).body.items).toMatchObject([{ id: alone }]);
  expect((await team.call('GET', `${path}?cursor=x`)).status).toBe(400);
  const stranger = await server.createTeam();
  expect((await stranger.call('GET', path)).status).toBe(404);

  const event = { name: 'order.placed', data: { total: 5 } };
  const { id: byBook } = (await team.call('POST', '/events', { ...event, contactId })).body;
  const { id: byAddress } = (await team.call('POST', '/events', { ...event, email: 'reader@example.org' }))
    .body;
  await team.call('POST', '/events', { ...event, email: 'other@example.org' });
  const pages = [];
  let cursor = '';
  for (let no = 0; no < 4; no++) {
    const page = (await team.call('GET', `${path}?limit=1${cursor}`)).body;
    pages.push(...page.items);
    cursor = `&cursor=${page.next_cursor}`;
  }
  const occurred = { ...event, occurredAt: expect.any(String) };
  const nothing = { from: null, subject: null, status: null, campaign: null, openedAt: null };
  expect(pages).toMatchObject([
    { type: 'event', id: byAddress, event: occurred, ...nothing },
    { type: 'event', id: byBook, event: occurred, ...nothing },
    { type: 'email', id: many, event: null },
    { type: 'email', id: alone, event: null },
  ]);
  expect(cursor).toBe('&cursor=null');
});
