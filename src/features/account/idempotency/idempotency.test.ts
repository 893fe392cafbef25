import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countWaiting } from '../../../testing/count-waiting.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
});
afterAll(() => server.close());

async function namesOfBooks(): Promise<string[]> {
  return (await team.call('GET', '/contactBooks')).body.map((book: { name: string }) => book.name);
}

test('the same request again replays the first answer and does nothing', async () => {
  const key = { 'idempotency-key': 'create once' };
  const first = await team.call('POST', '/contactBooks', { name: 'Once' }, key);
  const again = await team.call('POST', '/contactBooks', { name: 'Once' }, key);
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
  expect((await namesOfBooks()).filter((name) => name === 'Once')).toHaveLength(1);
});

test('a different body, path or method with the same key is 422', async () => {
  const key = { 'idempotency-key': 'mismatch' };
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'First' }, key);
  const otherBody = await team.call('POST', '/contactBooks', { name: 'Second' }, key);
  expect([otherBody.status, otherBody.body.error.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
  const otherPath = await team.call(
    'POST',
    `/contactBooks/${book.id}/contacts`,
    { email: 'a@example.com' },
    key,
  );
  expect(otherPath.status).toBe(422);
  const stringForm = await team.call('PATCH', `/contactBooks/${book.id}`, { name: 'First' }, key);
  expect([stringForm.status, typeof stringForm.body.error]).toEqual([422, 'string']);
});

test('20 concurrent requests with one key do the work once; the others replay or are 409', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      team.call('POST', '/contactBooks', { name: 'Raced' }, { 'idempotency-key': 'race' }),
    ),
  );
  const statuses = new Set(answers.map((answer) => answer.status));
  expect([...statuses].every((status) => status === 200 || status === 409)).toBe(true);
  expect(
    new Set(answers.filter((answer) => answer.status === 200).map((answer) => answer.body.id)).size,
  ).toBe(1);
  expect((await namesOfBooks()).filter((name) => name === 'Raced')).toHaveLength(1);
});

test('a second request is 409 immediately while the first is still running', async () => {
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'Slow' });
  const key = { 'idempotency-key': 'in progress' };
  const change = () => team.call('PATCH', `/contactBooks/${book.id}`, { name: 'Slower' }, key);
  const first = await server.db.transaction().execute(async (trx) => {
    // Locks the book's row so that the first request waits in the middle of its work.
    await sql`select 1 from contact_books where name = 'Slow' for update`.execute(trx);
    const waiting = change();
    await expect.poll(() => countWaiting(server.db)).toBe(1);
    expect((await change()).status).toBe(409);
    return { waiting };
  });
  expect((await first.waiting).status).toBe(200);
  expect((await change()).headers.get('idempotency-replayed')).toBe('true');
});

async function createOften() {
  return team.call('POST', '/contactBooks', { name: 'Often' }, { 'idempotency-key': 'many replays' });
}

test('20 concurrent requests after the first has finished all replay its answer', async () => {
  const first = await createOften();
  const answers = await Promise.all(Array.from({ length: 20 }, createOften));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`))).toEqual(
    new Set([`200 ${first.body.id}`]),
  );
});

test('a key can be used again after a 4xx', async () => {
  const key = { 'idempotency-key': 'again' };
  const path = '/contactBooks/cbk_unknown/contacts';
  expect((await team.call('POST', path, { email: 'a@example.com' }, key)).status).toBe(404);
  expect((await team.call('POST', '/contactBooks', { name: '' }, key)).status).toBe(400);
  expect((await team.call('POST', '/contactBooks', { name: 'After an error' }, key)).status).toBe(200);
});

test('keys belong to a team, and are kept for 24 hours', async () => {
  const key = { 'idempotency-key': 'mine' };
  const other = await server.createTeam();
  const mine = await team.call('POST', '/contactBooks', { name: 'Same' }, key);
  const theirs = await other.call('POST', '/contactBooks', { name: 'Same' }, key);
  expect(theirs.headers.get('idempotency-replayed')).toBeNull();
  expect(theirs.body.id).not.toBe(mine.body.id);

  await sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = 'mine'`.execute(
    server.db,
  );
  const later = await team.call('POST', '/contactBooks', { name: 'Another day' }, key);
  expect(later.status).toBe(200);
  expect(later.headers.get('idempotency-replayed')).toBeNull();
});

test('a key has 1 to 256 characters', async () => {
  expect((await team.call('POST', '/contactBooks', { name: 'x' }, { 'idempotency-key': '' })).status).toBe(
    400,
  );
  expect(
    (await team.call('POST', '/contactBooks', { name: 'x' }, { 'idempotency-key': 'k'.repeat(257) })).status,
  ).toBe(400);
  expect(
    (await team.call('POST', '/contactBooks', { name: 'x' }, { 'idempotency-key': 'k'.repeat(256) })).status,
  ).toBe(200);
});

test('a replayed answer contains the new API key, but the database does not store it in clear', async () => {
  const key = { 'idempotency-key': 'secret answer' };
  const first = await team.call('POST', '/api-keys', { name: 'Replayed', permission: 'full' }, key);
  const again = await team.call('POST', '/api-keys', { name: 'Replayed', permission: 'full' }, key);
  expect(again.body.key).toBe(first.body.key);
  const secret = first.body.key.split('_')[2];
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select 1 from idempotency_keys
      where position(convert_to(${secret}, 'UTF8') in answer) > 0
    ) or exists (select 1 from api_keys where api_keys::text like ${`%${secret}%`}) as found`.execute(
    server.db,
  );
  expect(rows[0]!.found).toBe(false);
});
