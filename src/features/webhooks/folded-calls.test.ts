import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestServer } from '../../testing/test-server.ts';
import type { WebhookReceiver } from '../../testing/servers/webhook-receiver.ts';
import {
  createWebhookTeam,
  startWebhookWorld,
  type WebhookTeam,
  type WebhookWorld,
} from '../../testing/fixtures/webhook-team.ts';
import { readWebhookBacklog } from './backlog.ts';
import { listCalls } from './calls.ts';
import { eraseCalls } from './erase-calls.ts';

const polled = { timeout: 30_000, interval: 50 };

let world: WebhookWorld;
let server: TestServer;
let receiver: WebhookReceiver;
let team: WebhookTeam;

beforeAll(async () => {
  world = await startWebhookWorld();
  ({ server, receiver } = world);
});
afterAll(() => world.close());
beforeEach(async () => {
  receiver.forget();
  receiver.answer(200);
  team = await createWebhookTeam(server, receiver.url);
  await setStatus('paused');
});

const setStatus = (status: string) => team.call('PATCH', `/webhooks/${team.hook.id}`, { status });

async function addContacts(bookId: string, names: string[]): Promise<void> {
  const contacts = names.map((name) => ({ email: `${name}@example.com` }));
  const { status } = await team.call('POST', `/contactBooks/${bookId}/contacts/bulk`, contacts);
  expect(status).toBe(200);
}

const addBook = async (): Promise<string> =>
  (await team.call('POST', '/contactBooks', { name: 'x' })).body.id;
const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, no) => `${prefix}${String(no).padStart(4, '0')}`);
const nameOf = ({ payload }: { payload: { data: { email: string } } }) => payload.data.email.split('@')[0]!;

/** Reads the whole log, newest first, in pages of this size. */
async function listAll(query = '', limit = 70) {
  const items = [];
  for (let cursor = ''; ;) {
    const path = `/webhooks/${team.hook.id}/calls?limit=${limit}${query}${cursor}`;
    const { status, body } = await team.call('GET', path);
    expect(status).toBe(200);
    items.push(...body.items);
    if (body.next_cursor === null) return items;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

async function countRows(table: 'webhook_calls' | 'webhook_events'): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from ${sql.table(table)} where team_id = ${team.teamId}
  `.execute(server.db);
  return rows[0]!.count;
}

test('a large import stores each event once and one row for each webhook, and shows and makes all calls in order', async () => {
  for (let count = 0; count < 4; count += 1) {
    const { id } = await team.addHook(receiver.url);
    await team.call('PATCH', `/webhooks/${id}`, { status: 'paused' });
  }
  const book = await addBook();
  const names = [...numbered('a', 300), ...numbered('b', 500)];
  await addContacts(book, names.slice(0, 300));
  await addContacts(book, names.slice(300));
  await addContacts(book, ['c1', 'c2']);
  names.push('c1', 'c2');
  expect(await countRows('webhook_events')).toBe(802);
  expect(await countRows('webhook_calls')).toBe(5 * (1 + 1 + 2));
  expect((await readWebhookBacklog(server.db)).waiting).toBe(5 * 802);

  const listed = await listAll();
  expect(listed.map(nameOf)).toEqual(names.toReversed());
  for (const call of listed)
    expect(call).toMatchObject({
      type: 'contact.created',
      status: 'waiting',
      attemptCount: 0,
      nextAttemptAt: expect.any(String),
      lastAttempt: null,
    });
  expect(await listAll('&type=contact.created&status=waiting', 1)).toHaveLength(802);
  expect(await listAll('&type=contact.deleted')).toEqual([]);
  expect(await listAll('&status=failed')).toEqual([]);
  const path = `/webhooks/${team.hook.id}/calls`;
  for (const [at, limit] of [
    [600, 3],
    [801, 100],
    [3, 2],
  ] as const) {
    const page = { limit, before: listed[at].id };
    const { items } = await listCalls(server.db, team.teamId, team.hook.id, page);
    expect(items).toEqual(listed.slice(at - limit, at));
  }
  expect((await team.call('GET', `${path}/${listed[600].id}`)).body).toEqual({
    ...listed[600],
    attempts: [],
  });
  const stranger = await server.createTeam();
  expect((await stranger.call('GET', `${path}/${listed[600].id}`)).status).toBe(404);
  await setStatus('active');
  expect((await team.call('POST', `${path}/${listed[600].id}/replay`)).status).toBe(200);

  const received = await receiver.waitForCalls(802);
  expect(received.map(({ json }) => json.data.email.split('@')[0])).toEqual(names);
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(
    listed.map(({ eventId }) => eventId).toReversed(),
  );
  await expect.poll(async () => (await listAll('&status=succeeded')).length, polled).toBe(802);
  expect((await listAll()).map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
});

test('an event without a row of its call is kept until it was sent, and then erased', async () => {
  await addContacts(await addBook(), numbered('a', 50));
  const pattern = 'a0030@example\\.com';
  expect(await eraseCalls(server.db, team.teamId, pattern)).toBe(true);
  expect(await countRows('webhook_events')).toBe(50);
  await setStatus('active');
  await receiver.waitForCalls(50);
  await expect.poll(async () => (await listAll('&status=succeeded')).length, polled).toBe(50);
  expect(await eraseCalls(server.db, team.teamId, pattern)).toBe(false);
  expect(await countRows('webhook_events')).toBe(49);
  expect((await listAll()).map(nameOf)).toEqual(
    numbered('a', 50)
      .filter((name) => name !== 'a0030')
      .toReversed(),
  );
});

test('a call from before events were shared is listed, erased and made with its own event', async () => {
  for (const name of ['ada', 'grace'])
    await sql`
      insert into webhook_calls (team_id, webhook_id, id, event_id, type, ids, data, happened_at)
      select team_id, id, make_uuid(), make_uuid(), 'contact.created', '{}',
        ${JSON.stringify({ email: `${name}@example.com` })}::jsonb, now()
      from webhooks where team_id = ${team.teamId}
    `.execute(server.db);
  const shown = await listAll('&type=contact.created');
  expect(shown.map(nameOf)).toEqual(['grace', 'ada']);
  expect(await eraseCalls(server.db, team.teamId, 'ada@')).toBe(true);
  await setStatus('active');
  const received = await receiver.waitForCalls(2);
  expect(received.map(({ json }) => json)).toEqual(shown.map(({ payload }) => payload).toReversed());
  await expect.poll(async () => (await listAll('&status=succeeded')).length, polled).toBe(2);
  expect(await eraseCalls(server.db, team.teamId, 'ada@')).toBe(false);
  expect((await listAll()).map(nameOf)).toEqual(['grace']);
});
