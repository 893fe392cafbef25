import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { rebuildCounts } from '../../activity/analytics/rebuild.ts';
import { mergeSlots } from '../../sending/counters/merge-slots.ts';

let server: TestServer;
let team: TestTeam;
let book: string;
let people = 0;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
});
afterAll(() => server.close());
beforeEach(async () => {
  team = await server.createTeam();
  book = await addBook();
});

async function addBook(more: object = {}): Promise<string> {
  return (await team.call('POST', '/contactBooks', { name: 'Readers', ...more })).body.id;
}

const newEmail = () => `person${++people}@example.org`;

async function add(more: object = {}, to = book): Promise<string> {
  const { status, body } = await team.call('POST', `/contactBooks/${to}/contacts`, {
    email: newEmail(),
    ...more,
  });
  expect(status).toBe(200);
  return body.contactId;
}

async function growth(query = '', of = book) {
  const { status, body } = await team.call('GET', `/contactBooks/${of}/growth${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const today = async (of = book) => {
  const { date: _, ...counts } = (await growth('', of)).items.at(-1);
  return counts;
};

async function find(email: string, of = book) {
  const path = `/contactBooks/${of}/contacts?email=${encodeURIComponent(email)}`;
  return (await team.call('GET', path)).body.items[0];
}

describe('growth', () => {
  test('counts who joined, left, returned and was deleted, and the subscribers at the end', async () => {
    const [first, second] = [await add(), await add(), await add()];
    await add({ subscribed: false });
    expect(await today()).toEqual({ joined: 3, confirmed: 0, returned: 0, left: 0, total: 3, pending: 0 });
    await team.call('PATCH', `/contactBooks/${book}/contacts/${first}`, { subscribed: false });
    await team.call('PATCH', `/contactBooks/${book}/contacts/${first}`, { firstName: 'Ada' });
    await team.call('DELETE', `/contactBooks/${book}/contacts/${first}`);
    await team.call('PATCH', `/contactBooks/${book}/contacts/${second}`, { subscribed: false });
    await team.call('PATCH', `/contactBooks/${book}/contacts/${second}`, { subscribed: true });
    expect(await today()).toEqual({ joined: 3, confirmed: 0, returned: 1, left: 2, total: 2, pending: 0 });
    await team.call('DELETE', `/contactBooks/${book}/contacts/${second}`);
    expect(await today()).toMatchObject({ left: 3, total: 1 });
  });

  test('counts contacts that have to confirm as pending until they do', async () => {
    const asking = await addBook({ doubleOptInEnabled: true });
    const id = await add({}, asking);
    const other = await add({}, asking);
    expect(await today(asking)).toMatchObject({ joined: 2, confirmed: 0, total: 0, pending: 2 });
    await team.call('PATCH', `/contactBooks/${asking}/contacts/${id}`, { subscribed: true });
    await team.call('DELETE', `/contactBooks/${asking}/contacts/${other}`);
    expect(await today(asking)).toEqual({
      joined: 2,
      confirmed: 1,
      returned: 0,
      left: 0,
      total: 1,
      pending: 0,
    });
  });

  test('is exact when many requests change the same people at the same time', async () => {
    const emails = Array.from({ length: 10 }, newEmail);
    await Promise.all(
      Array.from({ length: 40 }, async (_, no) => {
        const email = emails[no % emails.length];
        if (no % 4 === 0) {
          const rows = emails.map((each) => ({ email: each, subscribed: no % 8 === 0 ? false : undefined }));
          return team.call('POST', `/contactBooks/${book}/contacts/bulk`, rows);
        }
        return team.call('POST', `/contactBooks/${book}/contacts`, { email, subscribed: no % 3 !== 0 });
      }),
    );
    const subscribed = (await team.call('GET', `/contactBooks/${book}/contacts?subscribed=true`)).body.items;
    const { joined, returned, left, total } = await today();
    expect(total).toBe(subscribed.length);
    expect(joined + returned - left).toBe(total);
  });

  test('is the same after slots are merged and after a rebuild, which mends wrong totals', async () => {
    await add();
    const moved = sql`update contact_book_growth set quarter = quarter - interval '3 hours', slot = 7
      where team_id = ${team.teamId}`;
    await moved.execute(server.db);
    await add();
    await moved.execute(server.db).catch(() => undefined);
    const before = (await growth('?interval=month')).items.at(-1);
    await mergeSlots(server.db);
    expect((await growth('?interval=month')).items.at(-1)).toEqual(before);
    await sql`update contact_book_growth set subscribed = subscribed + 5 where team_id = ${team.teamId}`.execute(
      server.db,
    );
    await rebuildCounts(server.db);
    expect((await growth('?interval=month')).items.at(-1)).toMatchObject({ joined: 2, total: 2 });
  });

  test('gives days of a time zone, and rejects ranges that make no sense', async () => {
    await add();
    await sql`update contact_book_growth set quarter = '2026-05-31T18:31:00Z' where team_id = ${team.teamId}`.execute(
      server.db,
    );
    const range = '?from=2026-05-30&to=2026-06-02';
    const totals = async (query: string) =>
      (await growth(query)).items.map(({ total }: { total: number }) => total);
    expect(await totals(range)).toEqual([0, 1, 1, 1]);
    expect(await totals(`${range}&timezone=Asia/Kolkata`)).toEqual([0, 0, 1, 1]);
    expect(await totals('?from=2026-06-01&to=2026-06-01&interval=month')).toEqual([1]);
    expect((await growth('?from=2026-06-01&to=2026-06-01')).sources).toEqual([]);
    for (const wrong of [
      '?from=2026-06-01',
      '?from=2026-06-02&to=2026-06-01',
      '?from=2020-01-01&to=2026-01-01',
      '?from=2026-02-30&to=2026-03-01',
      '?timezone=Mars/Base',
      '?interval=minute',
    ])
      expect((await team.call('GET', `/contactBooks/${book}/growth${wrong}`)).status, wrong).toBe(400);
  });

  test('is not found for the book of another team', async () => {
    const other = await server.createTeam();
    expect((await other.call('GET', `/contactBooks/${book}/growth`)).status).toBe(404);
    expect((await team.call('GET', '/contactBooks/cbk_nothing/growth')).status).toBe(404);
  });
});

describe('the source of a contact', () => {
  test('is the API key for all ways of the API, and never changes', async () => {
    const emails = Array.from({ length: 4 }, newEmail);
    await team.call('POST', `/contactBooks/${book}/contacts`, { email: emails[0] });
    await team.call('PUT', `/contactBooks/${book}/contacts/con_new`, { email: emails[1] });
    await team.call('POST', `/contactBooks/${book}/contacts/bulk`, [{ email: emails[2] }]);
    const sent = await team.call('POST', '/events', {
      name: 'ordered',
      email: emails[3],
      contactBookId: book,
    });
    expect(sent.status, JSON.stringify(sent.body)).toBe(200);
    const sources = new Set<string>();
    for (const email of emails) {
      const contact = await find(email);
      expect(contact).toMatchObject({ source: 'api', sourceId: expect.stringMatching(/^key_/) });
      sources.add(contact.sourceId);
    }
    expect(sources.size).toBe(1);
    expect((await growth()).sources).toEqual([
      { source: 'api', id: [...sources][0], name: expect.any(String), joined: 4 },
    ]);
  });

  test('is the form or the import, which an API request later does not change', async () => {
    const { body: form } = await team.call('POST', '/forms', { name: 'Home', contactBookId: book });
    const signedUp = newEmail();
    await fetch(`${server.url}/f/${form.id}`, {
      method: 'POST',
      headers: { 'x-forwarded-for': '192.0.2.77' },
      body: new URLSearchParams({ email: signedUp }),
    });
    const imported = newEmail();
    const { body: started } = await team.call(
      'POST',
      `/contactBooks/${book}/imports`,
      `email\n${imported}\n${newEmail()}\n`,
      { 'content-type': 'text/csv' },
    );
    await expect.poll(async () => (await find(imported))?.source).toBe('import');
    await team.call('POST', `/contactBooks/${book}/contacts`, { email: signedUp });
    expect(await find(signedUp)).toMatchObject({ source: 'form', sourceId: form.id });
    expect(await find(imported)).toMatchObject({ source: 'import', sourceId: started.id });
    expect((await growth()).sources).toEqual([
      { source: 'import', id: started.id, name: null, joined: 2 },
      { source: 'form', id: form.id, name: 'Home', joined: 1 },
    ]);
  });
});
