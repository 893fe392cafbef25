import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSendingTeam, type SendingTeam } from '../../../testing/fixtures/sending-team.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { MAX_FAILURES } from './failures.ts';

let server: TestServer;
let team: SendingTeam;
const lines: { msg: string; campaignId?: string; failures?: number }[] = [];

beforeAll(async () => {
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  server = await startTestServer({ doors: ['http', 'worker'], env: { DKIM_SIGN: 'false' }, log });
  team = await createSendingTeam(server, 'failing');
  await sql`
    create function refuse_cursed() returns trigger language plpgsql as $$
    begin raise exception 'malformed value' using errcode = '22P02'; end $$`.execute(server.db);
  await sql`
    create trigger refuse_cursed before update on campaign_batches for each row
    when ('cursed@example.org' = any(new.address_keys)) execute function refuse_cursed()`.execute(server.db);
});
afterAll(() => server.close());

async function send(emails: string[]): Promise<string> {
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'News' });
  const contacts = emails.map((email) => ({ email }));
  await team.call('POST', `/contactBooks/${book.id}/contacts/bulk`, contacts);
  const { body } = await team.call('POST', '/campaigns', {
    name: 'Spring',
    from: `News <hello@${team.domain}>`,
    subject: 'Hello',
    html: '<p>Hello</p>',
    contactBookId: book.id,
    sendNow: true,
  });
  return body.id;
}

async function get(id: string) {
  return (await team.call('GET', `/campaigns/${id}`)).body;
}

async function noticesAbout(id: string): Promise<string[]> {
  const { body } = await team.call('GET', '/notices');
  return body.items
    .filter((notice: { id: string }) => notice.id === id)
    .map(({ message }: { message: string }) => message);
}

/** Ends the wait of the failing campaign, which grows with each failure. */
async function tryNow(): Promise<void> {
  await sql`update campaigns set next_try_at = now() where next_try_at is not null`.execute(server.db);
}

async function readMetric(series: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))!
      .split(' ')[1],
  );
}

test('a campaign that fails in every try pauses with a notice, delays no other, and can be resumed', async () => {
  const failing = await send(['cursed@example.org', 'ada@example.org']);
  await expect.poll(() => lines.length, { timeout: 30_000 }).toBeGreaterThan(0);
  const fine = await send(['grace@example.org']);
  await expect.poll(async () => (await get(fine)).status, { timeout: 30_000 }).toBe('SENT');

  const { rows } = await sql<{ wait: number }>`
    select extract(epoch from next_try_at - failing_since)::float8 as wait
    from campaigns where failures > 0`.execute(server.db);
  expect(rows[0]!.wait).toBeGreaterThan(0.9);

  await sql`update campaigns set failing_since = failing_since - interval '2 minutes' where failures > 0`.execute(
    server.db,
  );
  expect(await noticesAbout(failing)).toEqual(['The campaign “Spring” makes no progress.']);
  await expect
    .poll(() => readMetric('posthorn_stalled_seconds{kind="campaign"}'), { timeout: 30_000 })
    .toBeGreaterThan(100);

  const paused = async () => {
    await tryNow();
    return (await get(failing)).status;
  };
  await expect.poll(paused, { timeout: 60_000, interval: 200 }).toBe('PAUSED');
  const { statusReason } = await get(failing);
  expect(statusReason).toBe(
    'Sending failed 5 times in a row, because an unexpected error occurred on the server. ' +
      'The server log has the details. Resume the campaign to try again.',
  );
  expect(await noticesAbout(failing)).toEqual([`The campaign “Spring” was paused. ${statusReason}`]);
  expect(lines.map(({ failures }) => failures)).toEqual([1, 2, 3, 4, 5, MAX_FAILURES]);
  expect(lines.at(-1)).toMatchObject({
    msg: 'campaigns: a failing campaign was paused',
    campaignId: failing,
  });
  // The team has to resume it, so the operator is no longer warned.
  await expect.poll(() => readMetric('posthorn_team_problems{kind="campaign"}'), { timeout: 30_000 }).toBe(1);
  expect(await readMetric('posthorn_stalled_seconds{kind="campaign"}')).toBe(0);
  const { rows: events } = await sql`select from events where type = 'campaign.paused'`.execute(server.db);
  expect(events).toHaveLength(1);

  await sql`drop trigger refuse_cursed on campaign_batches`.execute(server.db);
  expect((await team.call('POST', `/campaigns/${failing}/resume`)).status).toBe(200);
  expect(await noticesAbout(failing)).toEqual([]);
  await expect.poll(async () => (await get(failing)).status, { timeout: 30_000 }).toBe('SENT');
}, 180_000);

test('a running campaign that no process looks at is stalled, and so is one whose time has passed', async () => {
  const idle = await startTestServer({ doors: ['http'] });
  try {
    const other = await createSendingTeam(idle, 'idle');
    const { body: book } = await other.call('POST', '/contactBooks', { name: 'News' });
    await other.call('POST', `/contactBooks/${book.id}/contacts`, { email: 'ada@example.org' });
    const campaign = {
      name: 'Spring',
      from: `hello@${other.domain}`,
      subject: 'Hello',
      html: '<p>Hello</p>',
      contactBookId: book.id,
    };
    await other.call('POST', '/campaigns', { ...campaign, sendNow: true });
    await other.call('POST', '/campaigns', { ...campaign, scheduledAt: '2099-01-01T09:00:00Z' });
    await other.call('POST', '/campaigns', { ...campaign, scheduledAt: '2099-01-01T09:00:00Z' });
    const kinds = async () =>
      (await other.call('GET', '/notices')).body.items.map(({ kind }: { kind: string }) => kind);
    expect(await kinds()).toEqual([]);
    await sql`
      update campaigns set begun_at = begun_at - interval '2 minutes', scheduled_at = now() - interval '2 minutes'
      where status = 'RUNNING' or id = (select max(id::text)::uuid from campaigns)`.execute(idle.db);
    expect(await kinds()).toEqual(['campaign', 'campaign']);
  } finally {
    await idle.close();
  }
});
