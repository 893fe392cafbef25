import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeId } from '../../../platform/ids.ts';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { addPerson, setUpOwner, type TestPerson } from '../../../testing/people.ts';
import { returnDueThreads } from './return-threads.ts';

let world: MailWorld;
let owner: TestPerson;
let ada: TestPerson;
let count = 0;

interface Box {
  id: string;
  address: string;
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

beforeAll(async () => {
  world = await startMailWorld();
  owner = await setUpOwner(world.server);
  ada = await addPerson(world.server, owner, 'member');
  const { body } = await owner.call('POST', '/domains', { name: 'snooze.test' });
  await owner.call('PUT', `/domains/${body.id}/verify`);
});
afterAll(() => world.close());

async function fill() {
  count += 1;
  const { body: box } = await owner.call('POST', '/mailboxes', {
    address: `box${count}@snooze.test`,
    undo_seconds: 0,
  });
  const id = `<first.${count}@example.net>`;
  await world.receive(box, { subject: `Subject ${count}`, id });
  const { body } = await owner.call('GET', `/mailboxes/${box.id}/threads`);
  const threadId: string = body.items[0].id;
  await owner.call('PATCH', `/threads/${threadId}`, { read: true });
  return { box: box as Box, threadId, id };
}

async function answer(box: Box, to: string, more = '') {
  count += 1;
  await world.receive(box, {
    subject: 'Re: x',
    id: `<answer.${count}@example.net>`,
    more: `References: ${to}${more}`,
  });
}

function snooze(threadId: string, input: object = {}, who = owner) {
  return who.call('PUT', `/threads/${threadId}/snooze`, { until: inHours(5), ...input });
}

async function list(box: Box, folder: string, who = owner): Promise<string[]> {
  const { body } = await who.call('GET', `/mailboxes/${box.id}/threads?folder=${folder}`);
  return body.items.map(({ id }: { id: string }) => id);
}

async function read(threadId: string, who = owner) {
  return (await who.call('GET', `/threads/${threadId}`)).body;
}

/** Makes all snoozes and reminders of the mailbox due. */
async function letTimePass(): Promise<void> {
  await sql`update thread_snoozes set until = now() - interval '1 second'`.execute(world.server.db);
  await returnDueThreads(world.server.db);
}

describe('snoozing for everyone', () => {
  test('the thread leaves the inbox, and comes back unread and on top at its time', async () => {
    const { box, threadId } = await fill();
    await world.receive(box, { subject: 'Later', id: `<later.${count}@example.net>` });
    const { status, body } = await snooze(threadId);
    expect([status, body.folder]).toEqual([200, 'snoozed']);
    expect(body.snoozed_until).toMatch(/Z$/);
    expect(await list(box, 'inbox')).not.toContain(threadId);
    expect(await list(box, 'snoozed', ada)).toEqual([threadId]);
    const { items } = (await owner.call('GET', `/mailboxes/${box.id}/folders`)).body;
    expect(items.find(({ folder }: { folder: string }) => folder === 'snoozed')).toMatchObject({
      role: 'snoozed',
      total: 1,
    });
    await letTimePass();
    expect((await list(box, 'inbox'))[0]).toBe(threadId);
    expect(await read(threadId)).toMatchObject({ folder: 'inbox', unread: true, snoozed_until: null });
    const activity = (await owner.call('GET', `/threads/${threadId}/activity`)).body.items;
    expect(activity.map(({ type }: { type: string }) => type)).toEqual(['returned', 'snoozed']);
    expect(activity[0].data).toEqual({ reason: 'time', for: 'all' });
    const { rows } = await sql<{ kind: string; user_id: string }>`
      select kind, user_id from mail_notifications where thread_id = ${decodeId('thr', threadId)}
    `.execute(world.server.db);
    expect(rows).toEqual([{ kind: 'reminder', user_id: decodeId('usr', owner.id) }]);
  });

  test('a reply wakes it in the same moment, with all its messages', async () => {
    const { box, threadId, id } = await fill();
    await snooze(threadId);
    await answer(box, id);
    const thread = await read(threadId);
    expect(thread).toMatchObject({ folder: 'inbox', snoozed_until: null, message_count: 2, unread: true });
    expect(thread.messages.map(({ folder }: { folder: string }) => folder)).toEqual(['inbox', 'inbox']);
  });

  test('what does not wake it joins it: any reply with time_only, and automatic replies', async () => {
    const { box, threadId, id } = await fill();
    await snooze(threadId, { wake: 'time_only' });
    await answer(box, id);
    expect(await read(threadId)).toMatchObject({ folder: 'snoozed', message_count: 2 });
    await snooze(threadId, { wake: 'reply_only' });
    await answer(box, id, '\r\nAuto-Submitted: auto-replied');
    expect(await list(box, 'snoozed')).toEqual([threadId]);
    await letTimePass();
    expect(await list(box, 'snoozed')).toEqual([threadId]);
    await answer(box, id);
    expect(await read(threadId)).toMatchObject({ folder: 'inbox', message_count: 4 });
  });

  test('an answer of ours does not wake it', async () => {
    const { box, threadId } = await fill();
    await snooze(threadId);
    await owner.call('POST', `/mailboxes/${box.id}/messages`, {
      to: ['charles@example.org'],
      text: 'x',
      thread_id: threadId,
      undo_seconds: 0,
    });
    expect(await list(box, 'snoozed')).toEqual([threadId]);
  });

  test('it can be ended, moved out, and not be moved in', async () => {
    const { box, threadId } = await fill();
    expect((await owner.call('DELETE', `/threads/${threadId}/snooze`)).status).toBe(404);
    await snooze(threadId);
    const { status, body } = await owner.call('DELETE', `/threads/${threadId}/snooze`);
    expect([status, body.folder, body.unread, body.snoozed_until]).toEqual([200, 'inbox', false, null]);
    await snooze(threadId);
    await owner.call('PATCH', `/threads/${threadId}`, { folder: 'archive' });
    expect(await read(threadId)).toMatchObject({ folder: 'archive', snoozed_until: null });
    await letTimePass();
    expect(await list(box, 'archive')).toEqual([threadId]);
    const message = (await read(threadId)).messages[0].id;
    expect((await owner.call('PATCH', `/messages/${message}`, { folder: 'snoozed' })).status).toBe(400);
  });

  test('bad times and threads that cannot be snoozed are refused', async () => {
    const { box, threadId } = await fill();
    const year = 366 * 24;
    for (const input of [
      { until: inHours(-1) },
      { until: inHours(0.01) },
      { until: inHours(year + 25) },
      { until: '2026-12-01T08:00:00' },
      { until: undefined },
      { wake: 'never' },
      { for: 'us' },
    ])
      expect([input, (await snooze(threadId, input)).status]).toEqual([input, 400]);
    await owner.call('PATCH', `/threads/${threadId}`, { folder: 'trash' });
    expect((await snooze(threadId)).status).toBe(400);
    expect((await world.other.call('PUT', `/threads/${threadId}/snooze`, { until: inHours(5) })).status).toBe(
      404,
    );
    expect(await list(box, 'snoozed')).toEqual([]);
  });
});

test('a rule snoozes what arrives, and email apps see the folder with its role', async () => {
  const { box } = await fill();
  const rule = await owner.call('POST', `/mailboxes/${box.id}/rules`, {
    name: 'Later',
    conditions: [{ field: 'subject', op: 'contains', value: 'later' }],
    actions: [{ type: 'snooze', for: '3 days' }],
  });
  expect(rule.status).toBe(200);
  await world.receive(box, { subject: 'For later', id: `<rule.${(count += 1)}@example.net>` });
  const [threadId] = await list(box, 'snoozed');
  const days = (Date.parse((await read(threadId!)).snoozed_until) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(2.9);
  expect(days).toBeLessThan(3.1);
  const { items } = (await owner.call('GET', `/mailboxes/${box.id}/folders`)).body;
  const { id, role } = items.find(({ name }: { name: string }) => name === 'Snoozed');
  expect([id, role]).toEqual(['snoozed', 'snoozed']);
});

describe('snoozing for one person', () => {
  test('only that person does not see it, until its time', async () => {
    const { box, threadId } = await fill();
    expect((await snooze(threadId, { for: 'me' }, ada)).body.snoozed_until).toMatch(/Z$/);
    expect(await list(box, 'inbox', ada)).toEqual([]);
    expect(await list(box, 'snoozed', ada)).toEqual([threadId]);
    expect(await list(box, 'inbox')).toEqual([threadId]);
    expect((await read(threadId)).snoozed_until).toBeNull();
    await letTimePass();
    expect(await list(box, 'inbox', ada)).toEqual([threadId]);
    const { body } = await world.team.call('POST', '/mailboxes', { address: 'keyed@harbour.test' });
    await world.receive(body, { subject: 'For a key' });
    const [own] = await world.threads(body.id);
    const answered = await world.team.call('PUT', `/threads/${own!.id}/snooze`, {
      until: inHours(5),
      for: 'me',
    });
    expect(answered.status).toBe(400);
  });

  test('both can be there at once, and each ends by itself', async () => {
    const { box, threadId } = await fill();
    await snooze(threadId, { for: 'me' }, ada);
    await snooze(threadId, { until: inHours(2) });
    expect(await list(box, 'snoozed')).toEqual([threadId]);
    await owner.call('DELETE', `/threads/${threadId}/snooze`);
    expect(await list(box, 'inbox')).toEqual([threadId]);
    expect(await list(box, 'inbox', ada)).toEqual([]);
  });
});

function send(box: Box, input: object) {
  return owner.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['charles@example.org'],
    subject: 'Question',
    text: 'x',
    undo_seconds: 0,
    ...input,
  });
}

describe('reminders', () => {
  test('a sent message brings its thread to the inbox if nobody answers', async () => {
    const { box } = await fill();
    const { body } = await send(box, { remind_at: inHours(48) });
    expect((await read(body.thread_id)).reminder_at).toMatch(/Z$/);
    expect(await list(box, 'inbox')).not.toContain(body.thread_id);
    await letTimePass();
    expect((await list(box, 'inbox'))[0]).toBe(body.thread_id);
    expect((await read(body.thread_id)).reminder_at).toBeNull();
  });

  test('an answer ends the reminder, and so does taking the message back', async () => {
    const { box, threadId, id } = await fill();
    await send(box, { thread_id: threadId, remind_at: inHours(48) });
    await owner.call('PATCH', `/threads/${threadId}`, { folder: 'archive' });
    await answer(box, id);
    expect((await read(threadId)).reminder_at).toBeNull();
    const { body } = await send(box, { remind_at: inHours(48), undo_seconds: 100 });
    await owner.call('DELETE', `/scheduled/${body.id}`);
    expect((await read(body.thread_id)).reminder_at).toBeNull();
  });

  test('bad times are refused', async () => {
    const { box } = await fill();
    for (const input of [
      { remind_at: inHours(-1) },
      { remind_at: inHours(9_000) },
      { remind_at: inHours(2), send_at: inHours(3) },
    ])
      expect((await send(box, input)).status).toBe(400);
  });
});

describe('seen_message_id', () => {
  test('an answer to a thread that has changed is asked back, and nothing is sent', async () => {
    const { box, threadId, id } = await fill();
    const url = `/mailboxes/${box.id}/messages`;
    const seen = (await read(threadId)).messages[0].id;
    const mail = { to: ['charles@example.org'], text: 'x', thread_id: threadId, seen_message_id: seen };
    await answer(box, id);
    const [, newer] = (await read(threadId)).messages;
    const { status, body } = await ada.call('POST', url, mail);
    expect([status, body.error.code, body.error.newMessages]).toEqual([409, 'THREAD_CHANGED', [newer.id]]);
    expect((await read(threadId)).message_count).toBe(2);
    const sent = await ada.call('POST', url, { ...mail, seen_message_id: newer.id, undo_seconds: 60 });
    expect(sent.status).toBe(200);
    const late = await owner.call('POST', url, { ...mail, seen_message_id: newer.id });
    expect([late.status, late.body.error.newMessages]).toEqual([409, [sent.body.id]]);
    const draft = await owner.call('POST', `/mailboxes/${box.id}/drafts`, {
      to: mail.to,
      text: 'y',
      thread_id: threadId,
    });
    const sendDraft = (input: object) =>
      owner.call('POST', `/mailboxes/${box.id}/drafts/${draft.body.id}/send`, input);
    expect((await sendDraft({ seen_message_id: newer.id })).status).toBe(409);
    expect((await sendDraft({ seen_message_id: sent.body.id })).status).toBe(200);
    expect((await ada.call('POST', url, { ...mail, seen_message_id: undefined })).status).toBe(200);
  });

  test('it must be a message of the thread', async () => {
    const { box, threadId } = await fill();
    const { threadId: other } = await fill();
    const seen = (await read(other)).messages[0].id;
    for (const seen_message_id of [seen, 'msg_01kbd8x4zvf7m8rk2q3w5t6y7h', 'x'])
      expect(
        (
          await owner.call('POST', `/mailboxes/${box.id}/messages`, {
            to: ['charles@example.org'],
            text: 'x',
            thread_id: threadId,
            seen_message_id,
          })
        ).status,
      ).toBe(400);
  });
});
