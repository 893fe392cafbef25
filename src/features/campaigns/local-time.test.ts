import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  addBook,
  closeCampaignWorld,
  create,
  get,
  openCampaignWorld,
  readLedger,
  recipients,
  server,
  sink,
  start,
  team,
  untilStatus,
} from '../../testing/fixtures/campaign-world.ts';

beforeAll(openCampaignWorld);
afterAll(closeCampaignWorld);
beforeEach(() => sink.reset());

function reader(name: string, timezone?: unknown) {
  return { email: `${name}@example.org`, properties: timezone === undefined ? {} : { timezone } };
}

async function dueTimes(id: string): Promise<Record<string, string>> {
  const { body } = await team.call('GET', `/campaigns/${id}/recipients?limit=100`);
  return Object.fromEntries(
    body.items.map(({ email, dueAt }: { email: string; dueAt: string }) => [email.split('@')[0], dueAt]),
  );
}

/** Lets the campaign start, as if its time had come. */
async function begin(id: string, count: number): Promise<void> {
  await sql`update campaigns set scheduled_at = now() where status = 'SCHEDULED'`.execute(server.db);
  await untilStatus(id, 'RUNNING');
  await expect.poll(async () => Object.keys(await dueTimes(id)).length).toBe(count);
}

/** Moves the times of waiting recipients, as if it were already this moment. */
async function passUntil(moment: string): Promise<void> {
  const passed = sql`date_trunc('second', ${moment}::timestamptz - now())`;
  await sql`update campaign_batches set due_at = due_at - ${passed}`.execute(server.db);
}

test('each recipient gets the campaign when its time comes in their time zone', async () => {
  const book = await addBook(
    [
      reader('kolkata'),
      reader('unknown', 'Mars/Phobos'),
      reader('number', 5),
      reader('posix', 'posix/Europe/Berlin'),
      // Clocks go from 02:00 to 03:00 that night.
      reader('berlin', ' europe/berlin '),
      reader('york', 'America/New_York'),
    ],
    { timezone: 'Asia/Kolkata' },
  );
  const id = await create(book, { localTime: '2027-03-28T02:30' });
  expect(await get(id)).toMatchObject({
    status: 'SCHEDULED',
    localTime: '2027-03-28T02:30',
    scheduledAt: '2027-03-27T12:30:00.000Z',
  });
  await begin(id, 6);
  expect(await dueTimes(id)).toEqual({
    kolkata: '2027-03-27T21:00:00.000Z',
    unknown: '2027-03-27T21:00:00.000Z',
    number: '2027-03-27T21:00:00.000Z',
    posix: '2027-03-27T21:00:00.000Z',
    berlin: '2027-03-28T01:30:00.000Z',
    york: '2027-03-28T06:30:00.000Z',
  });
  expect(await get(id)).toMatchObject({ status: 'RUNNING', total: 6, sent: 0, editable: false });

  await passUntil('2027-03-27T21:00:05Z');
  await expect.poll(async () => (await get(id)).sent).toBe(4);
  expect(recipients()).toEqual(
    ['kolkata', 'number', 'posix', 'unknown'].map((name) => `${name}@example.org`),
  );
  expect(await readLedger(id)).toMatchObject({
    'berlin@example.org': 'waiting',
    'york@example.org': 'waiting',
  });
  const waiting = await team.call('GET', `/campaigns/${id}/recipients?state=waiting`);
  expect(waiting.body.items).toHaveLength(2);

  // Recipients that become due during a pause get the email after it.
  expect((await team.call('POST', `/campaigns/${id}/pause`)).status).toBe(200);
  expect((await team.call('PATCH', `/campaigns/${id}`, { subject: 'Other' })).status).toBe(409);
  const other = await team.call('POST', `/campaigns/${id}/schedule`, { localTime: '2027-04-01T09:00' });
  expect(other.status).toBe(409);
  await sql`update campaign_batches set due_at = date_trunc('second', now())`.execute(server.db);
  expect((await team.call('POST', `/campaigns/${id}/resume`)).status).toBe(200);
  await untilStatus(id, 'SENT');
  expect(recipients()).toHaveLength(6);
  expect(new Set(recipients()).size).toBe(6);
  expect(await get(id)).toMatchObject({ total: 6, sent: 6, localTime: '2027-03-28T02:30' });
});

test('a time that has passed is that of the next day', async () => {
  const now = new Date();
  const localTime = now.toISOString().slice(0, 16);
  const book = await addBook([
    reader('first', 'Pacific/Kiritimati'),
    reader('east', 'Asia/Tokyo'),
    reader('west', 'Pacific/Niue'),
  ]);
  const id = await create(book);
  await start(id, { localTime });
  await untilStatus(id, 'RUNNING');
  await expect.poll(async () => Object.keys(await dueTimes(id)).length).toBe(3);
  const from = Date.parse(`${localTime}Z`);
  const hours = Object.entries(await dueTimes(id)).map(([name, at]) => [
    name,
    (Date.parse(at) - from) / 3_600_000,
  ]);
  expect(Object.fromEntries(hours)).toEqual({ first: 24 - 14, east: 24 - 9, west: 11 });
  expect(sink.messages).toEqual([]);
  await team.call('POST', `/campaigns/${id}/pause`);
});

test('until the first release the time can be changed, and the campaign can be sent immediately', async () => {
  const book = await addBook([reader('one', 'Europe/Berlin'), reader('two')]);
  const id = await create(book, { localTime: '2027-06-01T09:00' });
  await begin(id, 2);
  expect((await team.call('POST', `/campaigns/${id}/pause`)).status).toBe(200);
  await start(id, { localTime: '2027-07-01T09:00' });
  expect(await get(id)).toMatchObject({ status: 'SCHEDULED', localTime: '2027-07-01T09:00', total: 0 });
  // The runner removes the earlier list after the campaign has started. It is not shown in between.
  await sql`update campaigns set begun_at = now() where status = 'SCHEDULED'`.execute(server.db);
  expect(await dueTimes(id)).toEqual({});
  await begin(id, 2);
  const expected = { one: '2027-07-01T07:00:00.000Z', two: '2027-07-01T09:00:00.000Z' };
  expect(await dueTimes(id)).toEqual(expected);
  expect((await team.call('POST', `/campaigns/${id}/pause`)).status).toBe(200);
  await start(id, {});
  await untilStatus(id, 'SENT');
  expect(recipients()).toEqual(['one@example.org', 'two@example.org']);
  expect((await get(id)).localTime).toBeNull();
});

test('a draft that was unscheduled has no local time', async () => {
  const id = await create(await addBook([reader('one')]), { localTime: '2027-06-01T09:00' });
  expect((await team.call('PATCH', `/campaigns/${id}`, { variants: TWO })).status).toBe(400);
  expect((await team.call('POST', `/campaigns/${id}/unschedule`)).status).toBe(200);
  expect(await get(id)).toMatchObject({ status: 'DRAFT', localTime: null, scheduledAt: null });
});

const TWO = [{ subject: 'A' }, { subject: 'B' }];

test.each([
  [{ localTime: 'tomorrow 9am' }],
  [{ localTime: '2027-02-30T09:00' }],
  [{ localTime: '2027-02-03T24:00' }],
  [{ localTime: '2027-02-03T09:00Z' }],
  [{ localTime: '2027-02-03T09:00:30' }],
  [{ localTime: '2020-02-03T09:00' }],
  [{ localTime: '2027-02-03T09:00', scheduledAt: '2027-02-03T09:00:00Z' }],
  [{ localTime: 9 }],
])('%j is refused', async (body) => {
  const book = await addBook([reader('one')]);
  const id = await create(book);
  const { status } = await team.call('POST', `/campaigns/${id}/schedule`, body);
  expect([status, (await get(id)).status]).toEqual([400, 'DRAFT']);
  const fields = { name: 'N', from: 'hello@news.test', subject: 'S', html: '<p>H</p>', contactBookId: book };
  expect((await team.call('POST', '/campaigns', { ...fields, ...body })).status).toBe(400);
});

test('a local time and an A/B test exclude each other, and a book has a time zone that exists', async () => {
  const book = await addBook([reader('one')]);
  const id = await create(book, { variants: TWO });
  const { status, body } = await team.call('POST', `/campaigns/${id}/schedule`, {
    localTime: '2027-02-03T09:00',
  });
  expect([status, body.error.message]).toEqual([400, 'localTime cannot be combined with an A/B test.']);
  const change = (timezone: unknown) => team.call('PATCH', `/contactBooks/${book}`, { timezone });
  for (const wrong of ['Mars/Phobos', '+01:00', '', 5]) expect((await change(wrong)).status).toBe(400);
  expect((await change('Europe/Berlin')).body.timezone).toBe('Europe/Berlin');
  expect((await change(null)).body.timezone).toBe('UTC');
});
