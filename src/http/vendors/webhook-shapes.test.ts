/** Tests the exact requests of webhooks in the formats of Mailgun, Postmark and SendGrid. */
import { createHmac, createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createVendorTeam, METADATA, TAG, type Vendor } from '../../testing/fixtures/vendor-webhooks.ts';
import {
  startWebhookReceiver,
  type ReceivedCall,
  type WebhookReceiver,
} from '../../testing/servers/webhook-receiver.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let receiver: WebhookReceiver;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'], env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await server.close();
  await receiver.close();
});

const anyText = () => expect.any(String) as string;
const anyTime = () => expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/) as string;
const anyNumber = () => expect.any(Number) as number;

/** The worker may be slow on a busy computer. */
const PATIENT = { timeout: 30_000 };

/** Sends everything and returns the team, the webhook, and the call for each recipient and type. */
async function sendEverything(vendor: Vendor) {
  receiver.forget();
  const from = await createVendorTeam(server, vendor);
  const hook = await from.addHook(`${receiver.url}/${from.team.teamId}`, ['*']);
  const own = () => receiver.calls.filter(({ path }) => path === `/hook/${from.team.teamId}`);
  await from.sendAll();
  await from.unsubscribe('left@example.com');
  await from.sendInbound();
  return { from, hook, own };
}

async function waitFor(calls: () => ReceivedCall[], isIt: (call: ReceivedCall) => boolean) {
  const found = () => calls().find(isIt);
  await expect.poll(found, PATIENT).toBeDefined();
  return found()!;
}

test('Mailgun: events have its signature and the data of its events API', async () => {
  const { from, hook, own } = await sendEverything('mailgun');
  const about = (event: string, recipient: string) =>
    waitFor(
      own,
      ({ json }) => json?.['event-data'].event === event && json['event-data'].recipient === recipient,
    );
  const head = (recipient: string) => ({
    id: anyText(),
    timestamp: anyNumber(),
    recipient,
    'recipient-domain': recipient.split('@')[1],
    message: {
      headers: {
        to: recipient,
        'message-id': from.ids.get(recipient)!.slice(1, -1),
        from: `ada@${from.domain}`,
        subject: 'Sale',
      },
      attachments: [],
    },
    envelope: { sender: `ada@${from.domain}`, targets: recipient, transport: 'smtp' },
    tags: [TAG],
    campaigns: [],
    'user-variables': METADATA,
    flags: expect.any(Object),
  });
  const bounced = (await about('failed', 'bounce@simulator.test')).json;
  const status = { code: 550, 'enhanced-code': '5.1.1', message: anyText(), description: anyText() };
  expect(bounced).toEqual({
    signature: { timestamp: expect.stringMatching(/^\d+$/), token: expect.any(String), signature: anyText() },
    'event-data': {
      ...head('bounce@simulator.test'),
      event: 'failed',
      severity: 'permanent',
      reason: 'bounce',
      'log-level': 'error',
      'delivery-status': status,
    },
  });
  const { timestamp, token, signature } = bounced.signature;
  expect(token).toMatch(/^[0-9a-f]{50}$/);
  expect(signature).toBe(
    createHmac('sha256', hook.secret)
      .update(timestamp + token)
      .digest('hex'),
  );
  expect((await about('clicked', 'click@simulator.test')).json['event-data']).toEqual({
    ...head('click@simulator.test'),
    event: 'clicked',
    'log-level': 'info',
    url: 'https://shop.example/sale',
    'client-info': { 'user-agent': anyText() },
  });
  expect((await about('failed', 'delay@simulator.test')).json['event-data']).toMatchObject({
    severity: 'temporary',
    'log-level': 'warn',
  });
  expect((await about('unsubscribed', 'left@example.com')).json['event-data']).toEqual({
    id: anyText(),
    event: 'unsubscribed',
    timestamp: anyNumber(),
    'log-level': 'info',
    recipient: 'left@example.com',
    'recipient-domain': 'example.com',
    tags: [],
    campaigns: [],
    'user-variables': {},
  });
  // Events that Mailgun does not have keep their name and data.
  const created = await waitFor(own, ({ json }) => json?.['event-data'].event === 'contact.created');
  expect(created.json['event-data'].data).toMatchObject({ email: 'left@example.com' });

  const form = await readForm(await waitFor(own, ({ json }) => json === null));
  expect(form).toMatchObject({
    recipient: from.mailbox,
    from: `Zoë <zoe@${from.domain}>`,
    subject: 'Grüße',
    'body-mime': expect.stringContaining('X-Case: 7'),
  });
  expect(JSON.parse(form['message-headers']!)).toContainEqual(['X-Case', '7']);
  const signed = createHmac('sha256', hook.secret).update(form.timestamp! + form.token!);
  expect(form.signature).toBe(signed.digest('hex'));
});

test('Postmark: events are one record each, and the URL may have a password', async () => {
  const { from, own } = await sendEverything('postmark');
  const teamId = from.team.teamId;
  const about = async (type: string, recipient: string) =>
    (
      await waitFor(
        own,
        ({ json }) => json.RecordType === type && [json.Recipient, json.Email].includes(recipient),
      )
    ).json;
  const head = (recipient: string) => ({
    ServerID: teamId,
    MessageStream: 'outbound',
    MessageID: from.ids.get(recipient),
    Tag: TAG,
    Metadata: METADATA,
  });
  expect(await about('Delivery', 'grace@example.com')).toEqual({
    RecordType: 'Delivery',
    ...head('grace@example.com'),
    Recipient: 'grace@example.com',
    DeliveredAt: anyTime(),
    Details: 'Kept in the sandbox',
  });
  const bounce = (recipient: string, type: { Type: string; TypeCode: number; Name: string }) => ({
    ID: anyNumber(),
    ...type,
    ...head(recipient),
    Description: anyText(),
    Details: anyText(),
    Email: recipient,
    From: `ada@${from.domain}`,
    BouncedAt: anyTime(),
    DumpAvailable: false,
    Inactive: true,
    CanActivate: true,
    Subject: 'Sale',
  });
  const hard = { Type: 'HardBounce', TypeCode: 1, Name: 'Hard bounce' };
  expect(await about('Bounce', 'bounce@simulator.test')).toEqual({
    RecordType: 'Bounce',
    ...bounce('bounce@simulator.test', hard),
  });
  const delayed = { Type: 'Transient', TypeCode: 2, Name: 'Message delayed' };
  expect(await about('Bounce', 'delay@simulator.test')).toEqual({
    RecordType: 'Bounce',
    ...bounce('delay@simulator.test', delayed),
    Inactive: false,
    CanActivate: false,
  });
  const spam = { Type: 'SpamComplaint', TypeCode: 100_001, Name: 'Spam complaint' };
  expect(await about('SpamComplaint', 'complaint@simulator.test')).toEqual({
    RecordType: 'SpamComplaint',
    ...bounce('complaint@simulator.test', spam),
    CanActivate: false,
  });
  expect(await about('Bounce', 'suppressed@example.com')).toMatchObject({
    Type: 'ManuallyDeactivated',
    TypeCode: 100_002,
  });
  const visit = (recipient: string) => ({
    ...head(recipient),
    Recipient: recipient,
    ReceivedAt: anyTime(),
    UserAgent: anyText(),
    Client: expect.any(Object),
    OS: expect.any(Object),
    Platform: 'Unknown',
    Geo: {},
  });
  expect(await about('Open', 'open@simulator.test')).toEqual({
    RecordType: 'Open',
    ...visit('open@simulator.test'),
    FirstOpen: true,
    ReadSeconds: 0,
  });
  expect(await about('Click', 'click@simulator.test')).toEqual({
    RecordType: 'Click',
    ...visit('click@simulator.test'),
    OriginalLink: 'https://shop.example/sale',
    ClickLocation: 'HTML',
  });
  expect(await about('SubscriptionChange', 'left@example.com')).toEqual({
    RecordType: 'SubscriptionChange',
    MessageID: '',
    ServerID: teamId,
    MessageStream: 'broadcast',
    ChangedAt: anyTime(),
    Recipient: 'left@example.com',
    Origin: 'Recipient',
    SuppressSending: true,
    SuppressionReason: 'ManualSuppression',
    Tag: '',
    Metadata: {},
  });
  const inbound = (await waitFor(own, ({ json }) => json.RecordType === 'Inbound')).json;
  expect(inbound).toMatchObject({
    MessageStream: 'inbound',
    MessageID: expect.stringMatching(/^msg_/),
    From: `zoe@${from.domain}`,
    FromName: 'Zoë',
    FromFull: { Email: `zoe@${from.domain}`, Name: 'Zoë', MailboxHash: '' },
    ToFull: [{ Email: from.mailbox, Name: 'Desk', MailboxHash: '' }],
    OriginalRecipient: from.mailbox,
    Subject: 'Grüße',
    TextBody: expect.stringContaining('A question'),
    HtmlBody: expect.stringContaining('<p>A question</p>'),
    Attachments: [{ Name: 'a.txt', Content: 'ZmlsZQ==', ContentType: 'text/plain', ContentLength: 4 }],
  });
  expect(inbound.Headers).toContainEqual({ Name: 'X-Case', Value: '7' });
  expect(inbound.Headers[0].Name).toBe('Return-Path');

  receiver.forget();
  const { port } = receiver;
  await from.addHook(`http://us%20er:pa%3Ass@127.0.0.1:${port}/basic`, ['email.delivered']);
  await from.sendAll();
  const { headers } = await waitFor(
    () => receiver.calls,
    ({ path }) => path === '/basic',
  );
  expect(headers.authorization).toBe(`Basic ${btoa('us er:pa:ss')}`);
});

test('SendGrid: lists of events have an ECDSA signature that the public key verifies', async () => {
  const { from, hook, own } = await sendEverything('sendgrid');
  const shown = (await from.team.call('GET', `/webhooks/${hook.id}`)).body;
  const key = createPublicKey({ key: Buffer.from(shown.publicKey, 'base64'), format: 'der', type: 'spki' });
  const about = async (event: string, recipient: string) => {
    const call = await waitFor(own, ({ json }) => json?.[0].event === event && json[0].email === recipient);
    const timestamp = String(call.headers['x-twilio-email-event-webhook-timestamp']);
    const signature = Buffer.from(String(call.headers['x-twilio-email-event-webhook-signature']), 'base64');
    expect(verify('sha256', Buffer.from(timestamp + call.body), key, signature)).toBe(true);
    expect(verify('sha256', Buffer.from(`${timestamp}${call.body} `), key, signature)).toBe(false);
    expect(call.json).toHaveLength(1);
    return call.json[0];
  };
  const head = (recipient: string) => ({
    ...METADATA,
    email: recipient,
    timestamp: anyNumber(),
    'smtp-id': expect.stringMatching(/^<.+@v\d+\.test>$/),
    category: [TAG],
    sg_event_id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
    sg_message_id: from.ids.get(recipient),
  });
  expect(await about('processed', 'grace@example.com')).toEqual({
    ...head('grace@example.com'),
    event: 'processed',
  });
  expect(await about('delivered', 'grace@example.com')).toEqual({
    ...head('grace@example.com'),
    event: 'delivered',
    response: 'Kept in the sandbox',
  });
  expect(await about('bounce', 'bounce@simulator.test')).toEqual({
    ...head('bounce@simulator.test'),
    event: 'bounce',
    type: 'bounce',
    reason: 'User unknown (simulated)',
    status: '5.1.1',
  });
  expect(await about('deferred', 'delay@simulator.test')).toEqual({
    ...head('delay@simulator.test'),
    event: 'deferred',
    response: anyText(),
    status: '4.2.1',
  });
  expect(await about('dropped', 'suppressed@example.com')).toEqual({
    ...head('suppressed@example.com'),
    event: 'dropped',
    reason: 'Unsubscribed Address',
  });
  expect(await about('open', 'open@simulator.test')).toEqual({
    ...head('open@simulator.test'),
    event: 'open',
    useragent: anyText(),
  });
  expect(await about('click', 'click@simulator.test')).toEqual({
    ...head('click@simulator.test'),
    event: 'click',
    url: 'https://shop.example/sale',
    useragent: anyText(),
  });
  expect(await about('spamreport', 'complaint@simulator.test')).toEqual({
    ...head('complaint@simulator.test'),
    event: 'spamreport',
  });
  expect(await about('unsubscribe', 'left@example.com')).toMatchObject({ category: [] });

  const form = await readForm(await waitFor(own, ({ json }) => json === null));
  expect(form).toMatchObject({
    to: `Desk <${from.mailbox}>`,
    from: `Zoë <zoe@${from.domain}>`,
    subject: 'Grüße',
    email: expect.stringContaining('X-Case: 7'),
  });
  expect(JSON.parse(form.envelope!)).toMatchObject({ to: [from.mailbox] });
});

test('SendGrid: an event of a whole email is reported for each recipient', async () => {
  const from = await createVendorTeam(server, 'sendgrid');
  receiver.forget();
  await from.addHook(`${receiver.url}/${from.team.teamId}`, ['email.scheduled']);
  await from.team.call('POST', '/emails', {
    from: `ada@${from.domain}`,
    to: ['a@example.com', 'b@example.com'],
    bcc: ['c@example.com'],
    subject: 'x',
    text: 'x',
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const { json } = await waitFor(
    () => receiver.calls,
    ({ path }) => path === `/hook/${from.team.teamId}`,
  );
  expect(json).toMatchObject([
    { event: 'processed', email: 'a@example.com' },
    { event: 'processed', email: 'b@example.com' },
    { event: 'processed', email: 'c@example.com' },
  ]);
  expect(new Set(json.map(({ sg_event_id }: { sg_event_id: string }) => sg_event_id)).size).toBe(3);
});

test('a new secret signs right away, and the public key changes with it', async () => {
  const from = await createVendorTeam(server, 'mailgun');
  receiver.forget();
  const hook = await from.addHook(`${receiver.url}/${from.team.teamId}`, ['email.delivered']);
  expect(hook.publicKey).toBeNull();
  const path = `/webhooks/${hook.id}`;
  const { secret } = (await from.team.call('POST', `${path}/rotate-secret`)).body;
  await from.team.call('POST', `${path}/test`);
  const { json, headers } = await waitFor(
    () => receiver.calls,
    ({ path: at }) => at === `/hook/${from.team.teamId}`,
  );
  const { timestamp, token, signature } = json.signature;
  expect(signature).toBe(
    createHmac('sha256', secret)
      .update(timestamp + token)
      .digest('hex'),
  );
  expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2);
  const changed = (await from.team.call('PATCH', path, { format: 'sendgrid' })).body;
  expect(changed.publicKey).toMatch(/^MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/);
  const rotated = (await from.team.call('POST', `${path}/rotate-secret`)).body;
  expect(rotated.publicKey).not.toBe(changed.publicKey);
});

async function readForm({ headers, body }: ReceivedCall): Promise<Record<string, string>> {
  const type = { 'content-type': headers['content-type']! };
  const form = await new Response(body, { headers: type }).formData();
  return Object.fromEntries([...form].map(([name, value]) => [name, value as string]));
}
