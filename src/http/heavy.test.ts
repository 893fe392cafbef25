import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../platform/database.ts';
import { startTestServer, type Answer, type TestServer, type TestTeam } from '../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let book: string;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  await team.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS'`.execute(server.db);
  book = (await team.call('POST', '/contactBooks', { name: 'Readers' })).body.id;
});
afterAll(() => server.close());

async function countWaiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
  `.execute(server.db);
  return rows[0]!.count;
}

const people = [{ email: 'ada@example.org' }, { email: 'grace@example.org' }];
const asks: [string, number, (at: number) => Promise<Answer>][] = [
  ['CSV exports', 2, () => team.call('GET', `/contactBooks/${book}/export`)],
  [
    'bulks of contacts',
    4,
    (at) =>
      team.call(
        'POST',
        `/contactBooks/${book}/contacts/bulk`,
        people,
        at % 2 ? { 'idempotency-key': `k${at}` } : {},
      ),
  ],
];

test.each(asks)('%s that all wait leave connections to others', async (_, most, ask) => {
  let asked: Promise<Answer[]> = Promise.resolve([]);
  await inTransaction(server.db, async (trx) => {
    await sql`lock table contacts in access exclusive mode`.execute(trx);
    asked = Promise.all(Array.from({ length: 20 }, (_one, at) => ask(at)));
    await expect.poll(countWaiting, { timeout: 10_000 }).toBe(most);
    const email = { from: 'a@shop.test', to: 'b@example.org', subject: 'Hello', text: 'Hello' };
    expect((await team.call('POST', '/emails', email)).status).toBe(200);
    expect(await countWaiting()).toBe(most);
  });
  const statuses = (await asked).map(({ status }) => status);
  expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
});
