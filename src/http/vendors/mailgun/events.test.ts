/** Tests the events of email that was actually sent, read in the same way as by Ghost. */
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import { startSmtpSink, type SmtpSink } from '../../../testing/smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { connectMailgun, type MailgunClient } from '../../../testing/clients/vendor-clients.ts';

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const FILTER = 'delivered OR opened OR failed OR unsubscribed OR complained';
const DOMAIN = 'news.test';

let sink: SmtpSink;
let server: TestServer;
let team: TestTeam;
let mailgun: MailgunClient;
let batchId: string;

const connect = (key: string) => connectMailgun(server, key);

interface Item {
  id: string;
  event: string;
  recipient: string;
  timestamp: number;
}

async function read(query: object = {}, domain = DOMAIN) {
  const list = await mailgun.events.get(domain, query);
  return { ...list, items: list.items as unknown as Item[] };
}
const count = async (query: object, domain?: string) => (await read(query, domain)).items.length;
const summarize = (items: Item[]) => items.map(({ event, recipient }) => `${event} ${recipient}`);

beforeAll(async () => {
  // The SDK warns that its list of events is deprecated.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  sink = await startSmtpSink({
    behaviour: {
      rcptReplies: {
        'gone@example.com': '550 5.1.1 No such user',
        'full@example.com': '452 4.2.2 Mailbox full',
      },
    },
  });
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: { MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sink.port}` },
  });
  team = await server.createTeam();
  const { id } = (await team.call('POST', '/domains', { name: DOMAIN })).body;
  await server.db
    .updateTable('domains')
    .set({ status: 'SUCCESS', held: true })
    .where('id', '=', id)
    .execute();
  await addDomain(server.db, team.teamId, 'other.test');
  await team.call('POST', '/suppressions', { email: 'manual@example.com' });
  mailgun = connect(team.key);
});
afterAll(async () => {
  await server.close();
  await sink.close();
});

describe('events', () => {
  test('follow a batch to four recipients: one opens it, the others fail in three ways', async () => {
    const to = ['ok@example.com', 'gone@example.com', 'full@example.com', 'manual@example.com'];
    const answer = await mailgun.messages.create(DOMAIN, {
      from: `News <news@${DOMAIN}>`,
      to,
      subject: 'Issue 1',
      html: '<p>Hello %recipient.name%</p>',
      'recipient-variables': JSON.stringify(Object.fromEntries(to.map((each) => [each, { name: each }]))),
      'v:email-id': '65f0',
      'o:tag': ['ghost-email', 'bulk-email', 'Issue #1'],
      'o:tracking-opens': true,
    });
    batchId = answer.id!.slice(1, -1);
    await expect.poll(() => count({ event: FILTER })).toBe(4);
    const { html } = await PostalMime.parse(sink.messages[0]!.data);
    const url = new URL(/<img[^>]+src="([^"]+)"/.exec(html!)![1]!);
    await fetch(server.url + url.pathname + url.search, { headers: { 'user-agent': BROWSER } });
    await expect.poll(() => count({ event: 'opened' })).toBe(1);
  });

  test('have the fields that Ghost reads', async () => {
    const { items } = await read({ event: FILTER, ascending: 'yes', limit: 300 });
    const of = (recipient: string) => items.filter((item) => item.recipient === recipient);
    const common = {
      message: { headers: { 'message-id': batchId, subject: 'Issue 1', from: `News <news@${DOMAIN}>` } },
      'user-variables': { 'email-id': '65f0' },
      flags: { 'is-authenticated': true, 'is-routed': false, 'is-system-test': false, 'is-test-mode': false },
      tags: ['ghost-email', 'bulk-email', 'Issue #1'],
    };
    expect(of('ok@example.com')).toMatchObject([
      { event: 'delivered', 'delivery-status': { code: 250 }, ...common },
      { event: 'opened', 'client-info': { 'user-agent': BROWSER }, ...common },
    ]);
    expect(of('gone@example.com')).toMatchObject([
      {
        event: 'failed',
        severity: 'permanent',
        reason: 'bounce',
        'delivery-status': { code: 550, message: 'No such user', 'enhanced-code': '5.1.1' },
        ...common,
      },
    ]);
    expect(of('full@example.com')).toMatchObject([
      {
        event: 'failed',
        severity: 'temporary',
        reason: 'generic',
        'delivery-status': { code: 452, message: 'Mailbox full', 'enhanced-code': '4.2.2' },
        ...common,
      },
    ]);
    expect(of('manual@example.com')).toMatchObject([
      {
        event: 'failed',
        severity: 'permanent',
        reason: 'suppress-unsubscribe',
        'delivery-status': { code: 606 },
        ...common,
      },
    ]);
    for (const { timestamp } of items) expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(120);
  });

  test('are filtered', async () => {
    expect(await count({})).toBe(8);
    expect(await count({ event: 'failed' })).toBe(3);
    expect(await count({ event: 'failed', severity: 'temporary' })).toBe(1);
    expect(await count({ severity: 'permanent' })).toBe(2);
    expect(await count({ event: 'unsubscribed OR clicked' })).toBe(0);
    expect(await count({ event: FILTER, tags: 'bulk-email AND ghost-email' })).toBe(5);
    expect(await count({ event: FILTER, tags: 'Issue #1' })).toBe(5);
    expect(await count({ event: FILTER, tags: 'bulk-email AND Issue #2' })).toBe(0);
    expect(await count({ event: FILTER, tags: 'Issue #2 OR ghost-email' })).toBe(5);
    expect(await count({ event: FILTER, recipient: 'OK@example.com' })).toBe(2);
    expect(await count({ event: FILTER, 'message-id': batchId })).toBe(5);
    expect(await count({ event: FILTER, 'message-id': `<none@${DOMAIN}>` })).toBe(0);
    const now = Date.now() / 1000;
    expect(await count({ event: FILTER, begin: now - 600, end: now + 60, ascending: 'yes' })).toBe(5);
    expect(await count({ event: FILTER, begin: now + 60, end: undefined, ascending: 'yes' })).toBe(0);
    expect(await count({ event: FILTER, begin: now + 60, end: now - 600 })).toBe(5);
    const date = new Date(Date.now() + 60_000).toUTCString();
    expect(await count({ event: FILTER, end: date, ascending: 'yes' })).toBe(5);
    expect(await count({ event: FILTER }, 'other.test')).toBe(0);
    for (const query of [
      { event: 'invented' },
      { event: 'NOT delivered' },
      { begin: 'soon' },
      { limit: 301 },
      { recipient: 'nobody' },
      { subject: 'x' },
      { ascending: 'up' },
      { severity: 'bad' },
    ])
      await expect(read(query), JSON.stringify(query)).rejects.toMatchObject({ status: 400 });
  });

  test('are read page by page in both directions, with or without the query', async () => {
    const query = { event: FILTER, ascending: 'yes', limit: 2 };
    const all = summarize((await read({ ...query, limit: 300 })).items);
    const found: Item[] = [];
    let page = await read(query);
    while (page.items.length > 0) {
      found.push(...page.items);
      page = await read({ page: page.pages.next.page, ...query });
    }
    expect(summarize(found)).toEqual(all);
    expect(new Set(found.map(({ id }) => id)).size).toBe(5);
    expect(found.map(({ timestamp }) => timestamp)).toEqual(
      found.map(({ timestamp }) => timestamp).toSorted((one, other) => one - other),
    );
    const back = await read({ page: page.pages.previous.page });
    expect(summarize(back.items)).toEqual(all.slice(3));
    const first = await read({ page: back.pages.first.page });
    expect(summarize(first.items)).toEqual(all.slice(0, 2));
    const last = await read({ page: first.pages.last.page });
    expect(summarize(last.items)).toEqual(all.slice(3));
    expect(page.pages.next.url).toContain(`${server.config.baseUrl}/v3/${DOMAIN}/events/`);
    const newestFirst = await read({ event: FILTER });
    expect(summarize(newestFirst.items)).toEqual(all.toReversed());
    await expect(read({ page: 'invented' })).rejects.toMatchObject({ status: 400 });
  });

  test('are also found at the domain of the path when the sender has another domain', async () => {
    const { id } = await mailgun.messages.create('other.test', {
      from: `news@${DOMAIN}`,
      to: 'ok@example.com',
      subject: 'By another path',
      text: 'x',
    });
    for (const domain of ['other.test', DOMAIN])
      await expect
        .poll(async () => (await read({ event: 'delivered', 'message-id': id }, domain)).items.length)
        .toBe(1);
    const [item] = (await read({ event: 'accepted' }, 'other.test')).items;
    expect(item).toMatchObject({ recipient: 'ok@example.com', tags: [] });
  });

  test('are those of the own team and domain', async () => {
    const stranger = connect((await server.createTeam()).key);
    await expect(stranger.events.get(DOMAIN, {})).rejects.toMatchObject({ status: 404 });
    const newKey = async (more: object) =>
      (await team.call('POST', '/api-keys', { name: 'k', ...more })).body.key;
    const restricted = connect(await newKey({ permission: 'sending' }));
    await expect(restricted.events.get(DOMAIN, {})).rejects.toMatchObject({ status: 403 });
    const [own] = (await team.call('GET', '/domains')).body.filter(
      ({ name }: { name: string }) => name === DOMAIN,
    );
    const bound = connect(await newKey({ permission: 'full', domainId: own.id }));
    expect((await bound.events.get(DOMAIN, { event: 'opened' })).items).toHaveLength(1);
    await expect(bound.events.get('other.test', {})).rejects.toMatchObject({ status: 403 });
  });
});
