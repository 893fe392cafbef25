import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../platform/database/database.ts';
import { decodeId } from '../../../platform/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

/** In these tests, API requests race with the delivery worker for messages that become due at the same time. */
let database: TestDatabase;
let server: TestServer;
let team: TestTeam;
let box: { id: string };

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer({ doors: ['http', 'worker'], databaseUrl: database.url });
  team = await server.createTeam();
  const { body: domain } = await team.call('POST', '/domains', { name: 'races.test' });
  await team.call('PUT', `/domains/${domain.id}/verify`);
  box = (await team.call('POST', '/mailboxes', { address: 'ada@races.test' })).body;
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

const HOUR = 3_600_000;
const BATCH = 40;

async function scheduleMessages(count: number): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, () =>
      team.call('POST', `/mailboxes/${box.id}/messages`, {
        to: ['charles@example.org'],
        subject: 'Race',
        text: 'x',
        send_at: new Date(Date.now() + HOUR).toISOString(),
      }),
    ),
  );
  return answers.map(({ body }) => body.id);
}

/** Makes the messages due one after the other while the requests run. */
async function makeDue(): Promise<void> {
  await sql`
    update emails set scheduled_at = now() + random() * interval '300 milliseconds'
    where status = 'SCHEDULED' and scheduled_at < now() + interval '90 minutes'
  `.execute(server.db);
  await sql`select pg_notify('deliveries_due', '')`.execute(server.db);
}

async function get(messageId: string) {
  return (await team.call('GET', `/messages/${messageId}`)).body;
}

async function waitUntilSent(messageIds: string[]): Promise<void> {
  for (const id of messageIds) await expect.poll(async () => (await get(id)).status).toBe('sent');
}

test('a reschedule answered with 200 takes effect; after a 409 the message is sent', async () => {
  const kept: string[] = [];
  let lost = 0;
  const send_at = new Date(Date.now() + 2 * HOUR).toISOString();
  for (let round = 0; round < 6; round += 1) {
    const ids = await scheduleMessages(BATCH);
    await makeDue();
    const answers = await Promise.all(ids.map((id) => team.call('PATCH', `/scheduled/${id}`, { send_at })));
    for (const [at, { status, body }] of answers.entries()) {
      if (status === 200) kept.push(ids[at]!);
      else expect([status, body.error.code]).toEqual([409, 'already_sent']);
    }
    const gone = ids.filter((_, at) => answers[at]!.status === 409);
    await waitUntilSent(gone);
    lost += gone.length;
  }
  for (const id of kept) expect(await get(id)).toMatchObject({ status: 'waiting', send_at });
  expect([kept.length > 0, lost > 0]).toEqual([true, true]);
}, 120_000);

test('a message is either cancelled or sent, never both', async () => {
  for (let round = 0; round < 4; round += 1) {
    const ids = await scheduleMessages(BATCH);
    await makeDue();
    const answers = await Promise.all(ids.map((id) => team.call('DELETE', `/scheduled/${id}`)));
    const back = ids.filter((_, at) => answers[at]!.status === 200);
    const gone = ids.filter((_, at) => answers[at]!.status === 409);
    expect(back.length + gone.length).toBe(BATCH);
    await waitUntilSent(gone);
    for (const id of back) expect((await get(id)).status).toBe('draft');
    for (const id of back) expect((await team.call('DELETE', `/scheduled/${id}`)).status).toBe(404);
  }
  const { rows } = await sql<{ sent: number; messages: number }>`
    select (select count(*) from sandbox_messages) as sent,
      (select count(distinct email_id) from sandbox_messages) as messages`.execute(server.db);
  expect(rows[0]!.sent).toBe(rows[0]!.messages);
}, 120_000);

test('concurrent send-now, reschedule and cancel have one outcome, and all answers agree', async () => {
  const ids = await scheduleMessages(BATCH);
  const send_at = new Date(Date.now() + 2 * HOUR).toISOString();
  const answers = await Promise.all(
    ids.map((id) =>
      Promise.all([
        team.call('POST', `/scheduled/${id}/send-now`),
        team.call('DELETE', `/scheduled/${id}`),
        team.call('PATCH', `/scheduled/${id}`, { send_at }),
      ]),
    ),
  );
  for (const [at, [now, back, moved]] of answers.entries()) {
    expect([now.status, back.status].filter((status) => status === 200)).toHaveLength(1);
    expect([200, 404, 409]).toContain(moved.status);
    if (now.status === 200) {
      expect(back.status).toBe(409);
      await waitUntilSent([ids[at]!]);
    } else {
      expect([now.status, (await get(ids[at]!)).status]).toEqual([404, 'draft']);
    }
  }
}, 60_000);

test('messages of several mailboxes that are due together move to sent, also one that another answers', async () => {
  const { body: second } = await team.call('POST', '/mailboxes', { address: 'grace@races.test' });
  const message = { to: ['charles@example.org'], subject: 'Together', text: 'x' };
  const send_at = new Date(Date.now() + HOUR).toISOString();
  const post = async (mailboxId: string, input: object) =>
    (await team.call('POST', `/mailboxes/${mailboxId}/messages`, { ...message, ...input, send_at })).body;
  const asked = await post(box.id, {});
  const answer = await post(box.id, { thread_id: asked.thread_id });
  const others = [await post(second.id, {}), await post(second.id, {}), await post(second.id, {})];
  const sent = [asked.id, answer.id, ...others.map(({ id }) => id)];
  await sql`update emails set scheduled_at = now() where subject like '%Together'`.execute(server.db);
  await sql`select pg_notify('deliveries_due', '')`.execute(server.db);
  await waitUntilSent(sent);
  const messages = await Promise.all(sent.map(get));
  expect(messages.map(({ folder, answered }) => [folder, answered])).toEqual([
    ['sent', true],
    ['sent', false],
    ['sent', false],
    ['sent', false],
    ['sent', false],
  ]);
  const { rows } = await sql`
    select uid from messages where mailbox_id = ${decodeId('mbx', second.id)} order by uid
  `.execute(server.db);
  expect(rows).toEqual([{ uid: 1 }, { uid: 2 }, { uid: 3 }]);
  const { rows: gone } = await sql`
    select folder from vanished_messages where message_id = any(${sent.map((id) => decodeId('msg', id))}::uuid[])
  `.execute(server.db);
  expect(gone).toEqual(sent.map(() => ({ folder: 'drafts' })));
});

test('scheduled messages survive a restart and are sent afterwards', async () => {
  const ids = await scheduleMessages(2);
  const { send_at } = await get(ids[0]!);
  await server.close();
  const between = openDatabase(database.url, { connections: 1, onError: () => {} });
  await sql`
    update emails set scheduled_at = now()
    where (team_id, id) in (select team_id, email_id from messages where id = ${decodeId('msg', ids[1]!)})
  `.execute(between.db);
  await between.close();
  server = await startTestServer({ doors: ['http', 'worker'], databaseUrl: database.url });
  team = { ...team, call: createCall(server.url, team.key) };
  await waitUntilSent([ids[1]!]);
  expect(await get(ids[0]!)).toMatchObject({ status: 'waiting', send_at });
  const { items } = (await team.call('GET', `/mailboxes/${box.id}/scheduled`)).body;
  expect(items.map(({ id }: { id: string }) => id)).toContain(ids[0]);
}, 60_000);
