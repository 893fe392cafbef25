import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addVerifiedDomain,
  startRelayWorld,
  type RelayWorld,
} from '../../../testing/fixtures/relay-world.ts';
import { readMetrics } from '../../../testing/read-metrics.ts';
import { startSmtpSink, type SmtpSink } from '../../../testing/smtp-sink.ts';
import { createCall, type TestTeam } from '../../../testing/test-server.ts';
import { DOMAIN_FRESH_MS } from '../../delivery/sign-delivery.ts';
import { createApiKey } from '../../identity/api-keys/api-keys.ts';

let world: RelayWorld;
let news: SmtpSink;
let blocking: SmtpSink;
let team: TestTeam;
let domainId: number;
let addresses = 0;

beforeAll(async () => {
  news = await startSmtpSink();
  blocking = await startSmtpSink({
    behaviour: {
      replies: { RCPT: '550 5.7.1 Message rejected due to spam content' },
      auth: { user: 'user', pass: 'secret' },
    },
  });
  world = await startRelayWorld({
    env: {
      EGRESS_NEWS: `smtp://127.0.0.1:${news.port}`,
      EGRESS_SECOND: 'direct:127.0.0.1#mail2.example.com',
      EGRESS_BLOCKED: `smtp://user:secret@127.0.0.1:${blocking.port}`,
      EGRESS_POOL_BULK: 'news:3',
    },
  });
  const { rows } = await sql<{ teamId: number }>`select min(id) as "teamId" from teams`.execute(
    world.server.db,
  );
  const { teamId } = rows[0]!;
  const { key } = await createApiKey(world.server.db, teamId, { name: 'Test', permission: 'full' });
  team = { teamId, key, call: createCall(world.server.url, key) };
  domainId = (await addVerifiedDomain(world.server, team, 'shop.test')).id;
});
afterAll(async () => {
  await world.close();
  await news.close();
  await blocking.close();
});

const patch = (pools: unknown) => team.call('PATCH', `/domains/${domainId}`, { pools });
const listed = async (name: string) =>
  (await team.call('GET', '/egress')).body.items.find((one: { name: string }) => one.name === name);

async function startCampaign(count: number): Promise<string> {
  const book = (await team.call('POST', '/contactBooks', { name: 'News' })).body.id;
  const people = Array.from({ length: count }, () => ({ email: `p${(addresses += 1)}@example.org` }));
  await team.call('POST', `/contactBooks/${book}/contacts/bulk`, people);
  const { body } = await team.call('POST', '/campaigns', {
    name: 'News',
    from: 'a@shop.test',
    subject: 'x',
    contactBookId: book,
    html: '<p>x</p>',
  });
  return body.id;
}

test('domains choose egresses and pools by the kind of mail', async () => {
  expect((await patch({ campaign: 'bulk' })).body.pools).toEqual({
    transactional: null,
    campaign: 'bulk',
    automation: null,
  });
  const { body } = await patch({ automation: [{ egress: 'news', weight: 2 }, { egress: 'second' }] });
  expect(body.pools).toEqual({
    transactional: null,
    campaign: 'bulk',
    automation: [
      { egress: 'news', weight: 2 },
      { egress: 'second', weight: 1 },
    ],
  });
  for (const wrong of [
    { campaign: 'unknown' },
    { campaign: [] },
    { campaign: [{ egress: 'unknown' }] },
    { campaign: [{ egress: 'news', weight: 0 }] },
    { campaign: 7 },
    'bulk',
  ])
    expect((await patch(wrong)).status).toBe(400);
  expect((await patch({ automation: null })).body.pools.automation).toBeNull();
  // As in the settings.
  const { pools } = (await patch({ campaign: 'BULK', automation: [{ egress: 'SECOND' }] })).body;
  expect([pools.campaign, pools.automation]).toEqual(['bulk', [{ egress: 'second', weight: 1 }]]);
  await patch({ automation: null });
});

test('the list has no passwords, and says which pools an egress is in', async () => {
  const { body } = await team.call('GET', '/egress');
  expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['blocked', 'news', 'second']);
  expect(JSON.stringify(body)).not.toContain('secret');
  expect(body.items[1]).toMatchObject({
    kind: 'relay',
    pools: [{ name: 'bulk', weight: 3 }],
    warmup: null,
    slowed: [],
  });
  expect(body.items[2]).toMatchObject({ kind: 'direct', address: '127.0.0.1', ehlo: 'mail2.example.com' });
});

test('campaigns over the limit of the day wait for the next, and say so before; other mail goes on', async () => {
  await patch({ campaign: 'bulk', transactional: null });
  const started = await team.call('POST', '/egress/news/warmup', { target: 100, start: 4, factor: 2 });
  expect(started.body.warmup).toMatchObject({
    target: 100,
    start: 4,
    factor: 2,
    providers: [{ provider: 'other', cap: 4, sent: 0, room: 4, change: 'start' }],
  });
  const id = await startCampaign(10);
  const check = (await team.call('GET', `/campaigns/${id}/check?links=false`)).body;
  expect(check.days).toBe(2);
  expect(check.findings).toContainEqual(expect.objectContaining({ code: 'warm_up', level: 'warning' }));
  expect((await team.call('POST', `/campaigns/${id}/schedule`, {})).status).toBe(200);
  await expect
    .poll(async () => (await listed('news')).warmup.providers[0].waiting, { timeout: 30_000 })
    .toBe(6);
  await expect.poll(() => news.messages.length, { timeout: 20_000 }).toBe(4);
  expect((await listed('news')).warmup.providers[0]).toMatchObject({ cap: 4, sent: 4, room: 0 });
  const waitingDays = async () => {
    const { rows } = await sql<{ days: number }>`
      select (due_at at time zone 'utc')::date - (now() at time zone 'utc')::date as days from deliveries
    `.execute(world.server.db);
    return rows.map(({ days }) => days);
  };
  // Each is counted before its delay is stored.
  await expect.poll(waitingDays, { timeout: 20_000 }).toEqual([1, 1, 1, 1, 1, 1]);

  // Who waits was not sent to, so the campaign goes on, and can be paused.
  const campaign = async () => (await team.call('GET', `/campaigns/${id}`)).body;
  await expect.poll(campaign).toMatchObject({ status: 'RUNNING', total: 10, sent: 4 });
  const { items } = (await team.call('GET', `/campaigns/${id}/recipients?state=waiting`)).body;
  expect(items.length).toBe(6);
  const { emailEvents } = (await team.call('GET', `/emails/${items[0].emailId}`)).body;
  expect(emailEvents.map(({ status }: { status: string }) => status)).toEqual(['QUEUED', 'DELIVERY_DELAYED']);
  const metrics = await readMetrics(`${world.server.url}/metrics`);
  const deferred = [...metrics].filter(([name]) => /delivery_attempts_total.*"deferred"/.test(name));
  expect(deferred.map(([, count]) => count)).toEqual([0]);
  expect((await team.call('POST', `/campaigns/${id}/pause`)).status).toBe(200);
  expect((await team.call('POST', `/campaigns/${id}/resume`)).status).toBe(200);

  await team.call('POST', '/emails', { from: 'a@shop.test', to: 'ada@example.org', subject: 'x', text: 'x' });
  await expect.poll(() => world.sink.messages.length, { timeout: 20_000 }).toBe(1);

  // The next day.
  await sql`update egress_days set day = day - 1`.execute(world.server.db);
  const sentWhenDue = async () => {
    await sql`update deliveries set due_at = now() where due_at > now() and leased_by is null`.execute(
      world.server.db,
    );
    return news.messages.length;
  };
  await expect.poll(sentWhenDue, { timeout: 30_000, interval: 500 }).toBe(10);
  await expect.poll(campaign, { timeout: 20_000 }).toMatchObject({ status: 'SENT', sent: 10, delivered: 10 });
  expect((await listed('news')).warmup.providers[0]).toMatchObject({
    cap: 8,
    sent: 6,
    change: 'rise',
    curve: [
      { cap: 4, sent: 4 },
      { cap: 8, sent: 6 },
    ],
  });
});

async function newestDelay() {
  const { rows } = await sql<{ reason: string }>`
    select data ->> 'reason' as reason from events where type = 'email.delivery_delayed' order by id desc limit 1
  `.execute(world.server.db);
  return rows[0]?.reason;
}

test('a spam block makes bulk mail to that domain wait, and urgent mail goes on', async () => {
  await patch({ campaign: 'blocked', transactional: 'blocked' });
  await sleep(DOMAIN_FRESH_MS);
  const id = await startCampaign(1);
  await team.call('POST', `/campaigns/${id}/schedule`, {});
  await expect
    .poll(async () => (await listed('blocked')).slowed, { timeout: 30_000 })
    .toEqual([
      { provider: 'example.org', until: expect.any(String), because: expect.stringContaining('spam') },
    ]);
  const second = await startCampaign(1);
  await team.call('POST', `/campaigns/${second}/schedule`, {});
  await expect.poll(newestDelay, { timeout: 20_000 }).toBe('example.org has blocked mail from blocked.');
  const { items } = (await team.call('GET', `/campaigns/${second}/recipients`)).body;
  expect(items).toMatchObject([{ state: 'waiting' }]);
  const { body } = await team.call('POST', '/emails', {
    from: 'a@shop.test',
    to: 'urgent@example.org',
    subject: 'x',
    text: 'x',
  });
  const status = async () => (await team.call('GET', `/emails/${body.emailId}`)).body.status;
  await expect.poll(status, { timeout: 20_000 }).toBe('BOUNCED');
});

const ask = (from: TestTeam, name: string, body: object) =>
  from.call('POST', `/egress/${name}/warmup`, body).then(({ status }) => status);

test('only the first team warms up addresses', async () => {
  const other = await world.server.createTeam();
  expect(await ask(other, 'news', { target: 100 })).toBe(403);
  expect(await ask(team, 'nothing', { target: 100 })).toBe(404);
  expect(await ask(team, 'SECOND', { target: 100 })).toBe(200);
  for (const wrong of [
    {},
    { target: 0 },
    { target: 10, start: 50 },
    { target: 100, factor: 1 },
    { target: 1e12 },
  ])
    expect(await ask(team, 'news', wrong)).toBe(400);
});
