/** Tests the client against a real server, through a proxy that can lose responses. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createSendingTeam, type SendingTeam } from '../src/testing/fixtures/sending-team.ts';
import { startTestServer, type TestServer } from '../src/testing/test-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../src/testing/servers/webhook-receiver.ts';
import { createPosthorn, PosthornError, verifyWebhook, WebhookError, type Posthorn } from './src/index.ts';

/** How the proxy treats the next responses. Afterwards it passes them on. */
type Fault =
  | 'lose answer'
  | 'cut body'
  | 'stop in body'
  | 'reset'
  | { status: number; headers?: Record<string, string>; body?: string };

let server: TestServer;
let team: SendingTeam;
let receiver: WebhookReceiver;
let posthorn: Posthorn;
let proxy: { url: string; faults: Fault[]; keys: (string | null)[]; close(): void };

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'], env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  [team, receiver, proxy] = [
    await createSendingTeam(server, 'client'),
    await startWebhookReceiver(),
    await startProxy(server.url),
  ];
  posthorn = createPosthorn({ apiKey: team.key, baseUrl: `${proxy.url}/` });
});
afterAll(async () => {
  proxy.close();
  await receiver.close();
  await server.close();
});
beforeEach(() => {
  proxy.faults.length = 0;
  proxy.keys.length = 0;
});

async function startProxy(target: string) {
  const faults: Fault[] = [];
  const keys: (string | null)[] = [];
  const handle = async (url: string, init: RequestInit, response: ServerResponse) => {
    const fault = faults.shift();
    if (fault === 'reset') return response.destroy();
    if (typeof fault === 'object')
      return response.writeHead(fault.status, fault.headers).end(fault.body ?? '{}');
    const answer = await fetch(`${target}${url}`, init);
    const body = Buffer.from(await answer.arrayBuffer());
    if (fault === 'lose answer') return response.destroy();
    const length = ['content-encoding', 'content-length', 'transfer-encoding'];
    const headers = Object.fromEntries([...answer.headers].filter(([name]) => !length.includes(name)));
    if (fault === 'cut body' || fault === 'stop in body') {
      response.writeHead(answer.status, { ...headers, 'content-length': body.length });
      response.write(body.subarray(0, 10), () => fault === 'cut body' && response.destroy());
      return response;
    }
    return response.writeHead(answer.status, headers).end(body);
  };
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    keys.push((request.headers['idempotency-key'] as string | undefined) ?? null);
    const { host: _, connection: __, 'transfer-encoding': ___, ...headers } = request.headers;
    const body = parts.length > 0 ? Buffer.concat(parts) : undefined;
    await handle(
      request.url!,
      { method: request.method, headers: headers as Record<string, string>, body },
      response,
    );
  };
  const listening = createServer((request, response) => void pass(request, response));
  await new Promise<void>((resolve) => void listening.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  return { url, faults, keys, close: () => void listening.close() };
}

const email = (subject: string) => ({
  from: `a@${team.domain}`,
  to: 'b@example.com',
  subject,
  text: 'Hello',
});

test('every group works', async () => {
  const { emailId } = await posthorn.emails.send(email('Groups'));
  expect((await posthorn.emails.get(emailId)).subject).toBe('Groups');
  const { data } = await posthorn.emails.sendMany([email('One'), email('Two')]);
  expect(data).toHaveLength(2);
  const template = await posthorn.templates.create({ name: 'T', html: '<p>{{name}}</p>' });
  expect((await posthorn.templates.get(template.id)).variables).toEqual(['name']);
  expect((await posthorn.domains.list()).map(({ name }) => name)).toEqual([team.domain]);
  const book = await posthorn.contactBooks.create({ name: 'Friends' });
  expect(await posthorn.contactBooks.list()).toMatchObject([{ id: book.id }]);
  const { contactId } = await posthorn.contacts.create(book.id, { email: 'ada@example.com' });
  await posthorn.contacts.update(book.id, contactId, { firstName: 'Ada' });
  expect(await posthorn.contacts.get(book.id, contactId)).toMatchObject({ firstName: 'Ada' });
  await posthorn.contacts.createContactImport(book.id, 'email\ngrace@example.com\n');
  expect(await (await posthorn.contacts.export(book.id)).text()).toContain('ada@example.com,Ada');
  const segment = await posthorn.segments.create({
    name: 'Adas',
    contactBookId: book.id,
    filter: { all: [{ field: 'firstName', op: 'equals', value: 'Ada' }] },
  });
  expect(await posthorn.segments.count(segment.id)).toEqual({ count: 1 });
  const topic = await posthorn.topics.create({ name: 'News' });
  expect((await posthorn.topics.list().page()).items).toMatchObject([{ id: topic.id }]);
  const campaign = await posthorn.campaigns.create({
    name: 'C',
    from: `a@${team.domain}`,
    subject: 'S',
    contactBookId: book.id,
    html: '<p>Hi</p>',
  });
  expect((await posthorn.campaigns.list({ search: 'C' })).campaigns).toMatchObject([{ id: campaign.id }]);
  await posthorn.suppressions.add({ email: 'gone@example.com' });
  expect((await posthorn.suppressions.list({ reason: 'MANUAL' }).page()).items).toHaveLength(1);
  expect(await posthorn.queue.count()).toMatchObject({ held: 0 });
  expect((await posthorn.sandbox.listSandboxMessages().page()).items).toBeInstanceOf(Array);
  expect((await posthorn.analytics.getEmailTimeSeries({ days: '7' })).result).toHaveLength(7);
  const mailbox = await posthorn.mailboxes.create({ address: `box@${team.domain}`, name: 'Box' });
  const sent = await posthorn.threads.sendMessage(mailbox.id, {
    to: ['c@example.com'],
    subject: 'Later',
    text: 'Hi',
    undo_seconds: 60,
  });
  expect(await posthorn.waitingMessages.list(mailbox.id)).toMatchObject({ items: [{ id: sent.id }] });
  expect((await posthorn.threads.list(mailbox.id, { folder: 'scheduled' }).page()).items).toHaveLength(1);
  await posthorn.savedReplies.create(mailbox.id, { name: 'Thanks', html: '<p>Thanks</p>' });
  expect((await posthorn.webhooks.listEventTypes()).items.length).toBeGreaterThan(5);
  expect((await posthorn.team.get()).id).toBe(team.teamId);
  expect((await posthorn.apiKeys.list().page()).items).toHaveLength(1);
  expect(await posthorn.members.list()).toMatchObject({ items: [] });
});

test('an error has its code, status and issues', async () => {
  const refused = await posthorn.contactBooks.create({ name: '' }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(PosthornError);
  expect(refused).toMatchObject({
    code: 'BAD_REQUEST',
    status: 400,
    issues: [{ path: '/name' }],
    retryAfter: null,
  });
  // This endpoint returns errors in the string form.
  await expect(posthorn.contactBooks.delete('cbk_none')).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'Contact book not found',
  });
  const stranger = createPosthorn({ apiKey: 'ph_wrong', baseUrl: proxy.url });
  await expect(stranger.team.get()).rejects.toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
  expect(proxy.keys).toHaveLength(3);
});

test('a request is repeated after a reset and after the time that a 503 names', async () => {
  proxy.faults.push('reset', { status: 503, headers: { 'retry-after': '1' } });
  const began = performance.now();
  expect((await posthorn.team.get()).id).toBe(team.teamId);
  expect(performance.now() - began).toBeGreaterThanOrEqual(1_000);
  expect(proxy.keys).toHaveLength(3);

  proxy.faults.push({ status: 429, headers: { 'retry-after': '3600' } });
  await expect(posthorn.team.get()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 3_600 });
  proxy.faults.push('reset', 'reset');
  await expect(posthorn.team.get({ maxRetries: 1 })).rejects.toMatchObject({ code: 'NETWORK', status: 0 });
});

test('an email whose answer was lost is sent once', async () => {
  proxy.faults.push('lose answer', 'lose answer');
  const { emailId } = await posthorn.emails.send(email('Exactly once'));
  expect(new Set(proxy.keys).size).toBe(1);
  expect(proxy.keys).toHaveLength(3);
  const found = [];
  for await (const each of posthorn.emails.list({ search: 'Exactly once' })) found.push(each.id);
  expect(found).toEqual([emailId]);
});

test('a list goes over all its pages', async () => {
  const book = await posthorn.contactBooks.create({ name: 'Many' });
  const people = Array.from({ length: 7 }, (_, index) => ({ email: `p${index}@example.com` }));
  expect((await posthorn.contacts.createMany(book.id, people)).count).toBe(7);
  proxy.keys.length = 0;
  const found: string[] = [];
  for await (const contact of posthorn.contacts.list(book.id, { limit: 3 })) found.push(contact.email);
  expect(found.toSorted()).toEqual(people.map((person) => person.email));
  expect(proxy.keys).toHaveLength(3);
});

test('a call ends when it is aborted or takes too long', async () => {
  const controller = new AbortController();
  controller.abort(new Error('Enough'));
  await expect(posthorn.team.get({ signal: controller.signal })).rejects.toThrow('Enough');
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const waiting = createPosthorn({ apiKey: team.key, baseUrl, timeoutMs: 50, maxRetries: 0 });
  await expect(waiting.team.get()).rejects.toMatchObject({ code: 'TIMEOUT', status: 0 });
  const later = new AbortController();
  const call = waiting.team.get({ signal: later.signal, timeoutMs: 60_000 });
  later.abort(new Error('Stopped'));
  await expect(call).rejects.toThrow('Stopped');
  silent.closeAllConnections();
  silent.close();
});

const HTML = { headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<h1>Bad gateway</h1>' };

test('a request is repeated after a 502 or 504 in HTML, and after a response that is cut off or not JSON', async () => {
  proxy.faults.push({ status: 502, ...HTML }, 'cut body', { status: 200, ...HTML });
  const { emailId } = await posthorn.emails.send(email('Through a bad proxy'));
  expect(proxy.keys).toHaveLength(4);
  expect(new Set(proxy.keys).size).toBe(1);
  const { items } = await posthorn.emails.list({ search: 'Through a bad proxy' }).page();
  expect(items.map(({ id }) => id)).toEqual([emailId]);
});

test('HTML for JSON, and a status of a proxy, give an error that says so', async () => {
  proxy.faults.push({ status: 200, ...HTML }, { status: 504, ...HTML });
  await expect(posthorn.team.get({ maxRetries: 0 })).rejects.toMatchObject({
    name: 'PosthornError',
    code: 'BAD_RESPONSE',
    status: 200,
    message: 'The response is not JSON but text/html. Check that baseUrl is the URL of a Posthorn server.',
  });
  await expect(posthorn.team.get({ maxRetries: 0 })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    status: 504,
    message: 'The server responded with 504 (Gateway Timeout) and no error in JSON.',
  });
});

test('the timeout and the signal hold while the body arrives', async () => {
  proxy.faults.push('stop in body', 'stop in body', 'stop in body', 'stop in body');
  const once = { maxRetries: 0 };
  await expect(posthorn.team.get({ ...once, timeoutMs: 200 })).rejects.toMatchObject({ code: 'TIMEOUT' });
  const book = await posthorn.contactBooks.create({ name: 'Stopped' }, { timeoutMs: 200 });
  proxy.faults.splice(0, Infinity, 'stop in body', 'stop in body', 'stop in body');
  const stopper = new AbortController();
  const call = posthorn.team.get({ ...once, signal: stopper.signal });
  setTimeout(() => stopper.abort(new Error('Stopped')), 200);
  await expect(call).rejects.toThrow('Stopped');
  const file = posthorn.contacts.export(book.id, { ...once, timeoutMs: 200 });
  await expect(file.then((response) => response.text())).rejects.toMatchObject({ code: 'TIMEOUT' });
  const later = new AbortController();
  const other = await posthorn.contacts.export(book.id, { signal: later.signal });
  later.abort(new Error('Enough'));
  await expect(other.text()).rejects.toThrow('Enough');
});

const setting = (settings: object) => () =>
  createPosthorn({ apiKey: 'ph_x', baseUrl: 'http://127.0.0.1', ...settings });

test('missing and wrong settings are named', () => {
  for (const apiKey of [undefined, '']) expect(setting({ apiKey })).toThrow('apiKey is missing.');
  expect(setting({ baseUrl: undefined })).toThrow('baseUrl is missing.');
  for (const baseUrl of ['posthorn.example.com', 'ftp://x'])
    expect(setting({ baseUrl })).toThrow(`baseUrl is not an http or https URL: ${baseUrl}`);
  expect(setting({ apiKey: '' })).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }));
});

test('a webhook of the server is verified, also while its secret is rotated, and a changed one is not', async () => {
  const hook = await posthorn.webhooks.create({ url: receiver.url, events: ['*'] });
  const rotated = await posthorn.webhooks.rotateWebhookSecret(hook.id);
  receiver.forget();
  await posthorn.webhooks.sendTestEvent(hook.id);
  const [call] = await receiver.waitForCalls(1);
  const { body, headers } = call!;
  for (const secret of [hook.secret, rotated.secret])
    expect(await posthorn.webhooks.verify(body, headers, secret)).toEqual(JSON.parse(body));
  expect(
    await verifyWebhook(Buffer.from(body), new Headers(headers as Record<string, string>), hook.secret),
  ).toEqual(JSON.parse(body));
  const old = String(Math.floor(Date.now() / 1_000) - 301);
  const { 'webhook-signature': _, ...unsigned } = headers;
  const other = 'whsec_c2VjcmV0IG9mIHNvbWVib2R5IGVsc2U=';
  for (const [payload, sent, secret] of [
    [`${body} `, headers, hook.secret],
    [body, headers, other],
    [body, { ...headers, 'webhook-timestamp': old }, hook.secret],
    [body, { ...headers, 'webhook-signature': 'v1,AAAA v2,x' }, hook.secret],
    [body, unsigned, hook.secret],
  ] as const)
    await expect(verifyWebhook(payload, sent, secret)).rejects.toBeInstanceOf(WebhookError);
  await expect(verifyWebhook(body, headers, undefined)).rejects.toThrow('The secret is missing');
});
