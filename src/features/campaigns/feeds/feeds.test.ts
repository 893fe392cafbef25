import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

interface Item {
  guid?: string;
  link?: string;
  title: string;
}

let server: TestServer;
let team: TestTeam;
let publisher: Server;
let origin: string;
let items: Item[] = [];
let status = 200;
let etag: string | null = null;
let conditions: (string | undefined)[] = [];
let book: string;
let templateId: string;

beforeAll(async () => {
  publisher = createServer((request, response) => {
    if (request.url === '/moved') return void response.writeHead(301, { location: '/feed.xml' }).end();
    conditions.push(request.headers['if-none-match']);
    if (etag && request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
    response.writeHead(status, { 'content-type': 'application/rss+xml', ...(etag ? { etag } : {}) });
    response.end(
      `<rss version="2.0"><channel><title>Harbour</title>${items.map(toXml).join('')}</channel></rss>`,
    );
  });
  await new Promise<void>((resolve) => publisher.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
  server = await startTestServer({ doors: ['http', 'worker'], env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
});
afterAll(async () => {
  publisher.close();
  await server.close();
});
beforeEach(async () => {
  [items, status, etag, conditions] = [[{ guid: 'old', title: 'Old' }], 200, null, []];
  team = await server.createTeam();
  await addDomain(team, `shop${team.teamId}.test`);
  book = (await team.call('POST', '/contactBooks', { name: 'Readers' })).body.id;
  await team.call('POST', `/contactBooks/${book}/contacts`, { email: 'ada@example.org', firstName: 'Ada' });
  templateId = await addTemplate();
});

async function addDomain(owner: TestTeam, name: string): Promise<void> {
  const { body } = await owner.call('POST', '/domains', { name });
  await owner.call('PUT', `/domains/${body.id}/verify`);
}

function tag(name: string, value?: string): string {
  return value ? `<${name}>${value}</${name}>` : '';
}

function toXml({ guid, link, title }: Item): string {
  return `<item>${tag('guid', guid)}${tag('link', link)}${tag('title', `<![CDATA[${title}]]>`)}</item>`;
}

async function addTemplate(more: object = {}): Promise<string> {
  const html =
    '<p>Hi {{firstName,fallback=you}}</p><ul>{% for item in feed.items %}<li><a href="{{item.url}}">{{item.title}}</a></li>{% endfor %}</ul>';
  const { status: answered, body } = await team.call('POST', '/templates', { name: 'Feed', html, ...more });
  expect(answered, JSON.stringify(body)).toBe(200);
  return body.id;
}

async function addFeed(more: object = {}): Promise<string> {
  const input = { url: `${origin}/feed.xml`, contactBookId: book, templateId, from: sender(), ...more };
  const { status: answered, body } = await team.call('POST', '/feeds', input);
  expect(answered, JSON.stringify(body)).toBe(200);
  // The worker takes the first look as well. When it comes late, it finds what the test has published since.
  await expect
    .poll(async () => (await sql`select from jobs where name = 'check-feed'`.execute(server.db)).rows)
    .toEqual([]);
  return body.id;
}

const sender = () => `Harbour <news@shop${team.teamId}.test>`;

/** Adds a feed whose first look has been made. */
async function addSeenFeed(more: object = {}): Promise<string> {
  const id = await addFeed(more);
  await check(id);
  return id;
}

async function check(id: string) {
  const { status: answered, body } = await team.call('POST', `/feeds/${id}/check`);
  expect(answered, JSON.stringify(body)).toBe(200);
  return body;
}

async function campaigns(): Promise<{ id: string; subject: string; status: string; name: string }[]> {
  return (await team.call('GET', '/campaigns')).body.campaigns;
}

const setDue = (id: string) =>
  sql`update feeds set next_issue_at = now() - interval '1 second' where team_id = ${team.teamId}`
    .execute(server.db)
    .then(() => id);

describe('each', () => {
  test('the first look marks all as seen; then each new item becomes one draft, edited items none', async () => {
    const id = await addFeed();
    expect(await check(id)).toMatchObject({
      newItems: 0,
      campaignIds: [],
      feed: { title: 'Harbour', error: null },
    });
    items = [
      { guid: 'b', title: 'Second {{firstName}} {% if x %}', link: 'https://blog.example/b?x=1&amp;y=2' },
      { link: 'https://blog.example/a', title: 'First' },
      { guid: 'old', title: 'Old, edited' },
    ];
    const looked = await Promise.all([check(id), check(id), check(id)]);
    expect(looked.flatMap(({ campaignIds }) => campaignIds)).toHaveLength(2);
    const [second, first] = await campaigns();
    expect(first).toMatchObject({ status: 'DRAFT', subject: 'First', name: 'First' });
    expect(second).toMatchObject({ status: 'DRAFT', subject: 'Second { {firstName}} { % if x %}' });
    const { body: shown } = await team.call('POST', `/campaigns/${second!.id}/preview`, {});
    expect(shown.html).toContain('Hi Ada');
    expect(shown.html).toContain('href="https://blog.example/b?x=1&amp;y=2"');
    expect(shown.html).toContain('>Second {{firstName}} {% if x %}</a>');
    expect(shown.html).not.toContain('First');
    items = [
      { guid: 'b', title: 'Edited' },
      { link: 'https://blog.example/a', title: 'Edited' },
    ];
    expect(await check(id)).toMatchObject({ newItems: 0, campaignIds: [] });
    expect(await campaigns()).toHaveLength(2);
  });

  test('with review off it is sent, and the email has the item', async () => {
    const id = await addSeenFeed({ review: false });
    items = [{ guid: 'n', title: 'News & more' }];
    const { campaignIds } = await check(id);
    await expect
      .poll(async () => (await team.call('GET', `/campaigns/${campaignIds[0]}`)).body, { timeout: 60_000 })
      .toMatchObject({ status: 'SENT', total: 1, subject: 'News & more' });
    const email = (await team.call('GET', '/emails')).body.items[0];
    const { body } = await team.call('GET', `/emails/${email.id}`);
    expect(body.html).toContain('News &amp; more</a>');
    const { items: entries } = (await team.call('GET', `/audit?target=${campaignIds[0]}`)).body;
    expect(entries).toMatchObject([
      { action: 'campaign.started', actor: { kind: 'system' }, after: { feed: id } },
    ]);
  });

  test('at most maxItems campaigns are made at a time, the oldest first', async () => {
    const id = await addSeenFeed({ maxItems: 2 });
    items = ['c', 'b', 'a'].map((guid) => ({ guid, title: guid }));
    expect((await check(id)).feed.waiting).toBe(1);
    expect((await campaigns()).map(({ name }) => name)).toEqual(['b', 'a']);
    await check(id);
    expect((await campaigns()).map(({ name }) => name)).toEqual(['c', 'b', 'a']);
  });
});

describe('digest', () => {
  const schedule = { weekdays: [5, 1], at: '09:00', timezone: 'Europe/Berlin' };

  test('waits for its time and for enough items, then has the latest ones; nothing new makes nothing', async () => {
    templateId = await addTemplate({ subject: 'News of {{feed.title}}' });
    const id = await addSeenFeed({ mode: 'digest', schedule, minItems: 2, maxItems: 3 });
    const { body: created } = await team.call('GET', `/feeds/${id}`);
    expect(created.schedule).toEqual({ ...schedule, weekdays: [1, 5] });
    expect([1, 5]).toContain(new Date(created.nextIssueAt).getUTCDay());
    items = [{ guid: '1', title: 'One' }];
    expect(await check(id)).toMatchObject({ newItems: 1, campaignIds: [], feed: { waiting: 1 } });
    expect((await check(await setDue(id))).campaignIds).toEqual([]);
    items = ['5', '4', '3', '2', '1'].map((guid) => ({ guid, title: `No. ${guid}` }));
    expect(await check(id)).toMatchObject({ newItems: 4, campaignIds: [], feed: { waiting: 5 } });
    const made = await check(await setDue(id));
    expect(made).toMatchObject({ campaignIds: [expect.any(String)], feed: { waiting: 0 } });
    expect(new Date(made.feed.nextIssueAt).getTime()).toBeGreaterThan(Date.now());
    const { body: shown } = await team.call('POST', `/campaigns/${made.campaignIds[0]}/preview`, {});
    expect(shown.subject).toBe('News of Harbour');
    expect(shown.text.match(/No\. \d/g)).toEqual(['No. 5', 'No. 4', 'No. 3']);
    expect((await check(await setDue(id))).campaignIds).toEqual([]);
  });

  test('is made by the worker when its time has come', async () => {
    const id = await addSeenFeed({ mode: 'digest', schedule });
    items = [{ guid: 'n', title: 'New' }];
    await setDue(id);
    await sql`select add_job('queue-due-feeds', '{}'::json)`.execute(server.db);
    await expect
      .poll(async () => (await campaigns()).map(({ name }) => name), { timeout: 60_000 })
      .toEqual(['Harbour']);
  });
});

describe('reading', () => {
  test('asks only for what has changed, and follows redirects', async () => {
    etag = '"1"';
    const id = await addFeed({ url: `${origin}/moved` });
    await check(id);
    await check(id);
    expect(conditions.at(-1)).toBe('"1"');
    [items, etag] = [[{ guid: 'n', title: 'New' }], '"2"'];
    expect((await check(id)).newItems).toBe(1);
  });

  test('a feed that cannot be read has an error, and loses nothing', async () => {
    const id = await addSeenFeed();
    items = [{ guid: 'n', title: 'New' }];
    status = 500;
    expect((await check(id)).feed.error).toContain('status 500');
    status = 200;
    const { feed, newItems } = await check(id);
    expect([feed.error, newItems]).toEqual([null, 1]);
    const broken = await addFeed({ url: `${server.url}/healthz` });
    expect((await check(broken)).feed).toMatchObject({ error: expect.stringContaining('not an RSS') });
  });

  test('items wait while the campaign cannot be made', async () => {
    const id = await addSeenFeed();
    await team.call('DELETE', `/templates/${templateId}`);
    items = [{ guid: 'n', title: 'New' }];
    expect(await check(id)).toMatchObject({
      campaignIds: [],
      feed: { waiting: 1, error: expect.stringContaining('Template') },
    });
    await team.call('PATCH', `/feeds/${id}`, { templateId: await addTemplate() });
    await expect.poll(async () => (await campaigns()).length, { timeout: 60_000 }).toBe(1);
  });

  test('a paused feed makes nothing, and another address starts anew', async () => {
    const id = await addSeenFeed();
    await team.call('PATCH', `/feeds/${id}`, { status: 'PAUSED' });
    items = [{ guid: 'n', title: 'New' }];
    expect((await check(id)).campaignIds).toEqual([]);
    items = [{ guid: 'm', title: 'Other' }];
    await team.call('PATCH', `/feeds/${id}`, { url: `${origin}/other.xml` });
    expect(await check(id)).toMatchObject({ newItems: 0, campaignIds: [] });
  });
});

describe('input', () => {
  test.each([
    [{ url: 'ftp://blog.example/feed' }],
    [{ url: 'https://a:b@blog.example/feed' }],
    [{ mode: 'weekly' }],
    [{ mode: 'digest' }],
    [{ schedule: { at: '9:00', timezone: 'UTC' } }],
    [{ schedule: { at: '09:00', timezone: 'Mars/Base' } }],
    [{ schedule: { at: '09:00', timezone: 'UTC', weekdays: [0] } }],
    [{ schedule: { at: '09:00', timezone: 'UTC', weekdays: [1, 1] } }],
    [{ minItems: 0 }],
    [{ maxItems: 51 }],
    [{ minItems: 5, maxItems: 4 }],
    [{ from: 'news@elsewhere.example' }],
  ])('%j is rejected', async (more) => {
    const input = { url: `${origin}/feed.xml`, contactBookId: book, templateId, from: sender(), ...more };
    expect((await team.call('POST', '/feeds', input)).status).toBe(400);
    expect((await team.call('GET', '/feeds')).body.items).toEqual([]);
  });

  test('feeds, books and templates of other teams are not found', async () => {
    const id = await addFeed();
    const other = await server.createTeam();
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/check'],
    ])
      expect(
        (await other.call(method!, `/feeds/${id}${path}`, method === 'PATCH' ? {} : undefined)).status,
      ).toBe(404);
    const otherBook = (await other.call('POST', '/contactBooks', { name: 'x' })).body.id;
    const input = { url: `${origin}/feed.xml`, contactBookId: otherBook, templateId, from: sender() };
    expect((await team.call('POST', '/feeds', input)).status).toBe(404);
    expect((await team.call('PATCH', `/feeds/${id}`, { templateId: 'tpl_nothing' })).status).toBe(404);
    expect((await team.call('PATCH', `/feeds/${id}`, { minItems: 20 })).status).toBe(400);
    expect((await team.call('GET', `/feeds?contactBookId=${book}`)).body.items).toMatchObject([{ id }]);
    expect((await team.call('DELETE', `/feeds/${id}`)).body).toEqual({ id, success: true });
    expect((await team.call('GET', `/feeds/${id}`)).status).toBe(404);
  });
});

test('addresses of this machine are rejected unless the operator allows them', async () => {
  const guarded = await startTestServer({ doors: ['http', 'worker'] });
  try {
    const strict = await guarded.createTeam();
    await addDomain(strict, 'strict.test');
    const { body: own } = await strict.call('POST', '/contactBooks', { name: 'x' });
    const { body: template } = await strict.call('POST', '/templates', { name: 'x', html: '<p>x</p>' });
    const input = { contactBookId: own.id, templateId: template.id, from: 'a@strict.test' };
    expect((await strict.call('POST', '/feeds', { ...input, url: `${origin}/feed.xml` })).status).toBe(400);
    const { body: feed } = await strict.call('POST', '/feeds', { ...input, url: 'https://feeds.example/x' });
    await sql`update feeds set url = ${`${origin}/feed.xml`}`.execute(guarded.db);
    conditions = [];
    const { body } = await strict.call('POST', `/feeds/${feed.id}/check`);
    expect(body.feed.error).toContain('cannot be reached');
    expect(conditions).toEqual([]);
  } finally {
    await guarded.close();
  }
});
