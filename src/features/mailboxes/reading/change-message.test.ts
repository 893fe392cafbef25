import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { createCall } from '../../../testing/test-server.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

function patch(messageId: string, body: unknown, team = world.team) {
  return team.call('PATCH', `/messages/${messageId}`, body);
}

/** Creates a thread of two received messages. */
async function createThread() {
  const box = await world.freshMailbox();
  await world.receive(box, { subject: 'Two', text: 'First' });
  await world.receive(box, { subject: 'Re: Two', text: 'Second' });
  const [thread] = await world.threads(box.id);
  const { messages } = await world.thread(thread!.id);
  return { box, threadId: thread!.id, first: messages[0]!.id, second: messages[1]!.id };
}

test('flags, labels and folder belong to the message, and the thread shows what its messages have', async () => {
  const { box, threadId, first, second } = await createThread();
  const { status, body } = await patch(first, {
    read: true,
    starred: true,
    labels: ['work', 'Blue', 'work'],
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: first,
    read: true,
    starred: true,
    labels: ['Blue', 'work'],
    folder: 'inbox',
  });
  expect(await world.thread(threadId)).toMatchObject({
    unread: true,
    starred: true,
    messages: [
      { read: true, starred: true, answered: false, labels: ['Blue', 'work'] },
      { read: false, starred: false, labels: [] },
    ],
  });
  const found = async (query: string) => (await world.threads(box.id, query)).length;
  expect(await found('?starred=true')).toBe(1);
  expect(await found('?starred=false')).toBe(0);
  expect(await found('?label=work')).toBe(1);
  expect(await found('?label=Work')).toBe(0);
  await patch(second, { read: true });
  expect((await world.thread(threadId)).unread).toBe(false);
  await patch(first, { starred: false, labels: ['work'] });
  expect(await found('?starred=true')).toBe(0);
  expect((await patch(first, { labels: [] })).body.labels).toEqual([]);
  expect(await found('?label=work')).toBe(0);
});

test('a thread is starred with its newest message and loses all stars together', async () => {
  const { threadId, first } = await createThread();
  await patch(first, { starred: true });
  const star = (starred: boolean) => world.team.call('PATCH', `/threads/${threadId}`, { starred });
  const stars = async () => (await world.thread(threadId)).messages.map(({ starred }) => starred);
  expect((await star(true)).body).toEqual({ success: true });
  expect(await stars()).toEqual([true, true]);
  await star(false);
  expect(await stars()).toEqual([false, false]);
});

test('a message can leave its thread mates behind, and the thread stays where the others are', async () => {
  const { box, threadId, first, second } = await createThread();
  expect((await patch(first, { folder: 'trash' })).body.folder).toBe('trash');
  expect(await world.thread(threadId)).toMatchObject({ folder: 'inbox', message_count: 2 });
  await patch(second, { folder: 'archive' });
  expect((await world.thread(threadId)).folder).toBe('archive');
  expect((await world.team.call('DELETE', `/threads/${threadId}`)).status).toBe(409);
  expect((await world.team.call('DELETE', `/mailboxes/${box.id}/trash`)).status).toBe(200);
  expect((await world.thread(threadId)).messages.map(({ id }) => id)).toEqual([second]);
  await patch(second, { folder: 'trash' });
  expect(await world.folder(box.id, 'trash')).toEqual({ folder: 'trash', unread: 1, total: 1 });
});

test.each([
  ['nothing', {}],
  ['a word for starred', { starred: 'yes' }],
  ['null', { read: null }],
  ['a folder that is none', { folder: 'scheduled' }],
  ['a label with a space', { labels: ['two words'] }],
  ['a label with a backslash', { labels: ['\\Seen'] }],
  ['a label with a NUL', { labels: ['a\0'] }],
  ['a lone surrogate', { labels: ['\ud800'] }],
  ['a long label', { labels: ['x'.repeat(101)] }],
  ['101 labels', { labels: Array.from({ length: 101 }, (_, at) => `l${at}`) }],
  ['an array', []],
])('a message is not changed by %s', async (_what, body) => {
  const { first } = await createThread();
  const answer = await patch(first, body);
  expect([answer.status, answer.body.error.code]).toEqual([400, 'BAD_REQUEST']);
});

test('a message of another team, and an unknown folder, are not found', async () => {
  const { first } = await createThread();
  expect((await patch(first, { starred: true }, world.other)).status).toBe(404);
  expect((await patch('msg_nobody', { starred: true })).status).toBe(404);
  expect((await patch(first, { folder: 'fld_01kbd8x4zvf7m8rk2q3w5t6y7h' })).status).toBe(404);
  const { key } = (await world.team.call('POST', '/api-keys', { name: 'k', permission: 'sending' })).body;
  const sending = createCall(world.server.url, key);
  expect((await sending('PATCH', `/messages/${first}`, { starred: true })).status).toBe(403);
  expect((await world.team.call('GET', `/messages/${first}`)).body).toMatchObject({
    starred: false,
    folder: 'inbox',
  });
});

test('a released message moves from drafts to sent, and what it answers is marked', async () => {
  const { box, threadId, second } = await createThread();
  const reply = { to: ['charles@example.org'], thread_id: threadId, text: 'Yes' };
  const { body: waiting } = await world.team.call('POST', `/mailboxes/${box.id}/messages`, {
    ...reply,
    undo_seconds: 120,
  });
  const get = async (id: string) => (await world.team.call('GET', `/messages/${id}`)).body;
  expect(await get(waiting.id)).toMatchObject({ folder: 'drafts', status: 'waiting' });
  expect((await get(second)).answered).toBe(false);
  await world.team.call('POST', `/scheduled/${waiting.id}/send-now`);
  expect(await get(waiting.id)).toMatchObject({ folder: 'sent', status: 'sent' });
  expect((await get(second)).answered).toBe(true);
  const { body: gone } = await world.team.call('POST', `/mailboxes/${box.id}/messages`, {
    ...reply,
    undo_seconds: 0,
  });
  expect((await get(gone.id)).folder).toBe('sent');
  expect((await get(waiting.id)).answered).toBe(true);
});

test('a thread shows its last message again after a draft with a newer text is deleted', async () => {
  const box = await world.freshMailbox();
  await world.receive(box, {
    subject: 'Rich',
    text: '<p>Only <b>HTML</b></p>',
    more: 'MIME-Version: 1.0\nContent-Type: text/html',
  });
  const [thread] = await world.threads(box.id);
  const path = `/mailboxes/${box.id}/drafts`;
  const { body: sent } = await world.team.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['charles@example.org'],
    thread_id: thread!.id,
    text: 'Unsaid',
    undo_seconds: 120,
  });
  await world.team.call('DELETE', `/scheduled/${sent.id}`);
  expect((await world.team.call('DELETE', `${path}/${sent.id}`)).status).toBe(200);
  expect((await world.thread(thread!.id)).snippet).toBe('Only HTML');
});
