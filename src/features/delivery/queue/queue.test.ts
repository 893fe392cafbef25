import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  addBook,
  closeCampaignWorld,
  create,
  get,
  makePeople,
  openCampaignWorld,
  server,
  sink,
  start,
  team,
  untilStatus,
} from '../../../testing/fixtures/campaign-world.ts';
import { decodeId } from '../../../platform/ids.ts';
import { addPerson, setUpOwner } from '../../../testing/people.ts';
import { SILENCE } from '../../../testing/smtp-sink/smtp-sink-behaviour.ts';
import { createCall, startTestServer } from '../../../testing/test-server.ts';

const LATER = '451 4.3.0 Try later';
const polled = { interval: 50 };

beforeAll(openCampaignWorld);
afterAll(closeCampaignWorld);
beforeEach(async () => {
  sink.reset();
  await act('drop', { all: true });
});

async function act(action: string, body: object, call = team.call) {
  const answer = await call('POST', `/queue/${action}`, body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body as { changed: number; busy: number; next_cursor: string | null };
}

/** Returns how many deliveries each batch changed. */
async function actOnAll(action: string, body: object): Promise<number[]> {
  const counts: number[] = [];
  let cursor: string | null = null;
  do {
    const answer = await act(action, { ...body, ...(cursor && { cursor }) });
    counts.push(answer.changed);
    cursor = answer.next_cursor;
  } while (cursor);
  return counts;
}

async function list(query = '') {
  return (await team.call('GET', `/queue${query}`)).body.items;
}

async function read(emailId: string) {
  return (await team.call('GET', `/emails/${emailId}`)).body;
}

async function statusesOf(emailId: string): Promise<string[]> {
  return (await read(emailId)).emailEvents.map(({ status }: { status: string }) => status);
}

/** Sends an email whose recipients are all deferred, and waits until they are. */
async function sendDeferred(...to: string[]): Promise<string> {
  sink.behave({ rcptReplies: Object.fromEntries(to.map((address) => [address, LATER])) });
  const { body } = await team.call('POST', '/emails', {
    from: 'a@news.test',
    to,
    subject: 'Hello',
    text: 'x',
  });
  const delays = async () =>
    (await statusesOf(body.emailId)).filter((status) => status === 'DELIVERY_DELAYED').length;
  await expect.poll(delays, polled).toBe(to.length);
  return body.emailId;
}

test('the queue lists waiting deliveries with their attempts and the last reply', async () => {
  const emailId = await sendDeferred('ada@one.example', 'bob@two.example');
  const items = await list();
  expect(items).toMatchObject([
    { id: `${emailId}-1`, recipient: 'bob@two.example' },
    {
      id: `${emailId}-0`,
      emailId,
      teamId: team.teamId,
      from: 'a@news.test',
      subject: 'Hello',
      recipient: 'ada@one.example',
      state: 'waiting',
      attempts: 1,
      lastError: '451 4.3.0 Try later',
      lastClass: 'server',
      nextAttemptAt: expect.any(String),
    },
  ]);
  expect(await list('?domain=TWO.example')).toMatchObject([{ recipient: 'bob@two.example' }]);
  const first = (await team.call('GET', '/queue?limit=1')).body;
  expect(await list(`?limit=1&cursor=${first.next_cursor}`)).toMatchObject([{ id: `${emailId}-0` }]);
  const shown = (await team.call('GET', `/queue/${emailId}-0`)).body;
  expect(shown.events.map(({ status }: { status: string }) => status)).toEqual([
    'QUEUED',
    'SENT',
    'DELIVERY_DELAYED',
  ]);
  expect(shown.events[2].data).toMatchObject({ code: 451, class: 'server' });
  for (const id of [emailId, `${emailId}-9`, 'eml_x', 'nonsense']) {
    expect((await team.call('GET', `/queue/${id}`)).status).toBe(404);
  }
  expect((await team.call('GET', '/queue?cursor=nonsense')).status).toBe(400);
  expect((await team.call('POST', '/queue/drop', {})).status).toBe(400);
});

test('a held delivery is not tried, and retrying leaves it held, until it is released', async () => {
  const emailId = await sendDeferred('ada@one.example', 'bob@two.example');
  sink.behave({ rcptReplies: {} });
  expect(await act('hold', { domain: 'one.example' })).toEqual({ changed: 1, busy: 0, next_cursor: null });
  expect(await act('hold', { deliveryIds: [emailId] })).toMatchObject({ changed: 1 });
  expect(await act('release', { deliveryIds: [`${emailId}-1`] })).toMatchObject({ changed: 1 });
  await sink.waitForMessages(1);
  await expect.poll(() => list(), polled).toMatchObject([{ state: 'held', nextAttemptAt: null }]);
  expect(await act('retry', { all: true })).toEqual({ changed: 0, busy: 0, next_cursor: null });
  expect(await list()).toMatchObject([{ state: 'held', nextAttemptAt: null }]);
  expect((await team.call('GET', '/queue/counts')).body).toEqual({ total: 1, held: 1 });
  expect(await list('?held=false')).toEqual([]);
  // A worker that starts makes late deliveries due, in case the clock was set back.
  const second = await startTestServer({ doors: ['worker'], databaseUrl: server.config.databaseUrl! });
  await second.close();
  expect(await list()).toMatchObject([{ state: 'held' }]);

  await act('release', { all: true });
  await expect.poll(async () => (await read(emailId)).status, polled).toBe('DELIVERED');
  expect(sink.messages.map(({ recipients }) => recipients[0])).toEqual([
    'bob@two.example',
    'ada@one.example',
  ]);
});

test('retrying tries waiting deliveries at once', async () => {
  const emailId = await sendDeferred('ada@one.example');
  sink.behave({ rcptReplies: {} });
  expect(await act('retry', { deliveryIds: [`${emailId}-0`] })).toMatchObject({ changed: 1, busy: 0 });
  await expect.poll(async () => (await read(emailId)).status, polled).toBe('DELIVERED');
});

test('a dropped delivery fails with an event and a webhook call, and is not counted as bounced', async () => {
  const hook = await team.call('POST', '/webhooks', {
    url: 'https://hooks.example/x',
    events: ['email.failed'],
  });
  const emailId = await sendDeferred('ada@one.example', 'bob@two.example');
  const before = (await team.call('GET', '/analytics/reputation-metrics')).body;
  expect(await act('drop', { deliveryIds: [`${emailId}-0`] })).toMatchObject({ changed: 1 });
  const { status, emailEvents } = await read(emailId);
  expect(status).toBe('FAILED');
  expect(emailEvents.at(-1)).toMatchObject({
    status: 'FAILED',
    recipient: 'ada@one.example',
    data: { reason: expect.stringMatching(/^Dropped from the queue \(key_\w+\)\.$/) },
  });
  expect((await team.call('GET', '/analytics/reputation-metrics')).body).toEqual(before);
  const calls = (await team.call('GET', `/webhooks/${hook.body.id}/calls`)).body.items;
  expect(calls).toMatchObject([{ type: 'email.failed' }]);
  expect(await list()).toMatchObject([{ recipient: 'bob@two.example' }]);
  await team.call('DELETE', `/webhooks/${hook.body.id}`);
});

test('a message of a mailbox that is dropped shows as bounced, and clients that listen are told', async () => {
  const { body: box } = await team.call('POST', '/mailboxes', { address: 'ada@news.test' });
  sink.behave({ replies: { RCPT: LATER } });
  const message = { to: ['x@one.example'], subject: 'Mine', text: 'x', undo_seconds: 0 };
  const { id } = (await team.call('POST', `/mailboxes/${box.id}/messages`, message)).body;
  await expect.poll(async () => (await list()).length, polled).toBe(1);
  await expect.poll(async () => (await act('drop', { all: true })).changed, polled).toBe(1);
  expect((await team.call('GET', `/messages/${id}`)).body.status).toBe('bounced');
  const { rows } = await sql`
    select type from mailbox_events where message_id = ${decodeId('msg', id)} order by id
  `.execute(server.db);
  expect(rows).toEqual([{ type: 'message.left' }, { type: 'thread.changed' }]);
});

test('a delivery that a worker is sending is neither held nor dropped', async () => {
  sink.behave({ replies: { DOT: SILENCE } });
  const email = { from: 'a@news.test', to: 'ada@one.example', subject: 'x', text: 'x' };
  await team.call('POST', '/emails', email);
  await expect.poll(() => list(), polled).toMatchObject([{ state: 'sending', nextAttemptAt: null }]);
  for (const action of ['hold', 'drop', 'retry']) {
    expect([action, await act(action, { all: true })]).toEqual([
      action,
      { changed: 0, busy: 1, next_cursor: null },
    ]);
  }
  sink.cut();
  await expect.poll(() => list(), polled).toMatchObject([{ state: 'waiting', attempts: 1 }]);
});

test('while workers send, every delivery is either sent or dropped, never both', async () => {
  const emails = Array.from({ length: 100 }, (_, at) => ({
    from: 'a@news.test',
    to: `u${at}@race.example`,
    subject: 'x',
    text: 'x',
  }));
  const { data } = (await team.call('POST', '/emails/batch', emails)).body;
  let dropped = 0;
  await expect
    .poll(async () => {
      dropped += (await act('drop', { domain: 'race.example' })).changed;
      return (await team.call('GET', '/queue/counts?domain=race.example')).body.total;
    }, polled)
    .toBe(0);
  const statuses = await Promise.all(
    data.map(async ({ emailId }: { emailId: string }) => (await read(emailId)).status),
  );
  const failed = statuses.filter((status) => status === 'FAILED').length;
  const sent = new Set(sink.messages.map(({ recipients }) => recipients[0])).size;
  expect({ failed, sent, messages: sink.messages.length }).toEqual({
    failed: dropped,
    sent: 100 - dropped,
    messages: 100 - dropped,
  });
});

test('a campaign continues past held recipients, and ends when they are released or dropped', async () => {
  // Recipients of a campaign with copies go through the queue. The trigger holds them before a worker can claim them.
  await sql`
    create function hold_new() returns trigger language plpgsql as
      $$ begin new.due_at := 'infinity'; return new; end $$`.execute(server.db);
  await sql`
    create trigger hold_new before insert on deliveries for each row execute function hold_new()`.execute(
    server.db,
  );
  const people = [...makePeople(550, 'gone.example'), ...makePeople(20, 'kept.example')];
  const id = await create(await addBook(people), {
    batchSize: 100_000,
    cc: ['u0@gone.example'],
    translations: { de: { subject: 'Hallo', html: '<p>Hallo</p>' } },
  });
  await start(id);
  const counts = async () => (await team.call('GET', `/queue/counts?campaignId=${id}`)).body;
  await expect.poll(counts, polled).toEqual({ total: 1_139, held: 1_139 });
  await sql`drop function hold_new cascade`.execute(server.db);
  expect(await get(id)).toMatchObject({ status: 'RUNNING', total: 570, sent: 0 });

  expect(await actOnAll('drop', { domain: 'gone.example' })).toEqual([200, 200, 200, 200, 200, 119]);
  await act('release', { campaignId: id });
  await untilStatus(id, 'SENT');
  expect(await get(id)).toMatchObject({ total: 570, sent: 20, delivered: 20, bounced: 0 });
  const { items } = (await team.call('GET', `/campaigns/${id}/recipients?limit=1`)).body;
  expect(items).toMatchObject([
    { email: 'u0@gone.example', state: 'skipped', reason: 'dropped', status: 'FAILED' },
  ]);
  expect(await statusesOf(items[0].emailId)).toEqual(['QUEUED', 'FAILED']);
  const { languages } = (await team.call('GET', `/campaigns/${id}/report`)).body;
  expect(languages).toMatchObject([{ language: null, sent: 20 }]);
}, 60_000);

test('only owners and admins of the team can see and change its queue', async () => {
  const emailId = await sendDeferred('ada@one.example');
  const stranger = await server.createTeam();
  expect((await stranger.call('GET', '/queue')).body.items).toEqual([]);
  expect((await stranger.call('GET', `/queue/${emailId}-0`)).status).toBe(404);
  for (const body of [{ deliveryIds: [emailId] }, { all: true }]) {
    expect(await act('drop', body, stranger.call)).toMatchObject({ changed: 0, busy: 0 });
  }
  const owner = await setUpOwner(server);
  const [admin, member] = [await addPerson(server, owner, 'admin'), await addPerson(server, owner, 'member')];
  expect((await admin.call('GET', '/queue')).status).toBe(200);
  expect((await member.call('GET', '/queue')).status).toBe(403);
  expect((await member.call('POST', '/queue/drop', { all: true })).status).toBe(403);
  const { key } = (await team.call('POST', '/api-keys', { name: 'S', permission: 'sending' })).body;
  expect((await createCall(server.url, key)('GET', '/queue')).status).toBe(403);
  expect(await list()).toHaveLength(1);
});

test('a large selection is changed in batches, each delivery once', async () => {
  await sql`
    insert into deliveries (team_id, email_id, recipient_no, domain_id, recipient, recipient_domain, priority, due_at)
    select ${team.teamId}, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 0, 1, 'u@big.example',
      'big.example', 2, now() + interval '1 hour'
    from generate_series(1, 2500) as n
  `.execute(server.db);
  expect(await actOnAll('hold', { domain: 'big.example' })).toEqual([1_000, 1_000, 500]);
  await sql`delete from deliveries where recipient_domain = 'big.example'`.execute(server.db);
});

test('a delivery whose DKIM key cannot be decrypted says so in the queue', async () => {
  const { body: domain } = await team.call('POST', '/domains', { name: 'lost-key.test' });
  await sql`
    update domains set held = true, status = 'SUCCESS', private_key = decode(repeat('00', 64), 'hex')
    where id = ${domain.id}`.execute(server.db);
  const email = { from: 'a@lost-key.test', to: 'ada@example.org', subject: 'Hi', text: 'Hi' };
  expect((await team.call('POST', '/emails', email)).status).toBe(200);
  await expect
    .poll(async () => (await team.call('GET', '/queue')).body.items[0]?.lastError, polled)
    .toBe('Cannot decrypt the DKIM key: wrong instance secret.');
});
