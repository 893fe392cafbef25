/** What a key with a send policy gets, at every door. */
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJmapClient } from '../../../testing/clients/jmap-client.ts';
import { sendVendorRequest, vendorRequests } from '../../../testing/clients/vendor-requests.ts';
import { makeAgent, type Agent } from '../../../testing/agents.ts';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

const createAgent = (policy: object, key: object = {}) => makeAgent(world, policy, key);

const email = (fields: object = {}) => ({
  from: 'ada@harbour.test',
  to: 'charles@example.org',
  subject: 'The engine',
  text: 'It turns.',
  ...fields,
});

function mailer({ key }: Agent) {
  return nodemailer.createTransport({
    host: '127.0.0.1',
    port: world.server.submissionPort,
    auth: { user: 'posthorn', pass: key },
    tls: { rejectUnauthorized: false },
  });
}

async function sentCount(): Promise<number> {
  return (await world.team.call('GET', '/emails?limit=100')).body.items.length;
}

test.each([
  [{ mode: 'draft_only' }, {}, 'mode'],
  [{ recipients: { deny: ['example.org'] } }, {}, 'recipients.deny'],
  [{ recipients: { allow: ['example.net'] } }, {}, 'recipients.allow'],
  [{ recipients: { allow: ['charles@example.org'] } }, { cc: ['spy@example.org'] }, 'recipients.allow'],
  [
    { recipients: { allow: ['charles@example.org'] }, bcc: true },
    { bcc: ['spy@example.org'] },
    'recipients.allow',
  ],
  [{ recipients: { allow: ['charles@example.org'] } }, { replyTo: 'spy@example.org' }, 'recipients.allow'],
  [
    { recipients: { allow: ['charles@example.org'] } },
    { to: '"spy@example.org" <charles@example.org>' },
    'recipients.allow',
  ],
  [
    { recipients: { allow: ['charles@example.org'] } },
    { headers: { 'Disposition-Notification-To': 'spy@example.org' } },
    'recipients.allow',
  ],
  [{ maxRecipients: 1 }, { to: ['charles@example.org', 'byron@example.org'] }, 'maxRecipients'],
  [{}, { bcc: ['byron@example.org'] }, 'bcc'],
  [{ links: 'none' }, { text: 'See https://example.net/x' }, 'links'],
  [{ links: ['example.com'] }, { html: '<a href="https:\\\\evil.test/x">x</a>' }, 'links'],
  [{ links: ['example.com'] }, { html: '<a href="ht&#116;ps://example.com@evil.test/">x</a>' }, 'links'],
  [{ links: ['example.com'] }, { html: '<img src="//evil.test/example.com">' }, 'links'],
  [{ attachments: 'none' }, { attachments: [{ filename: 'a.txt', content: 'aGk=' }] }, 'attachments'],
  [{ attachments: 'from_thread' }, { attachments: [{ filename: 'a.txt', content: 'aGk=' }] }, 'attachments'],
])('policy %j blocks %j by %s, and nothing is stored', async (policy, fields, rule) => {
  const { call } = await createAgent(policy);
  const before = await sentCount();
  const { status, body } = await call('POST', '/emails', email(fields));
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'blocked', policy: { rule, sentence: expect.stringMatching(/\.$/) } });
  expect(await sentCount()).toBe(before);
  expect((await world.team.call('GET', `/emails/${body.emailId}`)).status).toBe(404);
});

test('what the policy permits is sent, and says that no person wrote it', async () => {
  const { call } = await createAgent({
    recipients: { allow: ['example.org'] },
    links: ['example.com'],
    maxRecipients: 2,
  });
  const { status, body } = await call(
    'POST',
    '/emails',
    email({
      html: '<a href="https://www.example.com/x">x</a>',
      replyTo: 'ada@harbour.test',
      headers: { 'Auto-Submitted': 'no' },
    }),
  );
  expect(status).toBe(200);
  expect(body).toEqual({ emailId: expect.any(String) });
  const source = await fetch(`${world.server.url}/api/v1/emails/${body.emailId}/source`, {
    headers: { authorization: `Bearer ${world.team.key}` },
  });
  const { raw } = (await source.json()) as { raw: string };
  expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(raw).not.toMatch(/^Auto-Submitted: no/m);
});

test('approve_all holds every email; it is not sent, and cannot be released by rescheduling', async () => {
  const { call } = await createAgent({ mode: 'approve_all' });
  const { status, body } = await call('POST', '/emails', email());
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'held', policy: { rule: 'mode' } });
  const stored = async () => (await world.team.call('GET', `/emails/${body.emailId}`)).body;
  expect(await stored()).toMatchObject({ status: 'SCHEDULED', scheduledAt: null });
  const soon = new Date(Date.now() + 120_000).toISOString();
  for (const each of [call, world.team.call])
    expect((await each('PATCH', `/emails/${body.emailId}`, { scheduledAt: soon })).status).toBe(409);
  expect((await call('POST', `/emails/${body.emailId}/cancel`)).status).toBe(200);
  expect(await stored()).toMatchObject({ status: 'CANCELLED' });
});

test('a batch says of each email what became of it', async () => {
  const { call } = await createAgent({ mode: 'approve_new', recipients: { deny: ['example.net'] } });
  const { body } = await call('POST', '/emails/batch', [
    email({ to: 'someone@example.org' }),
    email({ to: 'spy@example.net' }),
  ]);
  expect(body.data).toMatchObject([{ status: 'held' }, { status: 'blocked' }]);
});

test('SMTP replies 250 with the id for a held message and 550 5.7.1 for a blocked one', async () => {
  const held = mailer(await createAgent({ mode: 'approve_all' }));
  const { response } = await held.sendMail(email());
  expect(response).toMatch(/^250 .*Held as eml_\w+.*apr_\w+/);
  const blocked = mailer(await createAgent({ recipients: { allow: ['example.net'] } }));
  await expect(blocked.sendMail(email())).rejects.toThrow(/550 5\.7\.1 .*may not write to/);
  const hidden = mailer(await createAgent({ recipients: { allow: ['charles@example.org'] } }));
  await expect(
    hidden.sendMail({ ...email(), envelope: { from: 'ada@harbour.test', to: 'spy@example.org' } }),
  ).rejects.toThrow(/550 5\.7\.1/);
  await expect(hidden.sendMail({ ...email(), headers: { 'Resent-To': 'spy@example.org' } })).rejects.toThrow(
    /550 5\.7\.1/,
  );
});

test('messages and drafts of mailboxes are held or blocked', async () => {
  const box = await world.freshMailbox({ undo_seconds: 0 });
  const { call } = await createAgent({ mode: 'approve_new', recipients: { deny: ['example.net'] } });
  const message = { to: ['new@example.org'], subject: 'Hello', text: 'It turns.' };
  const { body: held } = await call('POST', `/mailboxes/${box.id}/messages`, message);
  expect(held).toMatchObject({ status: 'held', send_at: null, policy: { rule: 'approve_new' } });
  const seen = (await world.team.call('GET', `/messages/${held.id}`)).body;
  expect(seen).toMatchObject({ status: 'waiting', folder: 'drafts', send_at: null });
  for (const each of [call, world.team.call])
    for (const [method, path] of [
      ['POST', '/send-now'],
      ['PATCH', ''],
    ] as const) {
      const { status, body } = await each(method, `/scheduled/${held.id}${path}`, {
        send_at: new Date(Date.now() + 3_600_000).toISOString(),
      });
      expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
    }
  expect((await call('DELETE', `/scheduled/${held.id}`)).status).toBe(200);

  const { body: draft } = await call('POST', `/mailboxes/${box.id}/drafts`, {
    ...message,
    to: ['spy@example.net'],
  });
  const { body: blocked } = await call('POST', `/mailboxes/${box.id}/drafts/${draft.id}/send`);
  expect(blocked).toMatchObject({ id: draft.id, status: 'blocked', policy: { rule: 'recipients.deny' } });
  expect((await call('GET', `/mailboxes/${box.id}/drafts/${draft.id}`)).body.status).toBe('draft');
});

test('people from whom the mailbox has heard, or to whom it has sent, are not new', async () => {
  const box = await world.freshMailbox({ undo_seconds: 0 });
  const { call } = await createAgent({ mode: 'approve_new' });
  const send = async (to: string) =>
    (await call('POST', `/mailboxes/${box.id}/messages`, { to: [to], subject: 'x', text: 'x' })).body.status;
  expect(await send('grace@example.org')).toBe('held');
  // The message that waits makes nobody known.
  expect(await send('grace@example.org')).toBe('held');
  await world.receive(box, { from: 'grace@example.org' });
  expect(await send('grace@example.org')).toBe('waiting');
  expect(await send('ace@example.org')).toBe('held');
  await world.team.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['alan@example.org'],
    subject: 'x',
    text: 'x',
  });
  expect(await send('alan@example.org')).toBe('waiting');
});

test('people in the thread are allowed, and only in a reply to it', async () => {
  const box = await world.freshMailbox({ undo_seconds: 0 });
  await world.receive(box, { from: 'grace@example.org' });
  const [thread] = await world.threads(box.id);
  const { call } = await createAgent({ recipients: { allow: ['example.com'] } });
  const message = { to: ['grace@example.org'], subject: 'x', text: 'x' };
  const send = async (more: object) =>
    (await call('POST', `/mailboxes/${box.id}/messages`, { ...message, ...more })).body.status;
  expect(await send({})).toBe('blocked');
  expect(await send({ thread_id: thread!.id, to: ['grace@example.org', 'spy@example.org'] })).toBe('blocked');
  expect(await send({ thread_id: thread!.id })).toBe('waiting');
});

test('app passwords of an agent obey its policy, by SMTP and JMAP', async () => {
  const box = await world.freshMailbox({ undo_seconds: 0 });
  const { call } = await createAgent({ recipients: { allow: ['example.com'] } });
  const { body } = await call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'Agent' });
  const app = nodemailer.createTransport({
    host: '127.0.0.1',
    port: world.server.submissionPort,
    auth: { user: box.address, pass: body.password },
    tls: { rejectUnauthorized: false },
  });
  await expect(app.sendMail(email({ from: box.address }))).rejects.toThrow(/550 5\.7\.1/);

  const jmap = createJmapClient(world.server.url, { ...box, password: body.password });
  const { created } = await jmap.call('Email/set', {
    create: {
      d: {
        mailboxIds: { drafts: true },
        from: [{ name: null, email: box.address }],
        to: [{ name: null, email: 'friend@example.com' }],
        subject: 'x',
        textBody: [{ partId: '1', type: 'text/plain' }],
        bodyValues: { '1': { value: 'x' } },
      },
    },
  });
  const identityId = (await jmap.call('Identity/get')).list[0].id;
  const envelope = { mailFrom: { email: box.address }, rcptTo: [{ email: 'spy@example.org' }] };
  const result = await jmap.call('EmailSubmission/set', {
    create: { s: { emailId: created.d.id, identityId, envelope } },
  });
  expect(result.notCreated.s.type).toBe('forbiddenToSend');
});

const post = (path: string, headers: Record<string, string>, body: object) =>
  fetch(`${world.server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

test("vendors' doors reject what is blocked and accept what is held", async () => {
  const allowed = await createAgent({ mode: 'approve_all', recipients: { deny: ['example.net'] } });
  const resend = { authorization: `Bearer ${allowed.key}` };
  const postmark = { 'x-postmark-server-token': allowed.key };
  for (const [to, ok] of [
    ['charles@example.org', true],
    ['spy@example.net', false],
  ] as const) {
    const before = await sentCount();
    const first = await post('/resend/emails', resend, email({ to: [to] }));
    const second = await post('/postmark/email', postmark, {
      From: 'ada@harbour.test',
      To: to,
      Subject: 'x',
      TextBody: 'x',
    });
    expect([first.ok, second.ok]).toEqual([ok, ok]);
    expect((await sentCount()) - before).toBe(ok ? 2 : 0);
  }
});

test("Mailgun's and SendGrid's doors answer as they do for a message that was queued or rejected", async () => {
  const { key } = await createAgent({ mode: 'approve_all', recipients: { deny: ['example.net'] } });
  const { mailgun, sendgrid } = vendorRequests(key, 'harbour.test');
  const before = await sentCount();
  const queued = await sendVendorRequest(world.server, mailgun!);
  expect(queued).toMatchObject({
    status: 200,
    body: { id: expect.any(String), message: expect.any(String) },
  });
  const accepted = await sendVendorRequest(world.server, sendgrid!);
  expect(accepted.status).toBe(202);
  expect((await sentCount()) - before).toBe(2);
  const { body: held } = await world.team.call('GET', '/approvals?state=pending&limit=2');
  expect(held.items.map(({ why }: { why: { rule: string } }) => why.rule)).toEqual(['mode', 'mode']);

  const spy = { email: 'spy@example.net' };
  const blocked = [
    await sendVendorRequest(world.server, mailgun!, { cc: spy.email }),
    await sendVendorRequest(world.server, sendgrid!, {
      personalizations: [{ to: [{ email: 'grace@example.com' }], bcc: [spy] }],
    }),
  ];
  for (const [at, { error }] of [mailgun!, sendgrid!].entries()) {
    expect(blocked[at]!.status).toBe(403);
    expect(blocked[at]!.body).toMatchObject(error);
    expect(JSON.stringify(blocked[at]!.body)).toContain('may not write to spy@example.net');
  }
  expect((await sentCount()) - before).toBe(2);
});

test('limits hold however many emails come at the same moment', async () => {
  const { call } = await createAgent({ maxPerHour: 3 });
  const answers = await Promise.all(Array.from({ length: 10 }, () => call('POST', '/emails', email())));
  const blocked = answers.filter(({ body }) => body.status === 'blocked');
  expect(blocked).toHaveLength(7);
  expect(blocked[0]!.body.policy.rule).toBe('maxPerHour');
});

test('new addresses are counted once', async () => {
  const { call } = await createAgent({ maxNewRecipientsPerDay: 2, mode: 'approve_all' });
  const send = async (to: string) => (await call('POST', '/emails', email({ to }))).body.status;
  expect(await send('one@example.edu')).toBe('held');
  expect(await send('one@example.edu')).toBe('held');
  expect(await send('two@example.edu')).toBe('held');
  expect(await send('three@example.edu')).toBe('blocked');
});

test('a thread gets five emails of an agent without a person between', async () => {
  const box = await world.freshMailbox({ undo_seconds: 0 });
  await world.receive(box, { from: 'robot@example.org', more: 'Auto-Submitted: auto-generated' });
  const [thread] = await world.threads(box.id);
  const { call } = await createAgent({});
  const reply = async () =>
    (
      await call('POST', `/mailboxes/${box.id}/messages`, {
        to: ['robot@example.org'],
        thread_id: thread!.id,
        text: 'x',
      })
    ).body;
  for (let at = 0; at < 5; at++) expect((await reply()).status).toBe('waiting');
  const sixth = await reply();
  expect(sixth).toMatchObject({ status: 'held', policy: { rule: 'thread' } });
  await world.team.call('DELETE', `/scheduled/${sixth.id}`);
  // A person of the team writes, and the count begins again.
  await world.team.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['robot@example.org'],
    thread_id: thread!.id,
    text: 'A person here.',
  });
  expect((await reply()).status).toBe('waiting');
});
