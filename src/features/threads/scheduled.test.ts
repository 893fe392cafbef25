import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let other: TestTeam;
let box: { id: string };
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

// No worker: nothing leaves by itself.
beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  other = await server.createTeam();
  await addDomain(team, 'harbour.test');
  box = await createMailbox(team, 'ada@harbour.test');
});
afterAll(() => server.close());

async function addDomain(owner: TestTeam, name: string): Promise<number> {
  const { body } = await owner.call('POST', '/domains', { name });
  await owner.call('PUT', `/domains/${body.id}/verify`);
  return body.id;
}

async function createMailbox(owner: TestTeam, address: string) {
  return (await owner.call('POST', '/mailboxes', { address, name: 'Ada' })).body;
}

function from(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

async function send(input: object = {}, mailboxId = box.id) {
  return team.call('POST', `/mailboxes/${mailboxId}/messages`, {
    to: ['charles@example.org'],
    subject: 'The engine',
    html: '<p>It turns.</p>',
    ...input,
  });
}

async function wait(input: object = {}) {
  return (await send({ send_at: from(DAY), ...input })).body;
}

async function leave(messageId: string): Promise<void> {
  expect((await team.call('POST', `/scheduled/${messageId}/send-now`)).status).toBe(200);
}

async function waitingIds(mailboxId = box.id): Promise<string[]> {
  const { body } = await team.call('GET', `/mailboxes/${mailboxId}/scheduled`);
  return body.items.map(({ id }: { id: string }) => id);
}

describe('sending', () => {
  test('a message waits for the ten seconds of its mailbox, and is in its thread at once', async () => {
    const { status, body } = await send();
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^msg_[a-z0-9]{26}$/),
      thread_id: expect.stringMatching(/^thr_[a-z0-9]{26}$/),
      status: 'waiting',
      subject: 'The engine',
      to: ['charles@example.org'],
      send_at: expect.any(String),
      created_at: expect.any(String),
    });
    expect(Date.parse(body.send_at) - Date.parse(body.created_at)).toBe(10_000);
    const thread = (await team.call('GET', `/threads/${body.thread_id}`)).body;
    expect(thread).toMatchObject({
      subject: 'The engine',
      unread: false,
      message_count: 1,
      snippet: 'It turns.',
    });
    expect(thread.messages[0]).toMatchObject({
      id: body.id,
      direction: 'out',
      status: 'waiting',
      from: 'Ada <ada@harbour.test>',
      html: '<p>It turns.</p>',
      send_at: body.send_at,
    });
  });

  test('the moment to undo is as long as asked for', async () => {
    const { body } = await send({ undo_seconds: 120 });
    expect(Date.parse(body.send_at) - Date.parse(body.created_at)).toBe(120_000);
  });

  test('without a moment to undo it leaves at once', async () => {
    const { body } = await send({ undo_seconds: 0 });
    expect(body.status).toBe('waiting');
    expect((await team.call('GET', `/messages/${body.id}`)).body.status).toBe('sent');
    const { status, body: refusal } = await team.call('DELETE', `/scheduled/${body.id}`);
    expect([status, refusal.error.code]).toEqual([409, 'already_sent']);
  });

  test('its HTML is cleaned, in the thread and in what goes out', async () => {
    const { body } = await send({ html: '<p onclick="x()">Hi<script>alert(1)</script></p>' });
    expect((await team.call('GET', `/messages/${body.id}`)).body.html).toBe('<p>Hi</p>');
    const raw = await team.call('GET', `/messages/${body.id}/raw`);
    expect(raw.headers.get('content-type')).toBe('message/rfc822');
    expect(raw.body).toContain('<p>Hi</p>');
    expect(raw.body).not.toContain('script');
  });

  test('blind copies are kept in the mailbox and out of the header', async () => {
    const { body } = await send({ cc: ['cc@example.org'], bcc: ['secret@example.org'] });
    const message = (await team.call('GET', `/messages/${body.id}`)).body;
    expect([message.cc, message.bcc]).toEqual([['cc@example.org'], ['secret@example.org']]);
    expect((await team.call('GET', `/messages/${body.id}/raw`)).body).not.toContain('secret@');
  });

  test('a reply is in the thread that it answers, and says so in its header', async () => {
    const first = (await send({ undo_seconds: 0 })).body;
    const { body } = await send({ thread_id: first.thread_id, subject: undefined });
    expect([body.thread_id, body.subject]).toEqual([first.thread_id, 'Re: The engine']);
    const before = (await team.call('GET', `/messages/${first.id}`)).body.message_id;
    const raw = (await team.call('GET', `/messages/${body.id}/raw`)).body;
    expect(raw).toContain(`In-Reply-To: ${before}`);
    expect(raw).toContain(`References: ${before}`);
    expect((await team.call('GET', `/threads/${first.thread_id}`)).body.message_count).toBe(2);
  });

  test('files go along and can be fetched, to save and not to run', async () => {
    const content = Buffer.from('<script>alert(1)</script>');
    const { body } = await send({
      attachments: [
        { filename: 'page "1".html', content: content.toString('base64'), content_type: 'text/html' },
        { filename: 'a.png', content: 'iVBORw==', content_type: 'image/png' },
        { filename: 'a.js', content: 'YQ==', content_type: 'text/JavaScript' },
      ],
    });
    const { attachments } = (await team.call('GET', `/messages/${body.id}`)).body;
    expect(attachments[0]).toEqual({
      n: 0,
      filename: 'page "1".html',
      content_type: 'text/html',
      size: content.length,
      inline: false,
      content_id: null,
    });
    const page = await team.call('GET', `/messages/${body.id}/attachments/0`);
    expect(page.body).toBe(content.toString());
    expect(page.headers.get('content-disposition')).toMatch(/^attachment; filename="page _1_\.html"/);
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    const image = await team.call('GET', `/messages/${body.id}/attachments/1`);
    expect(image.headers.get('content-disposition')).toMatch(/^inline/);
    const script = await team.call('GET', `/messages/${body.id}/attachments/2`);
    expect(script.headers.get('content-type')).toBe('application/octet-stream');
    expect((await team.call('GET', `/messages/${body.id}/attachments/3`)).status).toBe(404);
    expect((await team.call('GET', `/messages/${body.id}/attachments/x`)).status).toBe(400);
  });

  test.each([
    ['no recipient', { to: [] }],
    ['recipients that are no array', { to: 'charles@example.org' }],
    ['an address that is none', { to: ['charles'] }],
    ['51 recipients', { to: Array.from({ length: 51 }, (_, at) => `u${at}@example.org`) }],
    ['no subject', { subject: undefined }],
    ['no content', { html: undefined }],
    ['undoing for 121 seconds', { undo_seconds: 121 }],
    ['undoing for half a second', { undo_seconds: 0.5 }],
    ['a time without an offset', { send_at: '2027-01-01T00:00:00' }],
    ['a day that does not exist', { send_at: '2027-02-30T00:00:00Z' }],
    ['an id that is none', { thread_id: 'thr.x' }],
    ['59 seconds', { send_at: () => from(59_000) }],
    ['367 days', { send_at: () => from(367 * DAY) }],
    ['yesterday', { send_at: () => from(-DAY) }],
  ])('%s is refused', async (_what, input) => {
    const values = Object.entries(input as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === 'function' ? (value as () => unknown)() : value,
    ]);
    const before = await waitingIds();
    const { status, body } = await send(Object.fromEntries(values) as object);
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect(await waitingIds()).toEqual(before);
  });

  test.each([61_000, 365 * DAY - MINUTE])('%d milliseconds ahead are taken', async (ms) => {
    const send_at = from(ms);
    const { status, body } = await send({ send_at });
    expect([status, body.send_at]).toEqual([200, send_at]);
  });

  test('a mailbox, a thread or a draft that is not there is not found', async () => {
    expect((await send({}, 'mbx_nobody')).status).toBe(404);
    expect((await send({ thread_id: 'thr_nobody' })).status).toBe(404);
    expect((await send({ draft_id: 'msg_nobody' })).status).toBe(404);
    const second = await createMailbox(team, 'second@harbour.test');
    const { thread_id } = (await send({}, second.id)).body;
    expect((await send({ thread_id })).status).toBe(404);
    const input = { to: ['x@example.org'], subject: 'x', text: 'x' };
    expect((await other.call('POST', `/mailboxes/${box.id}/messages`, input)).status).toBe(404);
  });

  test('a domain that is not held any more sends nothing', async () => {
    const domainId = await addDomain(team, 'lost.test');
    const lost = await createMailbox(team, 'ada@lost.test');
    await sql`update domains set held = false where id = ${domainId}`.execute(server.db);
    expect((await send({}, lost.id)).status).toBe(400);
  });
});

describe('the list of what waits', () => {
  test('shows held and scheduled messages, soonest first, with what the contract names', async () => {
    const mailbox = await createMailbox(team, 'list@harbour.test');
    const later = (await send({ send_at: from(2 * DAY) }, mailbox.id)).body;
    const sooner = (await send({ send_at: from(DAY) }, mailbox.id)).body;
    const held = (await send({}, mailbox.id)).body;
    const { body } = await team.call('GET', `/mailboxes/${mailbox.id}/scheduled`);
    const { status: _, ...item } = held;
    expect(body.items[0]).toEqual(item);
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([held.id, sooner.id, later.id]);
  });

  test('has at most 100, and only those of its mailbox', async () => {
    const mailbox = await createMailbox(team, 'many@harbour.test');
    const first = (await send({ send_at: from(DAY) }, mailbox.id)).body.id;
    for (let at = 0; at < 5; at += 1)
      await Promise.all(Array.from({ length: 21 }, () => send({ send_at: from(2 * DAY) }, mailbox.id)));
    const ids = await waitingIds(mailbox.id);
    expect([ids.length, ids[0]]).toEqual([100, first]);
    expect((await other.call('GET', `/mailboxes/${mailbox.id}/scheduled`)).status).toBe(404);
    expect((await team.call('GET', `/mailboxes/mbx.x/scheduled`)).status).toBe(400);
  });
});

describe('changing the time', () => {
  test.each([61_000, 365 * DAY - MINUTE])('to %d milliseconds ahead is taken', async (ms) => {
    const { id } = await wait();
    const send_at = from(ms);
    const { status, body } = await team.call('PATCH', `/scheduled/${id}`, { send_at });
    expect([status, body]).toEqual([200, { id, send_at }]);
    expect((await team.call('GET', `/messages/${id}`)).body.send_at).toBe(send_at);
  });

  test.each([59_000, 367 * DAY, -DAY, 0])(
    'to %d milliseconds ahead is refused and changes nothing',
    async (ms) => {
      const { id, send_at } = await wait();
      const { status, body } = await team.call('PATCH', `/scheduled/${id}`, { send_at: from(ms) });
      expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
      expect((await team.call('GET', `/messages/${id}`)).body.send_at).toBe(send_at);
    },
  );

  test.each([
    ['nothing', {}],
    ['null', { send_at: null }],
    ['a number', { send_at: 1 }],
    ['words', { send_at: 'tomorrow' }],
    ['no offset', { send_at: '2027-01-01T00:00:00' }],
    ['no such day', { send_at: '2027-02-30T00:00:00Z' }],
    ['broken JSON', '{'],
    ['an array', []],
    ['a body over the limit', { send_at: from(DAY), padding: 'x'.repeat(3 * 1024 * 1024) }],
  ])('with %s is refused', async (_what, input) => {
    const { id } = await wait();
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    const { status, body } = await team.call('PATCH', `/scheduled/${id}`, input, headers);
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
  });

  test('of one that has gone is 409, whatever the time says', async () => {
    const { id } = await wait();
    await leave(id);
    for (const ms of [DAY, 59_000, 367 * DAY]) {
      const { status, body } = await team.call('PATCH', `/scheduled/${id}`, { send_at: from(ms) });
      expect([status, body.error.code]).toEqual([409, 'already_sent']);
    }
  });

  test('of one that is not there is 404, whatever the time says; of what is no id 400', async () => {
    const { id } = await wait();
    for (const ms of [DAY, 59_000]) {
      const body = { send_at: from(ms) };
      expect((await team.call('PATCH', '/scheduled/msg_nobody', body)).status).toBe(404);
      expect((await other.call('PATCH', `/scheduled/${id}`, body)).status).toBe(404);
      expect((await team.call('PATCH', `/scheduled/${box.id}`, body)).status).toBe(404);
      expect((await team.call('PATCH', '/scheduled/msg.x', body)).status).toBe(400);
      expect((await team.call('PATCH', `/scheduled/${'x'.repeat(65)}`, body)).status).toBe(400);
    }
  });

  test('needs a key with full access', async () => {
    const { id } = await wait();
    const body = { send_at: from(DAY) };
    expect((await server.call('PATCH', `/scheduled/${id}`, body)).status).toBe(401);
    const { key } = (await team.call('POST', '/api-keys', { name: 'k', permission: 'sending' })).body;
    expect((await createCall(server.url, key)('PATCH', `/scheduled/${id}`, body)).status).toBe(403);
  });
});

describe('sending at once', () => {
  test('lets it go: it is on its way, and not in the list any more', async () => {
    const { id } = await wait();
    const { status, body } = await team.call('POST', `/scheduled/${id}/send-now`);
    expect([status, body.id]).toEqual([200, id]);
    expect(Math.abs(Date.parse(body.send_at) - Date.now())).toBeLessThan(MINUTE);
    expect(await waitingIds()).not.toContain(id);
    const again = await team.call('POST', `/scheduled/${id}/send-now`);
    expect([again.status, again.body.error.code]).toEqual([409, 'already_sent']);
    expect((await team.call('GET', `/messages/${id}`)).body).toMatchObject({ status: 'sent', send_at: null });
  });

  test('of what is not there is 404', async () => {
    const { id } = await wait();
    expect((await other.call('POST', `/scheduled/${id}/send-now`)).status).toBe(404);
    expect((await team.call('POST', '/scheduled/msg_nobody/send-now')).status).toBe(404);
  });
});

describe('taking back', () => {
  test('makes it a draft of the same id, unknown to all three from then on', async () => {
    const { id, thread_id } = await wait();
    const { status, body } = await team.call('DELETE', `/scheduled/${id}`);
    expect([status, body]).toEqual([200, { id, success: true }]);
    expect((await team.call('GET', `/messages/${id}`)).body).toMatchObject({
      status: 'draft',
      html: '<p>It turns.</p>',
    });
    expect((await team.call('GET', `/mailboxes/${box.id}/drafts/${id}`)).body.thread_id).toBe(thread_id);
    expect((await team.call('PATCH', `/scheduled/${id}`, { send_at: from(DAY) })).status).toBe(404);
    expect((await team.call('POST', `/scheduled/${id}/send-now`)).status).toBe(404);
    expect((await team.call('DELETE', `/scheduled/${id}`)).status).toBe(404);
    expect(await waitingIds()).not.toContain(id);
  });

  test('is too late once it has gone', async () => {
    const { id } = await wait();
    await leave(id);
    const { status, body } = await team.call('DELETE', `/scheduled/${id}`);
    expect([status, body.error.code]).toEqual([409, 'already_sent']);
  });

  test('also happens when its email is cancelled', async () => {
    const { id } = await wait({ subject: 'Cancelled by the other way' });
    const emails = (await team.call('GET', '/emails')).body.items;
    const email = emails.find(({ subject }: { subject: string }) => subject === 'Cancelled by the other way');
    expect((await team.call('POST', `/emails/${email.id}/cancel`)).status).toBe(200);
    expect((await team.call('GET', `/messages/${id}`)).body.status).toBe('draft');
  });

  test('is undone by sending the draft, under the same id and with its files', async () => {
    const attachments = [{ filename: 'a.txt', content: 'aGk=', content_type: 'text/plain' }];
    const { id, thread_id } = await wait({ attachments });
    await team.call('DELETE', `/scheduled/${id}`);
    const { status, body } = await team.call('POST', `/mailboxes/${box.id}/drafts/${id}/send`, {
      undo_seconds: 60,
    });
    expect([status, body.id, body.thread_id]).toEqual([200, id, thread_id]);
    const message = (await team.call('GET', `/messages/${id}`)).body;
    expect([message.status, message.attachments.length]).toEqual(['waiting', 1]);
    expect((await team.call('GET', `/threads/${thread_id}`)).body.message_count).toBe(1);
  });
});

test('a deleted mailbox lets nothing leave any more', async () => {
  const mailbox = await createMailbox(team, 'gone@harbour.test');
  const { id, thread_id } = (await send({ send_at: from(DAY) }, mailbox.id)).body;
  await team.call('DELETE', `/mailboxes/${mailbox.id}`);
  expect((await team.call('GET', `/messages/${id}`)).status).toBe(404);
  expect((await team.call('GET', `/threads/${thread_id}`)).status).toBe(404);
  expect((await team.call('PATCH', `/scheduled/${id}`, { send_at: from(DAY) })).status).toBe(404);
  const { rows } = await sql<{ status: string }>`
    select status from emails where source = 'mailbox' order by id desc limit 1`.execute(server.db);
  expect(rows[0]!.status).toBe('CANCELLED');
});
