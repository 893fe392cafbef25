import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let other: TestTeam;
let box: { id: string };
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

// The server runs no worker, so nothing is sent by itself.
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

function fromNow(ms: number): string {
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

async function schedule(input: object = {}) {
  return (await send({ send_at: fromNow(DAY), ...input })).body;
}

async function sendNow(messageId: string): Promise<void> {
  expect((await team.call('POST', `/scheduled/${messageId}/send-now`)).status).toBe(200);
}

async function waitingIds(mailboxId = box.id): Promise<string[]> {
  const { body } = await team.call('GET', `/mailboxes/${mailboxId}/scheduled`);
  return body.items.map(({ id }: { id: string }) => id);
}

describe('sending', () => {
  test('a message waits for the undo period of its mailbox and appears in its thread immediately', async () => {
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

  test('a request can set the undo period', async () => {
    const { body } = await send({ undo_seconds: 120 });
    expect(Date.parse(body.send_at) - Date.parse(body.created_at)).toBe(120_000);
  });

  test('without an undo period a message is sent immediately', async () => {
    const { body } = await send({ undo_seconds: 0 });
    expect(body.status).toBe('waiting');
    expect((await team.call('GET', `/messages/${body.id}`)).body.status).toBe('sent');
    const { status, body: refusal } = await team.call('DELETE', `/scheduled/${body.id}`);
    expect([status, refusal.error.code]).toEqual([409, 'already_sent']);
  });

  test('HTML is sanitized in the thread and in the sent message', async () => {
    const { body } = await send({ html: '<p onclick="x()">Hi<script>alert(1)</script></p>' });
    expect((await team.call('GET', `/messages/${body.id}`)).body.html).toBe('<p>Hi</p>');
    const raw = await team.call('GET', `/messages/${body.id}/raw`);
    expect(raw.headers.get('content-type')).toBe('message/rfc822');
    expect(raw.body).toContain('<p>Hi</p>');
    expect(raw.body).not.toContain('script');
  });

  test('bcc recipients are shown in the mailbox but not in the header', async () => {
    const { body } = await send({ cc: ['cc@example.org'], bcc: ['secret@example.org'] });
    const message = (await team.call('GET', `/messages/${body.id}`)).body;
    expect([message.cc, message.bcc]).toEqual([['cc@example.org'], ['secret@example.org']]);
    expect((await team.call('GET', `/messages/${body.id}/raw`)).body).not.toContain('secret@');
  });

  test('a reply joins its thread and has the reply headers', async () => {
    const first = (await send({ undo_seconds: 0 })).body;
    const { body } = await send({ thread_id: first.thread_id, subject: undefined });
    expect([body.thread_id, body.subject]).toEqual([first.thread_id, 'Re: The engine']);
    const before = (await team.call('GET', `/messages/${first.id}`)).body.message_id;
    const raw = (await team.call('GET', `/messages/${body.id}/raw`)).body;
    expect(raw).toContain(`In-Reply-To: ${before}`);
    expect(raw).toContain(`References: ${before}`);
    expect((await team.call('GET', `/threads/${first.thread_id}`)).body.message_count).toBe(2);
  });

  test('attachments are sent and can be downloaded, but not run in the browser', async () => {
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
    ['59 seconds', { send_at: () => fromNow(59_000) }],
    ['367 days', { send_at: () => fromNow(367 * DAY) }],
    ['yesterday', { send_at: () => fromNow(-DAY) }],
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

  test.each([61_000, 365 * DAY - MINUTE])('%d milliseconds ahead are accepted', async (ms) => {
    const send_at = fromNow(ms);
    const { status, body } = await send({ send_at });
    expect([status, body.send_at]).toEqual([200, send_at]);
  });

  test('an unknown mailbox, thread or draft is 404', async () => {
    expect((await send({}, 'mbx_nobody')).status).toBe(404);
    expect((await send({ thread_id: 'thr_nobody' })).status).toBe(404);
    expect((await send({ draft_id: 'msg_nobody' })).status).toBe(404);
    const second = await createMailbox(team, 'second@harbour.test');
    const { thread_id } = (await send({}, second.id)).body;
    expect((await send({ thread_id })).status).toBe(404);
    const input = { to: ['x@example.org'], subject: 'x', text: 'x' };
    expect((await other.call('POST', `/mailboxes/${box.id}/messages`, input)).status).toBe(404);
  });

  test('a domain that the team no longer holds cannot send', async () => {
    const domainId = await addDomain(team, 'lost.test');
    const lost = await createMailbox(team, 'ada@lost.test');
    await sql`update domains set held = false where id = ${domainId}`.execute(server.db);
    expect((await send({}, lost.id)).status).toBe(400);
  });
});

describe('the list of scheduled messages', () => {
  test('shows messages in their undo period and scheduled ones, soonest first', async () => {
    const mailbox = await createMailbox(team, 'list@harbour.test');
    const later = (await send({ send_at: fromNow(2 * DAY) }, mailbox.id)).body;
    const sooner = (await send({ send_at: fromNow(DAY) }, mailbox.id)).body;
    const held = (await send({}, mailbox.id)).body;
    const { body } = await team.call('GET', `/mailboxes/${mailbox.id}/scheduled`);
    const { status: _, ...item } = held;
    expect(body.items[0]).toEqual(item);
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([held.id, sooner.id, later.id]);
  });

  test('has at most 100, all of the same mailbox', async () => {
    const mailbox = await createMailbox(team, 'many@harbour.test');
    const first = (await send({ send_at: fromNow(DAY) }, mailbox.id)).body.id;
    for (let at = 0; at < 5; at += 1)
      await Promise.all(Array.from({ length: 21 }, () => send({ send_at: fromNow(2 * DAY) }, mailbox.id)));
    const ids = await waitingIds(mailbox.id);
    expect([ids.length, ids[0]]).toEqual([100, first]);
    expect((await other.call('GET', `/mailboxes/${mailbox.id}/scheduled`)).status).toBe(404);
    expect((await team.call('GET', `/mailboxes/mbx.x/scheduled`)).status).toBe(400);
  });
});

describe('rescheduling', () => {
  test.each([61_000, 365 * DAY - MINUTE])('to %d milliseconds ahead is accepted', async (ms) => {
    const { id } = await schedule();
    const send_at = fromNow(ms);
    const { status, body } = await team.call('PATCH', `/scheduled/${id}`, { send_at });
    expect([status, body]).toEqual([200, { id, send_at }]);
    expect((await team.call('GET', `/messages/${id}`)).body.send_at).toBe(send_at);
  });

  test.each([59_000, 367 * DAY, -DAY, 0])(
    'to %d milliseconds ahead is rejected and changes nothing',
    async (ms) => {
      const { id, send_at } = await schedule();
      const { status, body } = await team.call('PATCH', `/scheduled/${id}`, { send_at: fromNow(ms) });
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
    ['a body over the limit', { send_at: fromNow(DAY), padding: 'x'.repeat(3 * 1024 * 1024) }],
  ])('with %s is refused', async (_what, input) => {
    const { id } = await schedule();
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    const { status, body } = await team.call('PATCH', `/scheduled/${id}`, input, headers);
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
  });

  test('a sent message is 409, whatever the new time', async () => {
    const { id } = await schedule();
    await sendNow(id);
    for (const ms of [DAY, 59_000, 367 * DAY]) {
      const { status, body } = await team.call('PATCH', `/scheduled/${id}`, { send_at: fromNow(ms) });
      expect([status, body.error.code]).toEqual([409, 'already_sent']);
    }
  });

  test('an unknown message is 404, whatever the new time, and an invalid id is 400', async () => {
    const { id } = await schedule();
    for (const ms of [DAY, 59_000]) {
      const body = { send_at: fromNow(ms) };
      expect((await team.call('PATCH', '/scheduled/msg_nobody', body)).status).toBe(404);
      expect((await other.call('PATCH', `/scheduled/${id}`, body)).status).toBe(404);
      expect((await team.call('PATCH', `/scheduled/${box.id}`, body)).status).toBe(404);
      expect((await team.call('PATCH', '/scheduled/msg.x', body)).status).toBe(400);
      expect((await team.call('PATCH', `/scheduled/${'x'.repeat(65)}`, body)).status).toBe(400);
    }
  });

  test('needs a key with full access', async () => {
    const { id } = await schedule();
    const body = { send_at: fromNow(DAY) };
    expect((await server.call('PATCH', `/scheduled/${id}`, body)).status).toBe(401);
    const { key } = (await team.call('POST', '/api-keys', { name: 'k', permission: 'sending' })).body;
    expect((await createCall(server.url, key)('PATCH', `/scheduled/${id}`, body)).status).toBe(403);
  });
});

describe('send-now', () => {
  test('sends the message and removes it from the list', async () => {
    const { id } = await schedule();
    const { status, body } = await team.call('POST', `/scheduled/${id}/send-now`);
    expect([status, body.id]).toEqual([200, id]);
    expect(Math.abs(Date.parse(body.send_at) - Date.now())).toBeLessThan(MINUTE);
    expect(await waitingIds()).not.toContain(id);
    const again = await team.call('POST', `/scheduled/${id}/send-now`);
    expect([again.status, again.body.error.code]).toEqual([409, 'already_sent']);
    expect((await team.call('GET', `/messages/${id}`)).body).toMatchObject({ status: 'sent', send_at: null });
  });

  test('is 404 for an unknown message', async () => {
    const { id } = await schedule();
    expect((await other.call('POST', `/scheduled/${id}/send-now`)).status).toBe(404);
    expect((await team.call('POST', '/scheduled/msg_nobody/send-now')).status).toBe(404);
  });
});

describe('cancelling', () => {
  test('makes the message a draft with the same id that is no longer scheduled', async () => {
    const { id, thread_id } = await schedule();
    const { status, body } = await team.call('DELETE', `/scheduled/${id}`);
    expect([status, body]).toEqual([200, { id, success: true }]);
    expect((await team.call('GET', `/messages/${id}`)).body).toMatchObject({
      status: 'draft',
      html: '<p>It turns.</p>',
    });
    expect((await team.call('GET', `/mailboxes/${box.id}/drafts/${id}`)).body.thread_id).toBe(thread_id);
    expect((await team.call('PATCH', `/scheduled/${id}`, { send_at: fromNow(DAY) })).status).toBe(404);
    expect((await team.call('POST', `/scheduled/${id}/send-now`)).status).toBe(404);
    expect((await team.call('DELETE', `/scheduled/${id}`)).status).toBe(404);
    expect(await waitingIds()).not.toContain(id);
  });

  test('is 409 after the message was sent', async () => {
    const { id } = await schedule();
    await sendNow(id);
    const { status, body } = await team.call('DELETE', `/scheduled/${id}`);
    expect([status, body.error.code]).toEqual([409, 'already_sent']);
  });

  test('also happens when the email is cancelled', async () => {
    const { id } = await schedule({ subject: 'Cancelled by the other way' });
    const emails = (await team.call('GET', '/emails')).body.items;
    const email = emails.find(({ subject }: { subject: string }) => subject === 'Cancelled by the other way');
    expect((await team.call('POST', `/emails/${email.id}/cancel`)).status).toBe(200);
    expect((await team.call('GET', `/messages/${id}`)).body.status).toBe('draft');
  });

  test('is reversed by sending the draft, which keeps its id and files', async () => {
    const attachments = [{ filename: 'a.txt', content: 'aGk=', content_type: 'text/plain' }];
    const { id, thread_id } = await schedule({ attachments });
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

test('deleting a mailbox cancels its scheduled messages', async () => {
  const mailbox = await createMailbox(team, 'gone@harbour.test');
  const { id, thread_id } = (await send({ send_at: fromNow(DAY) }, mailbox.id)).body;
  await team.call('DELETE', `/mailboxes/${mailbox.id}`);
  expect((await team.call('GET', `/messages/${id}`)).status).toBe(404);
  expect((await team.call('GET', `/threads/${thread_id}`)).status).toBe(404);
  expect((await team.call('PATCH', `/scheduled/${id}`, { send_at: fromNow(DAY) })).status).toBe(404);
  const { rows } = await sql<{ status: string }>`
    select status from emails where source = 'mailbox' order by id desc limit 1`.execute(server.db);
  expect(rows[0]!.status).toBe('CANCELLED');
});
