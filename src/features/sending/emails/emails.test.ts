import { sql } from 'kysely';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  addVerifiedDomain,
  startRelayWorld,
  type RelayWorld,
} from '../../../testing/fixtures/relay-world.ts';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let world: RelayWorld;
let sink: RelayWorld['sink'];
let server: TestServer;
let team: TestTeam;
let publicKey: string;

beforeAll(async () => {
  world = await startRelayWorld({ env: { MAIL_HOST: 'mx.posthorn.example' } });
  ({ sink, server } = world);
  team = await server.createTeam();
  ({ publicKey } = await addVerifiedDomain(server, team, 'shop.test'));
});
afterAll(() => world.close());
beforeEach(() => sink.reset());

const EMAIL = { from: 'Shop <hello@shop.test>', to: 'ada@example.org', subject: 'Order', text: 'On its way' };

async function send(email: object = {}): Promise<string> {
  const { status, body } = await team.call('POST', '/emails', { ...EMAIL, ...email });
  expect([status, body]).toEqual([200, { emailId: expect.any(String) }]);
  return body.emailId;
}

async function get(emailId: string) {
  return (await team.call('GET', `/emails/${emailId}`)).body;
}

async function becomes(emailId: string, status: string): Promise<void> {
  await expect.poll(async () => (await get(emailId)).status, { interval: 20 }).toBe(status);
}

async function eventsOf(emailId: string): Promise<string[]> {
  return (await get(emailId)).emailEvents.map((event: { status: string }) => event.status);
}

describe('an email', () => {
  test('is sent signed with its own return path, and is DELIVERED', async () => {
    const id = await send({
      to: ['Ada <ada@example.org>', 'grace@example.org'],
      cc: 'cc@example.org',
      bcc: ['secret@example.org'],
      replyTo: 'help@shop.test',
      subject: 'Grüße 📯',
      html: '<p>Hello <b>you</b></p>',
      headers: { 'X-Order': '4711' },
      attachments: [{ filename: 'rechnung.pdf', content: Buffer.from('PDF').toString('base64') }],
    });
    await becomes(id, 'DELIVERED');
    expect(
      sink.messages
        .map((message) => message.recipients)
        .flat()
        .toSorted(),
    ).toEqual(['ada@example.org', 'cc@example.org', 'grace@example.org', 'secret@example.org']);
    const senders = sink.messages.map((message) => message.mailFrom);
    expect(new Set(senders).size).toBe(4);
    expect(senders.every((sender) => sender.endsWith('@bounce.shop.test'))).toBe(true);
    const raw = sink.messages[0]!.data;
    const parsed = await PostalMime.parse(raw);
    expect(parsed).toMatchObject({ subject: 'Grüße 📯', from: { name: 'Shop', address: 'hello@shop.test' } });
    expect(parsed.attachments).toHaveLength(1);
    expect(raw.toString()).not.toContain('secret@example.org');
    const verified = await dkimVerify(raw, {
      resolver: async () => [[`v=DKIM1; k=rsa; p=${publicKey}`]],
    });
    expect(verified.results[0]?.status.result).toBe('pass');
    expect(await get(id)).toMatchObject({
      subject: 'Grüße 📯',
      html: expect.stringContaining('<b>you</b>'),
      scheduledAt: null,
    });
    expect((await eventsOf(id)).toSorted()).toEqual(
      [...Array(4).fill('DELIVERED'), 'QUEUED', ...Array(4).fill('SENT')].toSorted(),
    );
    const { emailEvents } = await get(id);
    const { data } = emailEvents.find((event: { status: string }) => event.status === 'DELIVERED');
    expect(data.transcript).toContain('> DATA');
  });

  test.each([
    [{ from: 'nobody' }],
    [{ from: 'a@unverified.test' }],
    [{ to: [] }],
    [{ to: 'nobody' }],
    [{ to: Array.from({ length: 51 }, (_, at) => `u${at}@example.org`) }],
    [{ subject: null }],
    [{ subject: '' }],
    [{ subject: 'x'.repeat(999) }],
    [{ text: null }],
    [{ headers: { 'X-A': 'a\r\nBcc: eve@example.org' } }],
    [{ headers: { From: 'eve@example.org' } }],
    [{ headers: { 'Bad Name': 'x' } }],
    [{ attachments: [{ filename: 'a', content: '***' }] }],
    [{ attachments: [{ filename: 'a', content: '', contentType: 'text/html\r\nX: y' }] }],
    [{ scheduledAt: '2020-01-01T00:00:00Z' }],
    [{ scheduledAt: '2026-02-30T00:00:00Z' }],
    [{ scheduledAt: '2030-01-01T00:00:00' }],
    [{ scheduledAt: '9999-12-31T23:59:59-12:00' }],
    [{ undoSeconds: 121 }],
  ])('%j is refused', async (change) => {
    expect((await team.call('POST', '/emails', { ...EMAIL, ...change })).status).toBe(400);
  });

  test('its content is returned as it was sent', async () => {
    const both = { html: '<p>On its way.</p>', text: 'On its way.' };
    expect(await get(await send(both))).toMatchObject(both);
    expect(await get(await send({ html: null, text: 'Text alone.' }))).toMatchObject({
      html: null,
      text: 'Text alone.',
    });
  });

  test('an attachment may have type parameters, and base64 in lines', async () => {
    const content = Buffer.from('BEGIN:VCALENDAR').toString('base64');
    const contentType = 'text/calendar; method=REQUEST; charset="utf-8"';
    const id = await send({
      attachments: [
        { filename: 'a.ics', content: `${content.slice(0, 8)}\r\n${content.slice(8)}\n`, contentType },
      ],
    });
    await becomes(id, 'DELIVERED');
    const { data } = sink.messages.find((message) => message.data.includes(id))!;
    const { attachments } = await PostalMime.parse(data);
    expect(attachments[0]).toMatchObject({ mimeType: 'text/calendar', method: 'REQUEST' });
    expect(
      Buffer.from(attachments[0]!.content as ArrayBuffer)
        .toString()
        .trim(),
    ).toBe('BEGIN:VCALENDAR');
  });

  test('a subject cannot inject a header', async () => {
    const id = await send({ subject: 'Hi\r\nBcc: eve@example.org' });
    await becomes(id, 'DELIVERED');
    expect(sink.messages[0]!.data.toString()).not.toMatch(/^bcc:/im);
  });

  test('a batch is all or nothing', async () => {
    const bad = await team.call('POST', '/emails/batch', [EMAIL, { ...EMAIL, from: 'a@unverified.test' }]);
    expect(bad.status).toBe(400);
    const good = await team.call('POST', '/emails/batch', [EMAIL, { ...EMAIL, to: 'b@example.org' }]);
    expect(good.body.data).toHaveLength(2);
    for (const { emailId } of good.body.data) await becomes(emailId, 'DELIVERED');
    expect(sink.messages).toHaveLength(2);
  });

  test('requests with the same Idempotency-Key are sent once', async () => {
    const key = { 'idempotency-key': 'send once' };
    const first = await team.call('POST', '/emails', EMAIL, key);
    const again = await team.call('POST', '/emails', EMAIL, key);
    expect(again.body).toEqual(first.body);
    await becomes(first.body.emailId, 'DELIVERED');
    expect(sink.messages).toHaveLength(1);
  });

  test('a reply has the threading headers of the original', async () => {
    const first = await send();
    await becomes(first, 'DELIVERED');
    await becomes(await send({ inReplyToId: first }), 'DELIVERED');
    const [question, answer] = await Promise.all(
      sink.messages.map((message) => PostalMime.parse(message.data)),
    );
    expect(answer!.inReplyTo).toBe(question!.messageId);
    expect((await team.call('POST', '/emails', { ...EMAIL, inReplyToId: 'eml_nothing' })).status).toBe(404);
  });
});

describe('time', () => {
  test('a scheduled email is sent at its time, and can be rescheduled or cancelled before', async () => {
    const soon = await send({ scheduledAt: new Date(Date.now() + 1_500).toISOString() });
    const later = await send({ scheduledAt: new Date(Date.now() + 3_600_000).toISOString() });
    const never = await send({ undoSeconds: 100 });
    expect((await get(later)).status).toBe('SCHEDULED');
    expect((await team.call('POST', `/emails/${never}/cancel`)).body).toEqual({ emailId: never });
    expect((await get(never)).status).toBe('CANCELLED');
    expect(
      (await team.call('PATCH', `/emails/${later}`, { scheduledAt: new Date().toISOString() })).body,
    ).toEqual({ emailId: later });
    await becomes(later, 'DELIVERED');
    await becomes(soon, 'DELIVERED');
    const { createdAt, emailEvents } = await get(soon);
    const left = emailEvents.find((event: { status: string }) => event.status === 'SENT').createdAt;
    expect(Date.parse(left) - Date.parse(createdAt)).toBeGreaterThan(1_400);
    expect(sink.messages).toHaveLength(2);

    const gone = await team.call('PATCH', `/emails/${soon}`, { scheduledAt: '2020-01-01T00:00:00Z' });
    expect([gone.status, gone.body.error.code]).toEqual([409, 'already_sent']);
    expect((await team.call('POST', `/emails/${soon}/cancel`)).body.error.code).toBe('already_sent');
    const cancelled = await team.call('PATCH', `/emails/${never}`, {
      scheduledAt: new Date(Date.now() + 5_000).toISOString(),
    });
    expect([cancelled.status, cancelled.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(
      (await team.call('PATCH', '/emails/eml_unknown', { scheduledAt: '2020-01-01T00:00:00Z' })).status,
    ).toBe(404);
  });

  test('a recipient that is suppressed before the release gets nothing', async () => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const both = await send({ to: ['late@example.org', 'fine@example.org'], scheduledAt });
    const alone = await send({ to: 'late@example.org', scheduledAt });
    const { body } = await team.call('POST', '/suppressions', { email: 'Late@example.org' });
    const now = { scheduledAt: new Date().toISOString() };
    for (const id of [both, alone]) expect((await team.call('PATCH', `/emails/${id}`, now)).status).toBe(200);
    await becomes(both, 'DELIVERED');
    await becomes(alone, 'SUPPRESSED');
    expect(sink.messages.map(({ recipients }) => recipients)).toEqual([['fine@example.org']]);
    const events = (await get(alone)).emailEvents.map(
      (event: { status: string; recipient: string | null }) => [event.status, event.recipient],
    );
    expect(events).toEqual([
      ['SCHEDULED', null],
      ['SUPPRESSED', 'late@example.org'],
    ]);
    expect((await team.call('POST', `/emails/${alone}/cancel`)).status).toBe(409);
    await team.call('DELETE', `/suppressions/${body.id}`);
  });

  test('either the release or a concurrent cancellation wins', async () => {
    const ids = await Promise.all(
      Array.from({ length: 60 }, () => send({ scheduledAt: new Date(Date.now() + 400).toISOString() })),
    );
    const answers = await Promise.all(
      ids.map(async (id, at) => {
        await new Promise((resolve) => setTimeout(resolve, 300 + at * 4));
        return { id, status: (await team.call('POST', `/emails/${id}/cancel`)).status };
      }),
    );
    for (const { id, status } of answers) await becomes(id, status === 200 ? 'CANCELLED' : 'DELIVERED');
    expect(sink.messages).toHaveLength(answers.filter(({ status }) => status === 409).length);
  });
});

describe('replies of the server', () => {
  test('a bad address bounces, is suppressed, and gets no more mail', async () => {
    sink.behave({ rcptReplies: { 'gone@example.org': '550 5.1.1 No such user' } });
    const id = await send({ to: ['gone@example.org', 'here@example.org'] });
    await becomes(id, 'BOUNCED');
    const bounce = (await get(id)).emailEvents.find(
      (event: { status: string }) => event.status === 'BOUNCED',
    );
    expect(bounce).toMatchObject({ recipient: 'gone@example.org', data: { code: 550, enhanced: '5.1.1' } });
    const { items } = (await team.call('GET', '/suppressions')).body;
    expect(items).toMatchObject([{ email: 'gone@example.org', reason: 'HARD_BOUNCE' }]);

    const again = await send({ to: ['GONE@example.org'] });
    expect((await get(again)).status).toBe('SUPPRESSED');
    const mixed = await send({ to: ['gone@example.org', 'here@example.org'] });
    await becomes(mixed, 'DELIVERED');
    expect(await eventsOf(mixed)).toContain('SUPPRESSED');

    expect((await team.call('DELETE', `/suppressions/${items[0].id}`)).body).toEqual({
      id: items[0].id,
      success: true,
    });
    sink.behave({ rcptReplies: {} });
    await becomes(await send({ to: 'gone@example.org' }), 'DELIVERED');
  });

  test('a policy refusal bounces without suppressing the address', async () => {
    sink.behave({ rcptReplies: { 'picky@example.org': '550 5.7.1 Not today' } });
    await becomes(await send({ to: 'picky@example.org' }), 'BOUNCED');
    expect((await team.call('GET', '/suppressions?email=picky@example.org')).body.items).toEqual([]);
  });

  test('a temporary refusal delays, and the retry delivers', async () => {
    sink.behave({ rcptReplies: { 'later@example.org': '451 4.2.0 Greylisted' } });
    const id = await send({ to: 'later@example.org' });
    await becomes(id, 'DELIVERY_DELAYED');
    sink.behave({ rcptReplies: {} });
    await hurry();
    await becomes(id, 'DELIVERED');
    expect(await eventsOf(id)).toEqual(['QUEUED', 'SENT', 'DELIVERY_DELAYED', 'DELIVERED']);
  });

  test('a relay that is down delays all mail and loses none', async () => {
    await sink.stopListening();
    const id = await send();
    await becomes(id, 'DELIVERY_DELAYED');
    await sink.listenAgain();
    // The relay backs off for a moment after a failure, and an attempt during the backoff is deferred again.
    const hurried = async () => (await hurry(), (await get(id)).status);
    await expect.poll(hurried).toBe('DELIVERED');
    expect(sink.messages).toHaveLength(1);
  });
});

/** Makes deferred deliveries due now. A delivery that is being sent must stay leased, or it would be sent twice. */
async function hurry(): Promise<void> {
  await sql`update deliveries set due_at = now() where leased_by is null`.execute(server.db);
}

describe('access', () => {
  test('another team cannot read, reschedule or cancel emails, nor send from the domain', async () => {
    const other = await server.createTeam();
    const id = await send({ scheduledAt: '2030-01-01T00:00:00Z' });
    expect((await other.call('GET', `/emails/${id}`)).status).toBe(404);
    expect((await other.call('PATCH', `/emails/${id}`, { scheduledAt: '2031-01-01T00:00:00Z' })).status).toBe(
      404,
    );
    expect((await other.call('POST', `/emails/${id}/cancel`)).status).toBe(404);
    expect((await other.call('POST', '/emails', EMAIL)).status).toBe(400);
    expect((await other.call('GET', '/emails')).body.items).toEqual([]);
  });

  test('a sending key can send, reschedule and cancel; a bound key can only use its domain', async () => {
    await addVerifiedDomain(server, team, 'other.test');
    const sending = (await team.call('POST', '/api-keys', { name: 'S', permission: 'sending' })).body.key;
    const call = createCall(server.url, sending);
    const { body } = await call('POST', '/emails', { ...EMAIL, undoSeconds: 60 });
    expect((await call('POST', `/emails/${body.emailId}/cancel`)).status).toBe(200);
    expect((await call('GET', '/emails')).status).toBe(403);

    const domains = (await team.call('GET', '/domains')).body;
    const { id: domainId } = domains.find((domain: { name: string }) => domain.name === 'shop.test');
    const bound = (await team.call('POST', '/api-keys', { name: 'B', permission: 'sending', domainId })).body
      .key;
    expect((await createCall(server.url, bound)('POST', '/emails', EMAIL)).status).toBe(200);
    const foreign = { ...EMAIL, from: 'a@other.test' };
    expect((await createCall(server.url, bound)('POST', '/emails', foreign)).status).toBe(403);

    const inReplyToId = await send({ from: 'a@other.test' });
    const reply = { ...EMAIL, inReplyToId };
    expect((await createCall(server.url, bound)('POST', '/emails', reply)).status).toBe(403);
    expect((await createCall(server.url, bound)('POST', '/emails/batch', [reply])).status).toBe(403);
    expect((await team.call('POST', '/emails', reply)).status).toBe(200);
  });
});

test('in the sandbox nothing is sent, and the messages can be listed', async () => {
  const sandbox = await startTestServer({ doors: ['http', 'worker'] });
  const own = await sandbox.createTeam();
  const { body: domain } = await own.call('POST', '/domains', { name: 'play.test' });
  await own.call('PUT', `/domains/${domain.id}/verify`);
  const { body } = await own.call('POST', '/emails', { ...EMAIL, from: 'a@play.test' });
  await expect
    .poll(async () => (await own.call('GET', `/emails/${body.emailId}`)).body.status)
    .toBe('DELIVERED');
  const { items } = (await own.call('GET', '/sandbox/messages')).body;
  expect(items).toMatchObject([{ emailId: body.emailId, recipient: 'ada@example.org' }]);
  expect(items[0].raw).toContain('DKIM-Signature:');
  await sandbox.close();
});
