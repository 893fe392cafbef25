import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  addBook,
  closeCampaignWorld,
  create,
  findContact,
  get,
  makePeople,
  openCampaignWorld,
  recipients,
  server,
  sink,
  team,
  untilStatus,
  visit,
} from '../../testing/fixtures/campaign-world.ts';

beforeAll(openCampaignWorld);
afterAll(closeCampaignWorld);
beforeEach(() => sink.reset());

const schedule = (id: string, body: object) => team.call('POST', `/campaigns/${id}/schedule`, body);
const report = async (id: string) => (await team.call('GET', `/campaigns/${id}/report`)).body;

/** The hour of the day in UTC, `ahead` hours from now. */
const hourAhead = (ahead: number) => new Date(Date.now() + ahead * 3_600_000).getUTCHours();

async function addHours(book: string, email: string | null, hour: number, visits: number): Promise<void> {
  const { rows } = await sql<{ id: string; contact: string | null }>`
    select contact_book_id as id, id as contact from contacts
    where team_id = ${team.teamId} and email = ${email ?? 'u0@example.org'} and contact_book_id in (
      select id from contact_books where team_id = ${team.teamId}) order by created_at desc limit 1
  `.execute(server.db);
  const { id, contact } = rows[0]!;
  expect(book).toMatch(/^cbk_/);
  await (
    email === null
      ? sql`insert into contact_book_hours (team_id, contact_book_id, hour, slot, visits)
        values (${team.teamId}, ${id}, ${hour}, 0, ${visits})`
      : sql`insert into contact_hours (team_id, contact_book_id, contact_id, hour, visits)
        values (${team.teamId}, ${id}, ${contact}, ${hour}, ${visits})`
  ).execute(server.db);
}

async function dueHours(id: string): Promise<Record<string, number>> {
  const { body } = await team.call('GET', `/campaigns/${id}/recipients?limit=100`);
  return Object.fromEntries(
    body.items.map(({ email, dueAt }: { email: string; dueAt: string }) => [
      email.split('@')[0],
      new Date(dueAt).getUTCHours(),
    ]),
  );
}

test('each recipient gets it at its own best hour, or at that of the book', async () => {
  const book = await addBook(makePeople(3));
  const [ofBook, own] = [hourAhead(5), hourAhead(9)];
  await addHours(book, null, ofBook, 40);
  await addHours(book, 'u1@example.org', own, 3);
  const id = await create(book);
  const { status } = await schedule(id, { bestHour: { withinHours: 24, holdoutPercent: 0 } });
  expect(status).toBe(200);
  await untilStatus(id, 'RUNNING');
  expect(await get(id)).toMatchObject({ bestHour: { withinHours: 24, holdoutPercent: 0 } });
  await expect.poll(() => dueHours(id)).toEqual({ u0: ofBook, u1: own, u2: ofBook });
  expect(recipients()).toEqual([]);
  await sql`update campaign_batches set due_at = now()`.execute(server.db);
  await sql`update campaigns set next_due_at = now() where next_due_at is not null`
    .execute(server.db)
    .catch(() => undefined);
  await untilStatus(id, 'SENT');
  expect(recipients()).toHaveLength(3);
}, 60_000);

test('the window limits the hours, and without any visits it is sent at the start', async () => {
  const book = await addBook(makePeople(2));
  const id = await create(book);
  await addHours(book, 'u1@example.org', hourAhead(9), 3);
  await schedule(id, { bestHour: { withinHours: 3, holdoutPercent: 0 } });
  await untilStatus(id, 'SENT');
  expect(recipients()).toHaveLength(2);
}, 60_000);

function hours() {
  return sql`select hour, visits from contact_hours where team_id = ${team.teamId} and visits < 3`.execute(
    server.db,
  );
}

test('the report compares with those who got it at the start, and people are counted by the hour', async () => {
  const book = await addBook(makePeople(40));
  const id = await create(book, { tracking: { opens: true, clicks: true } });
  await schedule(id, { bestHour: { holdoutPercent: 50 } });
  await untilStatus(id, 'SENT');
  const { bestHour } = await report(id);
  expect(bestHour).toMatchObject({ withinHours: 24, holdoutPercent: 50 });
  expect(bestHour.best.sent + bestHour.holdout.sent).toBe(40);
  expect(bestHour.holdout.sent).toBeGreaterThan(5);
  expect(bestHour.holdout.sent).toBeLessThan(35);
  const plain = await create(book);
  expect((await report(plain)).bestHour).toBeNull();
  const mail = String(sink.messages[0]!.data).replaceAll('=\r\n', '');
  const pixel = /https:\/\/post\.example(\/t\/o\/[\w-]+)/.exec(mail)![1]!;
  await visit(pixel, 'GoogleImageProxy');
  await visit(pixel);
  await visit(pixel);
  await expect
    .poll(async () => (await hours()).rows, { timeout: 30_000 })
    .toEqual([{ hour: expect.any(Number), visits: 1 }]);
  const contact = await findContact(book, sink.messages[0]!.recipients[0]!);
  await team.call('DELETE', `/contactBooks/${book}/contacts/${contact}`);
  expect((await hours()).rows).toEqual([]);
}, 90_000);

test('it cannot be combined with a local time or an A/B test, and unscheduling takes it back', async () => {
  const book = await addBook(makePeople(1));
  const id = await create(book);
  for (const body of [
    { bestHour: {}, localTime: '2030-01-01T09:00' },
    { bestHour: { withinHours: 0 } },
    { bestHour: { withinHours: 25 } },
    { bestHour: { holdoutPercent: 51 } },
  ])
    expect((await schedule(id, body)).status).toBe(400);
  const later = new Date(Date.now() + 86_400_000).toISOString();
  expect((await schedule(id, { bestHour: {}, scheduledAt: later })).status).toBe(200);
  expect(await get(id)).toMatchObject({
    status: 'SCHEDULED',
    bestHour: { withinHours: 24, holdoutPercent: 10 },
  });
  await team.call('POST', `/campaigns/${id}/unschedule`);
  expect(await get(id)).toMatchObject({ status: 'DRAFT', bestHour: null });
  const variants = [{ subject: 'a' }, { subject: 'b' }];
  const tested = await team.call('PATCH', `/campaigns/${id}`, { variants });
  expect(tested.status, JSON.stringify(tested.body)).toBe(200);
  expect((await schedule(id, { bestHour: {} })).status).toBe(400);
});
