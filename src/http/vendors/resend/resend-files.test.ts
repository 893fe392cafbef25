import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Resend } from 'resend';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  shareTestServer,
  startTestServer,
  type TestServer,
  type TestTeam,
} from '../../../testing/test-server.ts';
import { connectResend } from '../../../testing/clients/vendor-clients.ts';

let server: TestServer;
let team: TestTeam;
let resend: Resend;
let files: Server;
let fileUrl: string;
let asked: string[] = [];
let isGone = false;
let from: string;

const clientOf = (key: string) => connectResend(server, key);

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'], env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  team = await server.createTeam();
  resend = clientOf(team.key);
  from = `Ada <ada@f${team.teamId}.test>`;
  const { id } = (await resend.domains.create({ name: `f${team.teamId}.test` })).data!;
  await resend.domains.verify(id);
  files = createServer(({ url }, response) => {
    asked.push(url!);
    if (isGone || url === '/missing') response.writeHead(404).end();
    else if (url === '/moved') response.writeHead(302, { location: '/report%20one.txt' }).end();
    else if (url === '/huge') response.end(Buffer.alloc(26 * 1024 * 1024));
    else response.end('from a URL');
  });
  await new Promise<void>((listening) => files.listen(0, '127.0.0.1', listening));
  fileUrl = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
});
afterAll(async () => {
  files.closeAllConnections();
  await new Promise((closed) => files.close(closed));
  await server.close();
});

/** The worker may be slow on a busy computer. */
const MISSING = { statusCode: 404, name: 'not_found' };
const INVALID = { statusCode: 422, name: 'invalid_attachment' };

/** The test server has a different port than its links. */
const toServer = (url: string) => url.replace(/^http:\/\/[^/]+/, server.url);
const download = (url: string) => fetch(toServer(url));

const send = (attachments: object[], options: { idempotencyKey?: string } = {}) =>
  resend.emails.send({ from, to: 'g@example.com', subject: 'Files', text: 'x', attachments }, options);

describe('attachments of sent emails', () => {
  test('are fetched from their URL, listed and downloaded', async () => {
    const { data } = await send([
      { path: `${fileUrl}/report%20one.txt` },
      { filename: 'b.bin', content: Buffer.from([1, 2, 3]), contentType: 'application/x-thing' },
    ]);
    const emailId = data!.id;
    const list = (await resend.emails.attachments.list({ emailId })).data!;
    expect(list).toMatchObject({
      object: 'list',
      has_more: false,
      data: [
        { filename: 'report one.txt', size: 10, content_disposition: 'attachment' },
        { filename: 'b.bin', size: 3, content_type: 'application/x-thing' },
      ],
    });
    const file = (await resend.emails.attachments.get({ emailId, id: list.data[0]!.id })).data!;
    const response = await download(file.download_url);
    expect(await response.text()).toBe('from a URL');
    expect(response.headers.get('content-disposition')).toContain('report one.txt');
    expect((await download(`${file.download_url}x`)).status).toBe(404);
    expect((await resend.emails.attachments.get({ emailId, id: '7' })).error).toMatchObject(MISSING);
    const other = clientOf((await server.createTeam()).key);
    expect((await other.emails.attachments.list({ emailId })).error).toMatchObject(MISSING);
  });

  test('that cannot be fetched are refused, and nothing is sent', async () => {
    const before = (await resend.emails.list()).data!.data.length;
    for (const [path, reason] of [
      ['/missing', 'status 404'],
      ['/moved', 'redirects'],
      ['/huge', 'too large'],
    ])
      expect((await send([{ path: `${fileUrl}${path}` }])).error).toMatchObject({
        ...INVALID,
        message: expect.stringContaining(reason!),
      });
    expect((await send([{ path: 'file:///etc/passwd' }])).error).toMatchObject(INVALID);
    expect((await send([{ path: 'http://127.0.0.1:1/x' }])).error).toMatchObject(INVALID);
    expect((await send([{ path: `${fileUrl}/a`, content: 'YQ==' }])).error).toMatchObject(INVALID);
    const email = { from, to: 'g@example.com', subject: 'x', text: 'x' };
    const batch = await resend.batch.send([
      { ...email, attachments: [{ path: `${fileUrl}/a` }] } as typeof email,
    ]);
    expect(batch.error).toMatchObject({ statusCode: 422 });
    expect((await resend.emails.list()).data!.data).toHaveLength(before);
  });

  test('are not needed again to replay an answer', async () => {
    const idempotencyKey = `files-${team.teamId}`;
    const first = await send([{ path: `${fileUrl}/once.txt` }], { idempotencyKey });
    isGone = true;
    const again = await send([{ path: `${fileUrl}/once.txt` }], { idempotencyKey });
    isGone = false;
    expect(again.data).toEqual(first.data);
  });

  test('at private addresses are refused unless the operator allows them', async () => {
    const strict = await shareTestServer();
    const own = await strict.createTeam();
    const { id } = (await own.call('POST', '/domains', { name: `g${own.teamId}.test` })).body;
    await own.call('PUT', `/domains/${id}/verify`);
    asked = [];
    const { error } = await connectResend(strict, own.key).emails.send({
      from: `a@g${own.teamId}.test`,
      to: 'g@example.com',
      subject: 'x',
      text: 'x',
      attachments: [{ path: `${fileUrl}/secret` }],
    });
    expect(error).toMatchObject(INVALID);
    expect(asked).toEqual([]);
    await strict.close();
  });
});

test('inboxes are mailboxes, with their threads', async () => {
  const emailAddress = `inbox@f${team.teamId}.test`;
  const { data } = await resend.inboxes.create({ emailAddress, fromName: 'Inbox' });
  const { id } = data!;
  expect(data).toEqual({ object: 'inbox', id: expect.stringMatching(/^mbx_/) });
  expect((await resend.inboxes.create({ emailAddress })).error).toMatchObject({ statusCode: 409 });
  const elsewhere = { emailAddress: 'a@elsewhere.example' };
  expect((await resend.inboxes.create(elsewhere)).error).toMatchObject({ statusCode: 422 });
  expect((await resend.inboxes.create({ emailAddress, forwarding: true })).error).toMatchObject({
    statusCode: 422,
  });
  const further = `further@f${team.teamId}.test`;
  expect((await team.call('POST', `/mailboxes/${id}/addresses`, { address: further })).status).toBe(200);
  await resend.emails.send({
    from,
    to: emailAddress,
    cc: ['cc@example.com', further],
    subject: 'Hello',
    text: 'Hi there',
    attachments: [{ filename: 'a.txt', content: Buffer.from('one') }],
  });
  await expect.poll(async () => (await resend.inboxes.get(id)).data!.unread).toBe(1);
  const domainId = (await resend.domains.list()).data!.data[0]!.id;
  const shown = { id, name: 'Inbox', from_name: 'Inbox', email_address: emailAddress, unread: 1 };
  expect((await resend.inboxes.get(further)).data).toMatchObject(shown);
  expect((await resend.inboxes.get(emailAddress)).data).toMatchObject({
    object: 'inbox',
    ...shown,
    domain_id: domainId,
    drafts: 0,
    last_received: expect.any(String),
  });
  expect((await resend.inboxes.list()).data!.data).toContainEqual(expect.objectContaining(shown));
  expect((await resend.inboxes.update(id, { fromName: 'Desk' })).data).toEqual({ object: 'inbox', id });
  expect((await resend.inboxes.get(id)).data).toMatchObject({ from_name: 'Desk' });

  const { threads } = resend.inboxes;
  const listed = (await threads.list({ inboxId: id, folders: ['inbox'], read: false })).data!;
  const threadId = listed.data[0]!.id;
  expect(listed.data).toMatchObject([
    {
      id: expect.stringMatching(/^thr_/),
      subject: 'Hello',
      from,
      to: [emailAddress],
      cc: ['cc@example.com', further],
      email_count: 1,
      has_attachment: true,
      has_draft: false,
      read: false,
      folder: 'inbox',
    },
  ]);
  expect((await threads.list({ emailAddress, after: threadId })).data!.data).toEqual([]);
  const search = async (fields: object) =>
    (await threads.search({ inboxId: id, ...fields })).data!.data.map((thread) => thread.id);
  const today = new Date().toISOString().slice(0, 10);
  const matching = {
    query: 'hello there',
    from: ['ada'],
    hasAttachment: true,
    startDate: today,
    endDate: today,
  };
  expect(await search(matching)).toEqual([threadId]);
  for (const other of [
    { query: 'is:unread' },
    { from: ['bob'] },
    { hasAttachment: false },
    { endDate: '2020-01-01' },
  ])
    expect(await search(other), JSON.stringify(other)).toEqual([]);
  const one = { emailAddress, threadId };
  const emails = (await threads.emails.list(one)).data!.data;
  expect(emails).toMatchObject([
    { direction: 'inbound', from, subject: 'Hello', attachments: [{ size: 3 }] },
  ]);
  const emailId = emails[0]!.id;
  expect((await threads.emails.get({ ...one, emailId })).data).toEqual(emails[0]);
  expect((await threads.update({ ...one, read: true, folder: 'archive' })).data).toMatchObject({
    object: 'inbox_thread',
    id: threadId,
    folder: 'archive',
    read: true,
  });
  const { drafts } = resend.inboxes;
  const written = { inboxId: id, threadId, replyToEmailId: emailId, to: 'boss@example.com', text: 'Draft' };
  const draftId = (
    await drafts.create({ ...written, attachments: [{ filename: 'u', path: `${fileUrl}/u` }] })
  ).data!.id;
  const draft = { inboxId: id, draftId };
  await drafts.update({ ...draft, subject: 'Re: Hello' });
  expect((await drafts.get(draft)).data).toMatchObject({
    object: 'inbox_draft',
    id: draftId,
    type: 'reply',
    to: ['boss@example.com'],
    subject: 'Re: Hello',
    text: 'Draft',
    thread_id: threadId,
    attachments: [{ filename: 'u', size: 10 }],
  });
  expect((await drafts.list({ inboxId: id })).data!.data).toMatchObject([{ id: draftId, snippet: 'Draft' }]);
  expect((await drafts.send({ ...draft, headers: { 'X-A': 'b' } })).error).toMatchObject({ statusCode: 422 });
  expect((await drafts.send(draft)).data).toEqual({ id: draftId });
  expect((await drafts.get(draft)).error).toMatchObject(MISSING);
  const spare = (await drafts.create({ inboxId: id, text: 'Spare' })).data!.id;
  expect((await drafts.get({ inboxId: id, draftId: spare })).data).toMatchObject({
    type: 'standalone',
    to: null,
    thread_id: null,
  });
  await drafts.remove({ inboxId: id, draftId: spare });
  expect((await drafts.list({ inboxId: id })).data!.data).toEqual([]);
  const reply = await threads.emails.reply({ ...one, emailId, text: 'Thanks', replyAll: true });
  expect((await threads.emails.get({ ...one, emailId: reply.data!.id })).data).toMatchObject({
    direction: 'outbound',
    to: [from],
    cc: ['cc@example.com'],
    subject: 'Re: Hello',
  });
  const forwarded = await threads.emails.forward({
    ...one,
    emailId,
    to: 'boss@example.com',
    text: 'See below',
  });
  const message = (await team.call('GET', `/messages/${forwarded.data!.id}`)).body;
  expect(message).toMatchObject({
    direction: 'out',
    to: ['boss@example.com'],
    subject: 'Fwd: Hello',
    attachments: [{ size: 3 }],
  });
  expect(message.text).toContain(`See below\n\n---------- Forwarded message ----------\nFrom: ${from}`);
  const files = Array.from({ length: 10 }, (_, no) => ({ filename: `${no}`, content: 'eA==' }));
  for (const bad of [{ to: [] }, { to: 'boss@example.com', attachments: files }, { to: 'nobody' }])
    expect((await threads.emails.forward({ ...one, emailId, ...bad })).error).toMatchObject({
      statusCode: 422,
    });
  const missing = await threads.emails.forward({ ...one, emailId: 'msg_x', to: 'boss@example.com' });
  expect(missing.error).toMatchObject(MISSING);
  await team.call('PUT', `/threads/${threadId}/snooze`, {
    until: new Date(Date.now() + 3_600_000).toISOString(),
  });
  expect((await threads.get(one)).data).toMatchObject({ folder: 'archive' });
  await team.call('DELETE', `/threads/${threadId}/snooze`);
  const { labels } = resend.inboxes;
  const labelId = (await labels.create({ inboxId: id, name: 'Big client', color: '#ff0000' })).data!.id;
  expect((await labels.create({ inboxId: id, name: 'big client' })).error).toMatchObject({ statusCode: 409 });
  const shownLabel = { id: labelId, name: 'Big client', color: '#ff0000' };
  expect((await labels.list({ inboxId: id })).data!.data).toEqual([
    { ...shownLabel, created_at: expect.any(String) },
  ]);
  const labelled = { object: 'list', data: [shownLabel] };
  expect((await threads.labels.add({ ...one, labels: [labelId] })).data).toEqual(labelled);
  expect((await threads.get(one)).data).toMatchObject({ labels: [shownLabel] });
  const found = (await threads.list({ inboxId: id, labels: [labelId] })).data!.data;
  expect(found).toMatchObject([{ id: threadId, labels: [shownLabel] }]);
  expect((await threads.labels.remove({ ...one, labelId })).data).toEqual({ object: 'list', data: [] });
  expect((await threads.labels.add({ ...one, labels: [] })).error).toMatchObject({ statusCode: 422 });
  await labels.update({ inboxId: id, labelId, name: 'Client' });
  expect((await labels.list({ inboxId: id })).data!.data).toMatchObject([{ id: labelId, name: 'Client' }]);
  expect((await labels.remove({ inboxId: id, labelId })).data).toMatchObject({ id: labelId, deleted: true });
  const { agent } = resend.inboxes;
  const nothing = { object: 'inbox_agent', instructions: null, tone: null, actions: [] };
  expect((await agent.get({ inboxId: id })).data).toEqual(nothing);
  const told = { instructions: 'We open at 9.', actions: ['draft_reply' as const] };
  expect((await agent.update({ emailAddress, ...told })).data).toEqual({ object: 'inbox_agent', id });
  await agent.update({ inboxId: id, tone: 'concise_casual' });
  expect((await agent.get({ emailAddress })).data).toEqual({ ...nothing, ...told, tone: 'concise_casual' });
  const tooLong = await agent.update({ inboxId: id, instructions: 'x'.repeat(4001) });
  expect(tooLong.error).toMatchObject({ statusCode: 422 });
  const second = (await resend.inboxes.create({ emailAddress: `second@f${team.teamId}.test` })).data!.id;
  expect((await threads.get({ inboxId: second, threadId })).error).toMatchObject(MISSING);
  const other = clientOf((await server.createTeam()).key);
  expect((await other.inboxes.get(id)).error).toMatchObject(MISSING);
  expect((await other.inboxes.agent.get({ inboxId: id })).error).toMatchObject(MISSING);
  expect((await other.inboxes.get(emailAddress)).error).toMatchObject(MISSING);
  expect((await other.inboxes.list()).data!.data).toEqual([]);
  expect((await other.inboxes.threads.get({ inboxId: id, threadId })).error).toMatchObject(MISSING);
  await threads.update({ ...one, folder: 'trash' });
  const gone = { object: 'inbox_thread', id: threadId, deleted: true };
  expect((await threads.remove(one)).data).toEqual(gone);
  expect((await threads.get(one)).error).toMatchObject(MISSING);
  expect((await resend.inboxes.remove(id)).data).toEqual({ object: 'inbox', id, deleted: true });
  await resend.inboxes.remove(second);
  expect((await resend.inboxes.get(id)).error).toMatchObject(MISSING);
});

test('received mail is listed, shown with its source and attachments, and forwarded', async () => {
  const address = `desk@f${team.teamId}.test`;
  await team.call('POST', '/mailboxes', { address });
  const image = '<p>Look: <img src="cid:logo"></p>';
  const logo = {
    filename: 'logo.png',
    content: Buffer.from('89504e470d0a1a0a', 'hex'),
    contentType: 'image/png',
  };
  const attachments = [
    { ...logo, contentId: 'logo' },
    { filename: 'a.txt', content: Buffer.from('one') },
  ];
  const sent = {
    from,
    to: address,
    subject: 'Question',
    html: image,
    headers: { 'X-Case': '7' },
    attachments,
  };
  await resend.emails.send(sent);
  const list = async () => (await resend.emails.receiving.list()).data!.data;
  await expect.poll(async () => (await list()).length).toBe(1);
  const [listed] = await list();
  expect(listed).toMatchObject({ from, to: [address], subject: 'Question', received_for: [address] });
  const { id } = listed!;
  const shown = (await resend.emails.receiving.get(id)).data!;
  expect(shown).toMatchObject({ object: 'email', id, headers: { 'x-case': '7', subject: 'Question' } });
  expect(shown.html).toContain('data:image/png;base64');
  expect((await resend.emails.receiving.get(id, { html_format: 'cid' })).data!.html).toContain('cid:logo');
  expect(shown.attachments.map(({ filename }) => filename)).toEqual(['logo.png', 'a.txt']);
  expect(await (await download(shown.raw!.download_url)).text()).toContain('Subject: Question');
  const file = (await resend.emails.receiving.attachments.list({ emailId: id })).data!.data[1]!;
  expect(await (await download(file.download_url)).text()).toBe('one');
  const same = (await resend.emails.receiving.attachments.get({ emailId: id, id: file.id })).data!;
  expect(same).toMatchObject({ object: 'attachment', filename: 'a.txt', size: 3 });
  // The SDK reads the source and sends it again.
  const realFetch = fetch;
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => realFetch(toServer(url), init));
  const forwarded = await resend.emails.receiving.forward({ emailId: id, from, to: 'boss@example.com' });
  vi.unstubAllGlobals();
  expect((await resend.emails.get(forwarded.data!.id)).data).toMatchObject({ subject: 'Question' });
  const emailId = forwarded.data!.id;
  expect((await resend.emails.attachments.list({ emailId })).data!.data).toHaveLength(2);
  const other = clientOf((await server.createTeam()).key);
  expect((await other.emails.receiving.get(id)).error).toMatchObject(MISSING);
  expect((await other.emails.receiving.list()).data!.data).toEqual([]);
});
