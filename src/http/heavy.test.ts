import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../platform/database/database.ts';
import { countWaiting } from '../testing/count-waiting.ts';
import { startTestServer, type Answer, type TestServer, type TestTeam } from '../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let book: string;
let other: TestTeam;
let otherBook: string;
let drafts: string;
let otherDrafts: string;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  other = await server.createTeam();
  await team.call('POST', '/domains', { name: 'shop.test' });
  await other.call('POST', '/domains', { name: 'other.test' });
  await sql`update domains set held = true, status = 'SUCCESS'`.execute(server.db);
  book = (await team.call('POST', '/contactBooks', { name: 'Readers' })).body.id;
  otherBook = (await other.call('POST', '/contactBooks', { name: 'Others' })).body.id;
  drafts = await createBox(team, 'box@shop.test');
  otherDrafts = await createBox(other, 'box@other.test');
});
afterAll(() => server.close());

/** Returns the path of the drafts of a new mailbox. */
async function createBox(owner: TestTeam, address: string): Promise<string> {
  const { body } = await owner.call('POST', '/mailboxes', { address });
  return `/mailboxes/${body.id}/drafts`;
}

const people = [{ email: 'ada@example.org' }, { email: 'grace@example.org' }];
const bulkOf = (contacts: object[], headers: Record<string, string> = {}) =>
  team.call('POST', `/contactBooks/${book}/contacts/bulk`, contacts, headers);
const draft = { text: 'word '.repeat(5_000) };
const email = { from: 'a@shop.test', to: 'b@example.org', subject: 'Hello', text: 'Hello' };
interface Asks {
  name: string;
  table: string;
  /** A part of the statement that waits for the lock. */
  statement: string;
  most: number;
  answer?: number;
  ask(at: number): Promise<Answer>;
  askOther?(): Promise<Answer>;
}
const asks: Asks[] = [
  {
    name: 'new domains',
    table: 'domains',
    statement: 'from "domains"',
    most: 3,
    answer: 409,
    ask: () => team.call('POST', '/domains', { name: 'shop.test' }),
  },
  {
    name: 'CSV exports',
    table: 'contacts',
    statement: 'select min(name) as name from contacts',
    most: 1,
    ask: () => team.call('GET', `/contactBooks/${book}/export`),
    askOther: () => other.call('GET', `/contactBooks/${otherBook}/export`),
  },
  {
    name: 'bulks of contacts',
    table: 'contacts',
    statement: 'with book as',
    most: 3,
    ask: (at) => bulkOf(people, at % 2 ? { 'idempotency-key': `k${at}` } : {}),
    askOther: () => other.call('POST', `/contactBooks/${otherBook}/contacts/bulk`, people),
  },
  {
    name: 'counts of segments',
    table: 'contacts',
    statement: 'select count(*) from contacts c',
    most: 2,
    ask: () => team.call('POST', '/segments/count', { contactBookId: book, filter: { all: [] } }),
    askOther: () => other.call('POST', '/segments/count', { contactBookId: otherBook, filter: { all: [] } }),
  },
  {
    name: 'large drafts',
    table: 'messages',
    // One request waits for the table, and the others for the change number of the mailbox.
    statement: '',
    most: 4,
    ask: (at) => team.call('POST', drafts, draft, at % 2 ? { 'idempotency-key': `d${at}` } : {}),
    askOther: () => other.call('POST', otherDrafts, draft),
  },
  {
    name: 'batches of emails',
    table: 'email_contents',
    statement: 'with email as',
    most: 3,
    ask: (at) =>
      team.call('POST', '/emails/batch', [email, email], at % 2 ? { 'idempotency-key': `b${at}` } : {}),
  },
];

test.each(asks)(
  '$name that wait for the database leave connections for other requests',
  async ({ table, statement, most, answer = 200, ask, askOther }) => {
    let asked: Promise<Answer[]> = Promise.resolve([]);
    await inTransaction(server.db, async (trx) => {
      await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(trx);
      asked = Promise.all(Array.from({ length: 20 }, (_one, at) => ask(at)));
      await expect.poll(() => countWaiting(server.db, statement)).toBe(most);
      expect((await team.call('POST', '/contactBooks', { name: 'Others' })).status).toBe(200);
      expect(await countWaiting(server.db, statement)).toBe(most);
      if (!askOther) return;
      // Another team does not wait for them.
      asked = Promise.all([asked, askOther()]).then(([own, others]) => [...own, others]);
      await expect.poll(() => countWaiting(server.db, statement)).toBe(most + 1);
    });
    const statuses = new Set((await asked).map(({ status }) => status));
    expect(statuses).toEqual(new Set([answer]));
  },
);

async function findGone(): Promise<unknown[]> {
  return (await team.call('GET', `/contactBooks/${book}/contacts?search=gone`)).body.items;
}

test('a queued request whose client disconnects is not run', async () => {
  const hangUp = new AbortController();
  const asked: Promise<unknown>[] = [];
  await inTransaction(server.db, async (trx) => {
    await sql`lock table contacts in access exclusive mode`.execute(trx);
    for (let at = 0; at < 12; at += 1) {
      const sending = fetch(`${server.url}/api/v1/contactBooks/${book}/contacts/bulk`, {
        method: 'POST',
        headers: { authorization: `Bearer ${team.key}`, 'content-type': 'application/json' },
        body: JSON.stringify([{ email: `gone${at}@example.org` }]),
        signal: hangUp.signal,
      });
      asked.push(expect(sending).rejects.toThrow());
    }
    await expect.poll(() => countWaiting(server.db, 'with book as')).toBe(3);
    hangUp.abort();
    await Promise.all(asked);
    // The response to a later request shows that the server has seen the connections close.
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
  // This request waits behind them in the same queue, so the others have been dropped once it gets its response. The
  // three that were running may still have to commit.
  expect((await bulkOf(people)).status).toBe(200);
  await expect.poll(findGone).toHaveLength(3);
});
