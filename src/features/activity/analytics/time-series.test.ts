import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { mergeSlots } from '../../sending/counters/merge-slots.ts';

let server: TestServer;
let team: TestTeam;
let domainId: number;
let sentCount = 0;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
});
afterAll(() => server.close());
beforeEach(async () => {
  team = await server.createTeam();
  domainId = await addDomain(`shop${team.teamId}.test`);
});

async function addDomain(name: string): Promise<number> {
  const { body } = await team.call('POST', '/domains', { name });
  await team.call('PUT', `/domains/${body.id}/verify`);
  return body.id;
}

/** Sends an email, and makes it look as if it had been sent at another time. */
async function sendAt(at: string, { to = 'ada@example.org', ...email }: Record<string, unknown> = {}) {
  const from = `a@shop${team.teamId}.test`;
  const { status, body } = await team.call('POST', '/emails', {
    from,
    to,
    subject: 'x',
    text: 'x',
    ...email,
  });
  expect(status).toBe(200);
  const read = async () => {
    const { emailEvents } = (await team.call('GET', `/emails/${body.emailId}`)).body;
    return emailEvents.filter((event: { status: string }) => /^(DELIVERED|BOUNCED)$/.test(event.status))
      .length;
  };
  await expect.poll(read, { interval: 10 }).toBe([to].flat().length);
  sentCount += 1;
  await sql`
    update quarter_hour_counts set quarter = date_bin('15 minutes', ${at}::timestamptz, '2000-01-01'),
      slot = slot + 16 * ${sentCount}::integer
    where team_id = ${team.teamId} and quarter > now() - interval '1 hour'
  `.execute(server.db);
  await sql`
    update emails set first_tried_at = ${at}::timestamptz
    where team_id = ${team.teamId} and first_tried_at > now() - interval '1 hour'
  `.execute(server.db);
  return body.emailId as string;
}

interface Entry {
  date: string;
  sent: number;
  bounced: number;
}

async function series(query: string): Promise<{ result: Entry[]; totalCounts: Omit<Entry, 'date'> }> {
  const { status, body } = await team.call('GET', `/analytics/email-time-series?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** The entries in which something was sent. */
async function sentIn(query: string): Promise<[string, number][]> {
  const { result, totalCounts } = await series(query);
  const filled = result
    .filter(({ sent }) => sent > 0)
    .map(({ date, sent }): [string, number] => [date, sent]);
  expect(totalCounts.sent).toBe(filled.reduce((sum, [, sent]) => sum + sent, 0));
  return filled;
}

async function datesOf(query: string): Promise<string[]> {
  return (await series(query)).result.map(({ date }) => date);
}

describe('intervals and time zones', () => {
  test('each email counts in the hour, day, week and month of its zone', async () => {
    // This is a Sunday. Kolkata is 5:30 hours ahead and Kathmandu 5:45, so their days end at different times.
    await sendAt('2026-05-31T18:15:00Z');
    await sendAt('2026-05-31T18:31:00Z', { to: 'bounce@simulator.test' });
    const range = 'from=2026-05-25&to=2026-06-02';
    expect(await sentIn(range)).toEqual([['2026-05-31', 2]]);
    expect(await sentIn(`${range}&timezone=Asia/Kolkata`)).toEqual([
      ['2026-05-31', 1],
      ['2026-06-01', 1],
    ]);
    expect(await sentIn(`${range}&timezone=Asia/Kathmandu`)).toEqual([['2026-06-01', 2]]);
    expect(await sentIn(`${range}&timezone=asia/kolkata&interval=week`)).toEqual([
      ['2026-05-25', 1],
      ['2026-06-01', 1],
    ]);
    expect(await sentIn(`${range}&timezone=Asia/Kolkata&interval=month`)).toEqual([
      ['2026-05-01', 1],
      ['2026-06-01', 1],
    ]);
    expect(await sentIn('from=2026-05-31&to=2026-05-31&interval=hour')).toEqual([
      ['2026-05-31T18:00:00.000Z', 2],
    ]);
    expect(await sentIn(`${range}&timezone=Asia/Kolkata&interval=hour`)).toEqual([
      ['2026-05-31T17:30:00.000Z', 1],
      ['2026-05-31T18:30:00.000Z', 1],
    ]);
    expect((await series(range)).totalCounts).toMatchObject({ sent: 2, delivered: 1, bounced: 1 });
    expect(await sentIn('from=2026-06-01&to=2026-06-02')).toEqual([]);
  });

  test('entries without email are zeros, and weeks and months at the ends have their own dates', async () => {
    expect(await datesOf('from=2026-02-27&to=2026-03-02')).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
      '2026-03-02',
    ]);
    expect(await datesOf('from=2026-03-04&to=2026-03-09&interval=week')).toEqual([
      '2026-03-02',
      '2026-03-09',
    ]);
    expect(await datesOf('from=2026-01-31&to=2026-03-01&interval=month')).toEqual([
      '2026-01-01',
      '2026-02-01',
      '2026-03-01',
    ]);
    expect((await datesOf('from=2025-01-01&to=2026-02-04')).length).toBe(400);
  });

  test.each([
    ['2026-03-29', 'Europe/Berlin', 23, '2026-03-28T23:00:00.000Z'],
    ['2026-10-25', 'Europe/Berlin', 25, '2026-10-24T22:00:00.000Z'],
    ['2026-10-26', 'Europe/Berlin', 24, '2026-10-25T23:00:00.000Z'],
    ['2026-11-15', 'UTC', 24, '2026-11-15T00:00:00.000Z'],
    // In Chile midnight is skipped.
    ['2026-09-06', 'America/Santiago', 23, '2026-09-06T04:00:00.000Z'],
  ])('%s in %s has %i hours', async (date, zone, hours, first) => {
    const dates = await datesOf(`from=${date}&to=${date}&timezone=${zone}&interval=hour`);
    expect(new Set(dates).size).toBe(hours);
    expect(dates).toEqual(dates.toSorted());
    expect(dates[0]).toBe(first);
  });

  test('days can be combined with a zone and an interval', async () => {
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Auckland' }).format(new Date());
    const dates = await datesOf('days=7&timezone=Pacific/Auckland');
    expect([dates.length, dates.at(-1)]).toEqual([7, today]);
    expect((await datesOf('days=7&interval=hour')).length).toBe(7 * 24);
  });
});

test('domain, campaign and tag limit what is counted', async () => {
  const other = await addDomain(`other${team.teamId}.test`);
  const tags = [
    { name: 'kind', value: 'receipt' },
    { name: 'shop', value: 'a' },
  ];
  await sendAt('2026-05-10T08:00:00Z', { tags });
  await sendAt('2026-05-11T08:00:00Z', { tags: [tags[0]], from: `a@other${team.teamId}.test` });
  await sendAt('2026-05-12T08:00:00Z');
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'Readers' });
  const { body: campaign } = await team.call('POST', '/campaigns', {
    name: 'News',
    from: `a@shop${team.teamId}.test`,
    subject: 'News',
    contactBookId: book.id,
    html: '<p>x</p>',
  });
  const range = 'from=2026-05-01&to=2026-05-31&interval=month';
  const sent = async (filter: string) => (await series(`${range}&${filter}`)).totalCounts.sent;
  expect(await sent('')).toBe(3);
  expect(await sent('tag=kind:receipt')).toBe(2);
  expect(await sent('tag=shop:a')).toBe(1);
  expect(await sent('tag=shop:b')).toBe(0);
  expect(await sent(`tag=kind:receipt&domainId=${other}`)).toBe(1);
  expect(await sent(`domainId=${domainId}`)).toBe(2);
  expect(await sent(`campaignId=${campaign.id}`)).toBe(0);
  expect(await sent(`campaignId=${campaign.id}&tag=shop:a`)).toBe(0);
});

test('opens count at the time of the first attempt, and rates only cover tracked email', async () => {
  await team.call('PATCH', `/domains/${domainId}`, { openTracking: true });
  const html = '<p>Hello</p>';
  const at = '2026-05-10T08:00:00Z';
  const opened = await sendAt(at, { html, to: 'open@simulator.test' });
  await sendAt(at, { html, to: ['ada@example.org', 'bob@example.org', 'bounce@simulator.test'] });
  await sendAt(at, { text: 'Not trackable' });
  const read = async () => (await team.call('GET', `/emails/${opened}`)).body.status;
  await expect.poll(read).toBe('OPENED');
  const body = await series('from=2026-05-10&to=2026-05-10');
  expect(body).toEqual({
    result: [{ date: '2026-05-10', sent: 5, delivered: 4, opened: 1, clicked: 0, bounced: 1, complained: 0 }],
    totalCounts: { sent: 5, delivered: 4, opened: 1, clicked: 0, bounced: 1, complained: 0 },
    tracked: { opens: { emails: 2, opened: 1 }, clicks: { emails: 0, clicked: 0 } },
  });
});

function readWithAndWithoutTag() {
  return Promise.all(['', '&tag=a:b'].map((tag) => series(`from=2026-05-10&to=2026-05-10${tag}`)));
}

test('merging the slots of past hours changes no count', async () => {
  for (let no = 0; no < 3; no++) await sendAt('2026-05-10T08:00:00Z', { tags: [{ name: 'a', value: 'b' }] });
  const before = await readWithAndWithoutTag();
  expect(before[0]!.totalCounts.sent).toBe(3);
  expect(await mergeSlots(server.db)).toBeGreaterThan(0);
  expect(await readWithAndWithoutTag()).toEqual(before);
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from quarter_hour_counts where team_id = ${team.teamId}
  `.execute(server.db);
  // One for all domains, one for the domain and one for the tag.
  expect(rows[0]!.count).toBe(3);
});

describe('refusals', () => {
  test.each([
    'from=2026-02-30&to=2026-03-01',
    'from=2026-2-3&to=2026-03-01',
    'from=0000-01-01&to=0000-01-02',
    'from=2026-03-02&to=2026-03-01',
    'from=2025-01-01&to=2026-02-05',
    'from=2026-03-01',
    'to=2026-03-01',
    'from=&to=',
    'days=7&from=2026-03-01&to=2026-03-02',
    'days=7&from=2026-03-01',
    'interval=minute',
    'timezone=Mars/Olympus',
    'timezone=%2B01:00',
    'timezone=',
    'timezone=UTC%00',
    'tag=noValue',
    'tag=a:b%00',
    'tag=',
    'campaignId=',
  ])('%s', async (query) => {
    const { status, body } = await team.call('GET', `/analytics/email-time-series?${query}`);
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.error.message).toMatch(/from|to|days|interval|timezone|tag|campaignId/);
  });

  test('campaigns of other teams are not found, and other domains are closed to a bound key', async () => {
    const { body: book } = await team.call('POST', '/contactBooks', { name: 'Readers' });
    const { body: campaign } = await team.call('POST', '/campaigns', {
      name: 'News',
      from: `a@shop${team.teamId}.test`,
      subject: 'News',
      contactBookId: book.id,
      html: '<p>x</p>',
    });
    const path = `/analytics/email-time-series?campaignId=${campaign.id}`;
    expect((await team.call('GET', path)).status).toBe(200);
    const stranger = await server.createTeam();
    expect((await stranger.call('GET', path)).status).toBe(404);
    expect((await stranger.call('GET', `${path}&timezone=nowhere`)).status).toBe(400);
    expect((await team.call('GET', '/analytics/email-time-series?campaignId=cmp_x')).status).toBe(404);
    const other = await addDomain(`bound${team.teamId}.test`);
    const { body: key } = await team.call('POST', '/api-keys', {
      name: 'k',
      permission: 'full',
      domainId: other,
    });
    const asKey = { authorization: `Bearer ${key.key}` };
    expect((await server.call('GET', path, undefined, asKey)).status).toBe(403);
  });
});
