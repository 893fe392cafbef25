import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  startTestServer,
  type Answer,
  type TestServer,
  type TestTeam,
} from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
});
afterAll(() => server.close());

async function createBook(): Promise<string> {
  const { body } = await team.call('POST', '/contactBooks', { name: 'Book' });
  return `/contactBooks/${body.id}`;
}

async function post(contact: object, to: string): Promise<string> {
  const { status, body } = await team.call('POST', `${to}/contacts`, contact);
  expect(status).toBe(200);
  return body.contactId;
}

async function countOf(bookPath: string): Promise<number> {
  return (await team.call('GET', bookPath)).body._count.contacts;
}

describe('bulk', () => {
  test('reports what it did, and the last row with the same address wins', async () => {
    const bulk = await createBook();
    await post({ email: 'known@example.com' }, bulk);
    const { status, body } = await team.call('POST', `${bulk}/contacts/bulk`, [
      { email: 'twice@example.com', firstName: 'First' },
      { email: 'known@example.com', firstName: 'Known' },
      { email: 'TWICE@example.com', firstName: 'Last' },
    ]);
    expect([status, body]).toEqual([200, { message: '1 created, 1 updated, 1 repeated', count: 3 }]);
    const list = (await team.call('GET', `${bulk}/contacts?email=twice@example.com`)).body.items;
    expect(list).toMatchObject([{ firstName: 'Last' }]);
    expect(await countOf(bulk)).toBe(2);
  });

  test('one invalid row rejects all, and every invalid index is reported', async () => {
    const bulk = await createBook();
    const rows = Array.from({ length: 100 }, (_, at) => ({
      email: at % 30 === 7 ? 'bad' : `b${at}@example.com`,
    }));
    const { status, body } = await team.call('POST', `${bulk}/contacts/bulk`, rows);
    expect(status).toBe(400);
    expect(body.error.issues.map((issue: { path: string }) => issue.path)).toEqual([
      '/7/email',
      '/37/email',
      '/67/email',
      '/97/email',
    ]);
    expect(await countOf(bulk)).toBe(0);
  });

  test('every invalid index is reported, also if there are more than issues has room for', async () => {
    const bulk = await createBook();
    const rows: unknown[] = Array.from({ length: 10_000 }, (_, at) => ({
      email: at < 60 || at >= 9_000 ? 'bad' : `b${at}@example.com`,
    }));
    rows[5_000] = { email: 'nul@example.com', firstName: 'a\u0000b' };
    const { status, body } = await team.call('POST', `${bulk}/contacts/bulk`, rows);
    expect(status).toBe(400);
    expect(body.error.issues).toHaveLength(50);
    expect(body.error.message).toContain('The invalid items are 0-59, 5000, 9000-9999, counted from 0.');
    expect(await countOf(bulk)).toBe(0);
  });

  test('10,000 rows are accepted, 10,001 and none are rejected', async () => {
    const bulk = await createBook();
    const rows = Array.from({ length: 10_001 }, (_, at) => ({
      email: `p${at}@example.com`,
      properties: { at },
    }));
    expect((await team.call('POST', `${bulk}/contacts/bulk`, rows)).status).toBe(400);
    expect((await team.call('POST', `${bulk}/contacts/bulk`, [])).status).toBe(400);
    expect((await team.call('POST', `${bulk}/contacts/bulk`, rows.slice(1))).body.count).toBe(10_000);
    expect(await countOf(bulk)).toBe(10_000);

    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await team.call('GET', `${bulk}/contacts?limit=100${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.items.map((item: { email: string }) => item.email));
      if (!body.next_cursor) break;
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(
      rows
        .slice(1)
        .map((row) => row.email)
        .toReversed(),
    );
  });

  test('the ids of all contacts that match are listed in pages of up to 10,000, for a bulk request', async () => {
    const bulk = await createBook();
    const rows = Array.from({ length: 5_100 }, (_, at) => ({
      email: `${at % 2 ? 'odd' : 'even'}${at}@example.com`,
      subscribed: at < 5_000,
    }));
    await team.call('POST', `${bulk}/contacts/bulk`, rows);
    const ids = async (query: string) => (await team.call('GET', `${bulk}/contacts/ids?${query}`)).body;
    const newest = (await team.call('GET', `${bulk}/contacts?limit=2`)).body.items;
    const first = await ids('limit=2');
    expect(first.items).toEqual(newest.map(({ id }: { id: string }) => id));
    const rest = await ids(`cursor=${first.next_cursor}`);
    expect([rest.items.length, rest.next_cursor]).toEqual([5_098, null]);
    const odd = await ids('search=ODD&subscribed=true');
    expect([odd.items.length, odd.next_cursor]).toEqual([2_500, null]);
    const deleted = await team.call('DELETE', `${bulk}/contacts/bulk`, { contactIds: odd.items });
    expect(deleted.body.count).toBe(2_500);
    expect(await countOf(bulk)).toBe(2_600);
    for (const query of ['limit=0', 'limit=10001', 'cursor=nonsense', 'subscribed=yes']) {
      expect((await team.call('GET', `${bulk}/contacts/ids?${query}`)).status).toBe(400);
    }
    const stranger = await server.createTeam();
    expect((await stranger.call('GET', `${bulk}/contacts/ids`)).status).toBe(404);
  });

  test('a request of 16 MiB is accepted, a larger one is 413', async () => {
    const bulk = await createBook();
    const rows = [
      { email: 'large@example.com', properties: { a: 'x'.repeat(15_000) }, ignored: 'x'.repeat(15 << 20) },
    ];
    expect((await team.call('POST', `${bulk}/contacts/bulk`, rows)).status).toBe(200);
    rows[0]!.ignored = 'x'.repeat(17 << 20);
    expect((await team.call('POST', `${bulk}/contacts/bulk`, rows)).status).toBe(413);
  });

  test('bulk delete ignores unknown contacts', async () => {
    const bulk = await createBook();
    const ids = await Promise.all(
      ['a', 'b', 'c'].map((name) => post({ email: `${name}@example.com` }, bulk)),
    );
    const elsewhere = await createBook();
    const foreign = await post({ email: 'elsewhere@example.com' }, elsewhere);
    const { body } = await team.call('DELETE', `${bulk}/contacts/bulk`, {
      contactIds: [ids[0], ids[1], ids[1], foreign, 'nonsense'],
    });
    expect(body).toEqual({ success: true, count: 2 });
    expect(await countOf(bulk)).toBe(1);
    expect((await team.call('GET', `${elsewhere}/contacts/${foreign}`)).status).toBe(200);
    expect((await team.call('DELETE', `${bulk}/contacts/bulk`, { contactIds: [] })).status).toBe(400);
    expect(
      (await team.call('DELETE', '/contactBooks/cbk_unknown/contacts/bulk', { contactIds: ['x'] })).status,
    ).toBe(404);
  });
});

async function deleteSome(from: string): Promise<Answer> {
  const { body } = await team.call('GET', `${from}/contacts?limit=20`);
  const contactIds = body.items.map((item: { id: string }) => item.id);
  return team.call('DELETE', `${from}/contacts/bulk`, { contactIds: [...contactIds, 'none'] });
}

describe('races', () => {
  test('20 concurrent creates of one address make one contact, counted once', async () => {
    const raced = await createBook();
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        post(
          { email: at % 2 ? 'race@example.com' : 'RACE@example.com', properties: { [`p${at}`]: at } },
          raced,
        ),
      ),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await countOf(raced)).toBe(1);
    expect(Object.keys((await team.call('GET', `${raced}/contacts/${ids[0]}`)).body.properties)).toHaveLength(
      20,
    );
  });

  test('concurrent bulk writes, creates and deletes do not deadlock, and the count is exact', async () => {
    const raced = await createBook();
    const people = Array.from({ length: 400 }, (_, at) => ({ email: `mass${at}@example.com` }));
    const work: Promise<Answer>[] = [];
    for (let round = 0; round < 8; round++) {
      const rows = round % 2 ? people : people.toReversed();
      work.push(team.call('POST', `${raced}/contacts/bulk`, rows));
      work.push(team.call('POST', `${raced}/contacts`, { email: `mass${round * 7}@example.com` }));
      work.push(deleteSome(raced));
    }
    const statuses = new Set((await Promise.all(work)).map((answer) => answer.status));
    expect([...statuses]).toEqual([200]);
    const { rows } = await sql<{ count: number }>`
      select count(*) from contacts where email_key like 'mass%@example.com'`.execute(server.db);
    expect(await countOf(raced)).toBe(rows[0]!.count);
  });

  test('adding contacts while the book is deleted succeeds or is 404, and leaves nothing behind', async () => {
    const deletedBook = await createBook();
    const posts = Array.from({ length: 40 }, (_, at) =>
      team.call('POST', `${deletedBook}/contacts`, { email: `d${at}@example.com` }),
    );
    const deletion = team.call('DELETE', deletedBook);
    expect((await deletion).body).toMatchObject({
      success: true,
      message: 'Contact book deleted successfully',
    });
    for (const { status } of await Promise.all(posts)) expect([200, 404]).toContain(status);
    expect((await team.call('GET', deletedBook)).status).toBe(404);
    const worker = await startTestServer({ databaseUrl: server.config.databaseUrl!, doors: ['worker'] });
    await expect
      .poll(async () => {
        const { rows } = await sql<{ left: number }>`
          select count(*) as left from contacts where email_key like 'd%@example.com'`.execute(server.db);
        return rows[0]!.left;
      })
      .toBe(0);
    await worker.close();
  });
});
