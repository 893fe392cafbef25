import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decodeId } from '../../../platform/ids.ts';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { addPerson, setUpOwner, type TestPerson } from '../../../testing/people.ts';
import { startPushService, type PushService } from '../../../testing/servers/push-service.ts';
import { startTestServer } from '../../../testing/test-server.ts';

let world: MailWorld;
let service: PushService;
let owner: TestPerson;
let ada: TestPerson;
let count = 0;

beforeAll(async () => {
  service = await startPushService();
  world = await startMailWorld({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  owner = await setUpOwner(world.server);
  ada = await addPerson(world.server, owner, 'member');
  const { body: domain } = await owner.call('POST', '/domains', { name: 'quay.test' });
  await owner.call('PUT', `/domains/${domain.id}/verify`);
});
afterAll(async () => {
  await world.close();
  await service.close();
});
beforeEach(async () => {
  service.received.length = 0;
  await sql`delete from push_subscriptions`.execute(world.server.db);
});

interface Box {
  id: string;
  address: string;
}

async function createBox(): Promise<Box> {
  const { body } = await owner.call('POST', '/mailboxes', { address: `desk${(count += 1)}@quay.test` });
  return body;
}

async function subscribe(person: TestPerson): Promise<string> {
  const name = `browser${(count += 1)}`;
  expect((await person.call('POST', '/push-subscriptions', service.subscribe(name))).status).toBe(200);
  return `/${name}`;
}

async function watch(person: TestPerson, box: Box, more: object = {}): Promise<void> {
  const { status } = await person.call('PUT', '/notification-settings', { mailboxes: [box.id], ...more });
  expect(status).toBe(200);
}

/** The time of day in UTC, so many minutes from now. */
function minute(ahead: number): string {
  return new Date(Date.now() + ahead * 60_000).toISOString().slice(11, 16);
}

async function pushes(number: number) {
  await expect.poll(() => service.received.length, { timeout: 20_000 }).toBe(number);
  return service.received;
}

describe('subscriptions', () => {
  test('are made, listed and removed by their person alone', async () => {
    const { body: key } = await ada.call('GET', '/push-key');
    expect(Buffer.from(key.public_key, 'base64url')).toHaveLength(65);
    expect((await owner.call('GET', '/push-key')).body).toEqual(key);
    const input = service.subscribe('twice');
    const { body } = await ada.call('POST', '/push-subscriptions', input);
    expect(body).toEqual({
      id: expect.stringMatching(/^psh_/),
      endpoint: input.endpoint,
      created_at: expect.any(String),
    });
    expect((await ada.call('POST', '/push-subscriptions', input)).body.id).toBe(body.id);
    expect((await ada.call('GET', '/push-subscriptions')).body).toEqual({ items: [body] });
    expect((await owner.call('GET', '/push-subscriptions')).body).toEqual({ items: [] });
    expect((await owner.call('DELETE', `/push-subscriptions/${body.id}`)).status).toBe(404);
    expect((await ada.call('DELETE', `/push-subscriptions/${body.id}`)).body).toEqual({
      id: body.id,
      success: true,
    });
    expect((await ada.call('DELETE', `/push-subscriptions/${body.id}`)).status).toBe(404);
    expect((await world.team.call('GET', '/push-subscriptions')).status).toBe(403);
  });

  test('the oldest of more than 20 is dropped', async () => {
    for (let no = 0; no < 21; no++)
      await ada.call('POST', '/push-subscriptions', service.subscribe(`many${no}`));
    const { items } = (await ada.call('GET', '/push-subscriptions')).body;
    expect(items).toHaveLength(20);
    expect(items.at(-1).endpoint).toMatch(/many1$/);
  });

  test.each([
    ['no keys', { keys: undefined }],
    ['another scheme', { endpoint: 'ftp://push.example/x' }],
    ['a short secret', { keys: { p256dh: 'BAAA', auth: 'AAAA' } }],
    ['an endpoint that is too long', { endpoint: `https://push.example/${'x'.repeat(2000)}` }],
    ['no endpoint', { endpoint: undefined }],
  ])('%s is rejected', async (_what, input) => {
    const { status, body } = await ada.call('POST', '/push-subscriptions', {
      ...service.subscribe('bad'),
      ...input,
    });
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
  });

  test('endpoints in private networks and without TLS are rejected', async () => {
    const strict = await startTestServer();
    const person = await setUpOwner(strict);
    const { keys } = service.subscribe('strict');
    for (const endpoint of [
      'http://push.example/x',
      'https://127.0.0.1/x',
      'https://localhost/x',
      'https://[::1]/x',
      'https://10.0.0.1/x',
      'https://me:secret@push.example/x',
    ]) {
      const { status, body } = await person.call('POST', '/push-subscriptions', { endpoint, keys });
      expect([endpoint, status, body.error?.issues?.[0].path]).toEqual([endpoint, 400, '/endpoint']);
    }
    const allowed = { endpoint: 'https://push.example/x', keys };
    expect((await person.call('POST', '/push-subscriptions', allowed)).status).toBe(200);
    await strict.close();
  });
});

describe('settings', () => {
  test('have defaults, and are replaced as a whole', async () => {
    const person = await addPerson(world.server, owner, 'member');
    const defaults = {
      assigned: true,
      mentions: true,
      reminders: true,
      mailboxes: [],
      email_after_minutes: null,
      quiet_hours: null,
      include_text: false,
    };
    expect((await person.call('GET', '/notification-settings')).body).toEqual(defaults);
    const box = await createBox();
    const quiet_hours = { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' };
    const changed = { ...defaults, mailboxes: [box.id], mentions: false, quiet_hours };
    expect((await person.call('PUT', '/notification-settings', changed)).body).toEqual(changed);
    expect((await person.call('GET', '/notification-settings')).body).toEqual(changed);
    expect((await person.call('PUT', '/notification-settings', {})).body).toEqual(defaults);
  });

  test('a mailbox that the person may not read, and bad values, are rejected', async () => {
    const closed = await createBox();
    await owner.call('PUT', `/mailboxes/${closed.id}/access`, { mode: 'listed', people: [] });
    const foreign = await world.freshMailbox();
    for (const input of [
      { mailboxes: [closed.id] },
      { mailboxes: [foreign.id] },
      { mailboxes: ['mbx_unknown'] },
      { email_after_minutes: 0 },
      { quiet_hours: { from: '25:00', to: '07:00', timezone: 'UTC' } },
      { quiet_hours: { from: '07:00', to: '07:00', timezone: 'UTC' } },
      { quiet_hours: { from: '07:00', to: '08:00', timezone: 'Mars' } },
    ]) {
      const { status } = await ada.call('PUT', '/notification-settings', input);
      expect([input, status]).toEqual([input, 400]);
    }
  });
});

describe('new mail', () => {
  test('is pushed to the browsers of who watches the mailbox, without its text', async () => {
    const box = await createBox();
    await watch(ada, box);
    const [one, two] = [await subscribe(ada), await subscribe(ada)];
    await subscribe(owner);
    await world.receive(box, { subject: 'Secret plan', text: 'At noon' });
    const all = await pushes(2);
    expect(all.map(({ path }) => path).toSorted()).toEqual([one, two].toSorted());
    const { payload, headers } = all[0]!;
    expect(payload).toEqual({
      kind: 'message',
      mailbox_id: box.id,
      mailbox: box.address,
      thread_id: expect.stringMatching(/^thr_/),
      message_id: expect.stringMatching(/^msg_/),
      url: expect.stringContaining(`/mail/${box.id}/inbox/thr_`),
    });
    expect(headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      ttl: '86400',
      authorization: expect.stringMatching(/^vapid t=[^,]+, k=/),
    });
  });

  test('has its text if the person chose so', async () => {
    const box = await createBox();
    await watch(ada, box, { include_text: true });
    await subscribe(ada);
    await world.receive(box, { subject: 'Plan', text: 'At noon' });
    const [push] = await pushes(1);
    expect(push!.payload).toMatchObject({
      subject: 'Plan',
      text: 'At noon',
      from: 'Charles <charles@example.org>',
    });
  });

  test('is not pushed once access is lost, and neither is what a rule marks as read', async () => {
    const box = await createBox();
    await watch(ada, box);
    await subscribe(ada);
    await owner.call('POST', `/mailboxes/${box.id}/rules`, {
      name: 'Read',
      conditions: [{ field: 'subject', op: 'is', value: 'Quiet' }],
      actions: [{ type: 'read' }],
    });
    await world.receive(box, { subject: 'Quiet' });
    await owner.call('PUT', `/mailboxes/${box.id}/access`, {
      mode: 'listed',
      people: [{ user_id: owner.id, role: 'manage' }],
    });
    await world.receive(box, { subject: 'Closed' });
    await owner.call('PUT', `/mailboxes/${box.id}/access`, { mode: 'team', people: [] });
    await world.receive(box, { subject: 'Open' });
    await pushes(1);
    const { rows } = await sql`
      select 1 from mail_notifications where mailbox_id = ${decodeId('mbx', box.id)}
    `.execute(world.server.db);
    expect(rows).toHaveLength(1);
  });

  test('a browser that is gone is unsubscribed, and a push that is too large is sent without text', async () => {
    const box = await createBox();
    await watch(ada, box, { include_text: true });
    await subscribe(ada);
    service.answers.push(413, 201);
    await world.receive(box, { subject: 'Large' });
    const [large, small] = await pushes(2);
    expect([large!.payload.subject, small!.payload.subject]).toEqual(['Large', undefined]);
    service.answers.push(410);
    await world.receive(box, { subject: 'Gone' });
    await expect
      .poll(async () => (await ada.call('GET', '/push-subscriptions')).body.items, { timeout: 20_000 })
      .toEqual([]);
  });

  test('a rule can notify', async () => {
    const box = await createBox();
    await ada.call('PUT', '/notification-settings', {});
    const browser = await subscribe(ada);
    await owner.call('POST', `/mailboxes/${box.id}/rules`, { name: 'Tell', actions: [{ type: 'notify' }] });
    await world.receive(box);
    const [push] = await pushes(1);
    expect([push!.path, push!.payload.kind]).toEqual([browser, 'rule']);
  });
});

test('pushes wait for the end of quiet hours', async () => {
  const box = await createBox();
  await watch(ada, box, { quiet_hours: { from: minute(-5), to: minute(30), timezone: 'UTC' } });
  await subscribe(ada);
  await world.receive(box);
  const waiting = async () => {
    const { rows } = await sql<{ minutes: number }>`
      select extract(epoch from due_at - now())::integer / 60 as minutes from jobs
      where name = 'send-push' and due_at > now() + interval '5 minutes'
    `.execute(world.server.db);
    return rows.map(({ minutes }) => minutes);
  };
  await expect.poll(waiting, { timeout: 20_000 }).toEqual([expect.any(Number)]);
  expect((await waiting())[0]).toBeLessThan(31);
  expect(service.received).toEqual([]);
});

test('what is unread after the chosen minutes is mailed, once, and never about automatic mail', async () => {
  const box = await createBox();
  const home = await createBox();
  const person = await addPerson(world.server, owner, 'member');
  await sql`
    update users set email = ${home.address}, email_key = ${home.address} where id = ${decodeId('usr', person.id)}
  `.execute(world.server.db);
  await watch(person, box, { email_after_minutes: 5 });
  await world.receive(box, { subject: 'Unread' });
  await world.receive(box, { subject: 'Read' });
  await world.receive(box, { subject: 'Machine', more: 'Auto-Submitted: auto-generated' });
  const { items } = (await owner.call('GET', `/mailboxes/${box.id}/threads`)).body;
  const read = items.find(({ subject }: { subject: string }) => subject === 'Read');
  await owner.call('PATCH', `/threads/${read.id}`, { read: true });
  const due = await sql`
    update mail_notifications set email_at = now() where email_at between now() + interval '4 minutes' and now() + interval '6 minutes'
    returning 1
  `.execute(world.server.db);
  expect(due.rows).toHaveLength(2);
  await sql`select add_job('queue-due-notifications', '{}')`.execute(world.server.db);
  const arrived = async () => (await owner.call('GET', `/mailboxes/${home.id}/threads`)).body.items;
  await expect.poll(async () => (await arrived()).length, { timeout: 20_000 }).toBe(1);
  const [mail] = await arrived();
  expect(mail.subject).toBe(`A new message arrived in ${box.address}`);
  const { messages } = (await owner.call('GET', `/threads/${mail.id}`)).body;
  expect(messages[0].text).toContain(`/mail/${box.id}/inbox/thr_`);
  expect(messages[0].text).not.toContain('Unread');
});

test('whoever is mentioned when a note is changed is told, and nobody twice', async () => {
  const box = await createBox();
  await ada.call('PUT', '/notification-settings', {});
  await subscribe(ada);
  await world.receive(box);
  const { items } = (await owner.call('GET', `/mailboxes/${box.id}/threads`)).body;
  const { body: note } = await owner.call('POST', `/threads/${items[0].id}/notes`, { html: '<p>Look</p>' });
  const change = (update: object) => owner.call('PATCH', `/notes/${note.id}`, update);
  expect((await change({ mentions: [ada.id] })).status).toBe(200);
  await change({ html: '<p>Look here</p>', mentions: [ada.id] });
  const all = await pushes(1);
  expect(all.map(({ payload }) => payload.kind)).toEqual(['mention']);
  const jobs = async () =>
    (await sql`select 1 from jobs where name = 'send-push' and due_at <= now()`.execute(world.server.db))
      .rows;
  await expect.poll(jobs).toEqual([]);
  expect(await pushes(1)).toHaveLength(1);
});

test('being assigned and mentioned is pushed, but not what a person does to themselves', async () => {
  const box = await createBox();
  await ada.call('PUT', '/notification-settings', {});
  const browser = await subscribe(ada);
  await world.receive(box);
  const { items } = (await owner.call('GET', `/mailboxes/${box.id}/threads`)).body;
  const path = `/threads/${items[0].id}`;
  await ada.call('PUT', `${path}/assignee`, { user_id: ada.id });
  await ada.call('POST', `${path}/notes`, { html: '<p>Me</p>', mentions: [ada.id] });
  await owner.call('PUT', `${path}/assignee`, { user_id: null });
  await owner.call('PUT', `${path}/assignee`, { user_id: ada.id });
  await owner.call('POST', `${path}/notes`, { html: '<p>Look</p>', mentions: [ada.id] });
  const all = await pushes(2);
  expect(all.map(({ payload }) => payload.kind).toSorted()).toEqual(['assigned', 'mention']);
  expect(all[0]).toMatchObject({ path: browser, payload: { thread_id: items[0].id, message_id: null } });
  await ada.call('PUT', '/notification-settings', { assigned: false, mentions: false });
  await owner.call('PUT', `${path}/assignee`, { user_id: null });
  await owner.call('PUT', `${path}/assignee`, { user_id: ada.id });
  // Others wait for the end of quiet hours.
  const jobs = async () =>
    (await sql`select 1 from jobs where name = 'send-push' and due_at <= now()`.execute(world.server.db))
      .rows;
  await expect.poll(jobs).toEqual([]);
  expect(await pushes(2)).toHaveLength(2);
});
