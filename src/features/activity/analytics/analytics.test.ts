import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { complaint, dsn, sendReport } from '../../../testing/clients/reports.ts';
import {
  addVerifiedDomain,
  startRelayWorld,
  type RelayWorld,
} from '../../../testing/fixtures/relay-world.ts';
import type { TestServer, TestTeam } from '../../../testing/test-server.ts';
import { rebuildCounts } from './rebuild.ts';

let world: RelayWorld;
let sink: RelayWorld['sink'];
let server: TestServer;
let team: TestTeam;
let domainId: number;

beforeAll(async () => {
  world = await startRelayWorld({ doors: ['http', 'smtp', 'worker'] });
  ({ sink, server } = world);
});
afterAll(() => world.close());
beforeEach(async () => {
  sink.reset();
  team = await server.createTeam();
  ({ id: domainId } = await addVerifiedDomain(server, team, `shop${team.teamId}.test`));
});

async function send(to: string[], from = `a@shop${team.teamId}.test`): Promise<string> {
  const content = { html: '<p>x</p>', text: 'x', tags: [{ name: 'kind', value: 'test' }] };
  const { body } = await team.call('POST', '/emails', { from, to, subject: 'x', ...content });
  return body.emailId;
}

async function waitForStatus(emailId: string, status: string): Promise<void> {
  const read = async () => (await team.call('GET', `/emails/${emailId}`)).body.status;
  await expect.poll(read, { interval: 20 }).toBe(status);
}

async function series(query = '') {
  return (await team.call('GET', `/analytics/email-time-series${query}`)).body;
}

async function reputation(query = '') {
  return (await team.call('GET', `/analytics/reputation-metrics${query}`)).body;
}

function returnPathOf(to: string): string {
  return sink.messages.find(({ recipients }) => recipients[0] === to)!.mailFrom;
}

const ZERO = { sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, complained: 0 };

describe('the time series', () => {
  test.each([
    ['', 30],
    ['?days=30', 30],
    ['?days=7', 7],
  ])('%s has one entry per UTC day, today last, with zeros for empty days', async (query, days) => {
    const { result, totalCounts } = await series(query);
    const today = Date.parse(new Date().toISOString().slice(0, 10));
    const dates = Array.from({ length: days }, (_, at) =>
      new Date(today - (days - 1 - at) * 86_400_000).toISOString().slice(0, 10),
    );
    expect(result).toEqual(dates.map((date) => ({ date, ...ZERO })));
    expect(totalCounts).toEqual(ZERO);
  });

  test('counts recipients that were delivered, bounced or are still waiting', async () => {
    sink.behave({ rcptReplies: { 'no@a.example': '550 5.1.1 No', 'busy@a.example': '450 4.2.1 Later' } });
    await waitForStatus(await send(['yes@a.example', 'no@a.example', 'busy@a.example']), 'BOUNCED');
    await expect.poll(async () => (await series()).totalCounts.sent).toBe(3);
    expect((await series()).totalCounts).toEqual({ ...ZERO, sent: 3, delivered: 1, bounced: 1 });
    expect((await series()).result.at(-1)).toMatchObject({ sent: 3, delivered: 1, bounced: 1 });
  });

  test('counts every event on the day of the first attempt', async () => {
    const id = await send(['late@a.example']);
    await waitForStatus(id, 'DELIVERED');
    await sql`update emails set first_tried_at = first_tried_at - interval '3 days'`.execute(server.db);
    await sql`update daily_counts set day = day - 3 where team_id = ${team.teamId}`.execute(server.db);
    await sendReport(
      server.smtpPort,
      returnPathOf('late@a.example'),
      dsn('late@a.example', 'failed', '5.1.1'),
    );
    await waitForStatus(id, 'BOUNCED');
    const { result } = await series('?days=7');
    expect(result.at(-4)).toMatchObject({ sent: 1, delivered: 0, bounced: 1 });
    expect(result.at(-1)).toMatchObject(ZERO);
  });

  test('can be limited to one domain', async () => {
    const { id: other } = await addVerifiedDomain(server, team, `other${team.teamId}.test`);
    await waitForStatus(await send(['one@a.example']), 'DELIVERED');
    await waitForStatus(await send(['two@a.example'], `b@other${team.teamId}.test`), 'DELIVERED');
    expect((await series(`?domainId=${other}`)).totalCounts.sent).toBe(1);
    expect((await series(`?domainId=${domainId}`)).totalCounts.sent).toBe(1);
    expect((await series()).totalCounts.sent).toBe(2);
    expect((await reputation(`?domainId=${other}`)).delivered).toBe(1);
  });
});

describe('reputation', () => {
  test('is all zeros at first', async () => {
    const none = { delivered: 0, hardBounced: 0, complained: 0, bounceRate: 0, complaintRate: 0 };
    expect(await reputation()).toEqual(none);
  });

  test('is in percent of deliveries, and a later bounce no longer counts as delivered', async () => {
    const people = Array.from({ length: 8 }, (_, at) => `p${at}@a.example`);
    for (const to of people) await waitForStatus(await send([to]), 'DELIVERED');
    for (const to of people.slice(0, 2)) {
      await sendReport(server.smtpPort, returnPathOf(to), dsn(to, 'failed', '5.1.1'));
      await sendReport(server.smtpPort, returnPathOf(to), dsn(to, 'failed', '5.1.1'));
    }
    await sendReport(server.smtpPort, returnPathOf(people[2]!), complaint(people[2]!));
    const [bounceRate, complaintRate] = [(100 * 2) / 8, 100 / 6];
    await expect
      .poll(reputation)
      .toEqual({ delivered: 6, hardBounced: 2, complained: 1, bounceRate, complaintRate });
    expect((await series()).totalCounts).toEqual({
      ...ZERO,
      sent: 8,
      delivered: 6,
      bounced: 2,
      complained: 1,
    });
  });
});

describe('access', () => {
  test.each(['?days=14', '?days=', '?days=7.0', '?domainId=x', '?domainId=1.5', '?domainId=99999999999'])(
    '%s is refused',
    async (query) => {
      const { status, body } = await team.call('GET', `/analytics/email-time-series${query}`);
      expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
    },
  );

  test.each(['/analytics/email-time-series', '/analytics/reputation-metrics'])(
    '%s accepts only domains of the team, and only its own for a key bound to a domain',
    async (path) => {
      const stranger = await server.createTeam();
      for (const id of [domainId, 0, -1, 2_147_483_647]) {
        expect((await stranger.call('GET', `${path}?domainId=${id}`)).status).toBe(404);
      }
      const { id: other } = await addVerifiedDomain(server, team, `third${team.teamId}-${path.length}.test`);
      const { body } = await team.call('POST', '/api-keys', { name: 'k', permission: 'full', domainId });
      const asKey = { authorization: `Bearer ${body.key}` };
      expect((await server.call('GET', path, undefined, asKey)).status).toBe(200);
      expect((await server.call('GET', `${path}?domainId=${domainId}`, undefined, asKey)).status).toBe(200);
      expect((await server.call('GET', `${path}?domainId=${other}`, undefined, asKey)).status).toBe(403);
    },
  );
});

test('counters rebuilt from the events equal the original ones after a random history', async () => {
  await team.call('PATCH', `/domains/${domainId}`, { openTracking: true });
  const ids: string[] = [];
  const replies: Record<string, string> = {};
  const recipientLists: string[][] = [];
  for (let at = 0; at < 40; at++) {
    const to = Array.from({ length: 1 + Math.floor(Math.random() * 3) }, (_, no) => `r${at}x${no}@a.example`);
    for (const address of to) {
      const chance = Math.random();
      if (chance < 0.15) replies[address] = '550 5.1.1 No such user';
      else if (chance < 0.25) replies[address] = '554 5.7.1 Policy';
      else if (chance < 0.35) replies[address] = '450 4.2.1 Later';
    }
    recipientLists.push(to);
  }
  sink.behave({ rcptReplies: replies });
  for (const to of recipientLists) ids.push(await send(to));
  const finished = /^(DELIVERED|BOUNCED|DELIVERY_DELAYED|COMPLAINED)$/;
  for (const id of ids) {
    const read = async () => (await team.call('GET', `/emails/${id}`)).body;
    await expect.poll(async () => (await read()).status).toMatch(finished);
  }
  const sent = recipientLists.flat().length;
  await expect.poll(async () => (await series()).totalCounts.sent).toBe(sent);
  for (const { recipients, mailFrom } of sink.messages) {
    const [to] = recipients as [string];
    const chance = Math.random();
    if (chance < 0.15) await sendReport(server.smtpPort, mailFrom, dsn(to, 'failed', '5.1.1'));
    else if (chance < 0.2) await sendReport(server.smtpPort, mailFrom, dsn(to, 'failed', '4.4.7'));
    if (chance > 0.1 && chance < 0.3) await sendReport(server.smtpPort, mailFrom, complaint(to));
    else if (chance < 0.4) await sendReport(server.smtpPort, mailFrom, dsn(to, 'delayed', '4.2.2'));
  }
  const original = {
    series: await series(),
    byHour: await series('?interval=hour&tag=kind:test'),
    reputation: await reputation(),
  };
  expect(original.series.totalCounts).toMatchObject({ sent });

  for (const table of ['daily_counts', 'total_counts', 'quarter_hour_counts']) {
    await sql`
      update ${sql.table(table)} set delivered = delivered + 7, hard_bounced = hard_bounced + 3
      where team_id = ${team.teamId}
    `.execute(server.db);
  }
  expect((await series()).totalCounts).not.toEqual(original.series.totalCounts);
  await rebuildCounts(server.db);
  expect(await series()).toEqual(original.series);
  expect(await series('?interval=hour&tag=kind:test')).toEqual(original.byHour);
  expect(original.byHour.tracked.opens.emails).toBeGreaterThan(0);
  expect(await reputation()).toEqual(original.reputation);
});
