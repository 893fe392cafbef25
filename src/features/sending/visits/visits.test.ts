import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decodeId } from '../../../platform/ids.ts';
import { rejectPoison } from '../../../testing/reject-poison.ts';
import {
  addVerifiedDomain,
  startRelayWorld,
  type RelayWorld,
} from '../../../testing/fixtures/relay-world.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const HTML = '<p>Hello <a href="https://shop.example/a?b=%2F+&amp;c=d&copy=1#e?f">here</a></p>';

const SECRET = 'ab'.repeat(32);

let world: RelayWorld;
let sink: RelayWorld['sink'];
let server: TestServer;
let team: TestTeam;
let domainId: number;

beforeAll(async () => {
  world = await startRelayWorld({ env: { INSTANCE_SECRET: SECRET } });
  ({ sink, server } = world);
  team = await server.createTeam();
  domainId = (await addVerifiedDomain(server, team, 'shop.test')).id;
  await team.call('PATCH', `/domains/${domainId}`, { openTracking: true, clickTracking: true });
});
afterAll(() => world.close());
beforeEach(() => sink.reset());

interface Sent {
  id: string;
  html: string;
  text: string;
  pixel: string;
  links: string[];
}

/** Sends an email, waits for its delivery and returns the received message. */
async function send(email: object = {}): Promise<Sent> {
  const before = sink.messages.length;
  const { status, body } = await team.call('POST', '/emails', {
    from: 'hello@shop.test',
    to: 'ada@example.org',
    subject: 'Order',
    html: HTML,
    ...email,
  });
  expect(status).toBe(200);
  await becomes(body.emailId, 'DELIVERED');
  const { html = '', text = '' } = await PostalMime.parse(sink.messages[before]!.data);
  const addresses = (pattern: RegExp) =>
    [...html.matchAll(pattern)].map((match) => `${server.url}${match[1]!}`);
  return {
    id: body.emailId,
    html,
    text,
    pixel: addresses(/src="http:\/\/[^/]+(\/t\/o\/[^"]*)"/g)[0] ?? '',
    links: addresses(/href="http:\/\/[^/]+(\/t\/c\/[^"]*)"/g),
  };
}

async function get(id: string) {
  return (await team.call('GET', `/emails/${id}`)).body;
}

async function becomes(id: string, status: string): Promise<void> {
  await expect.poll(async () => (await get(id)).status, { interval: 20 }).toBe(status);
}

async function counts(id: string, expected: object): Promise<void> {
  await expect
    .poll(async () => (await get(id)).tracking, { interval: 20 })
    .toEqual({ opens: 0, humanOpens: 0, clicks: 0, humanClicks: 0, ...expected });
}

function visit(url: string, init: { method?: string; headers?: Record<string, string> } = {}) {
  return fetch(url, {
    redirect: 'manual',
    method: init.method ?? 'GET',
    headers: { 'user-agent': BROWSER, ...init.headers },
  });
}

async function eventsOf(id: string, status: string) {
  return (await get(id)).emailEvents.filter((event: { status: string }) => event.status === status);
}

async function today() {
  const { body } = await team.call('GET', '/analytics/email-time-series?days=7');
  return body.totalCounts;
}

describe('tracking in the email', () => {
  test('follows the domain unless the email overrides it', async () => {
    const both = await send();
    expect([both.links.length, both.pixel]).toEqual([1, expect.stringMatching(/\/t\/o\/[\w-]{40,}$/)]);
    expect(both.text).toContain('https://shop.example/a?b=%2F+&c=d&copy=1#e?f');
    const clicks = await send({ tracking: { opens: false } });
    expect([clicks.links.length, clicks.pixel]).toEqual([1, '']);
    const opens = await send({ tracking: { clicks: false } });
    expect([opens.links.length, opens.pixel.length > 0]).toEqual([0, true]);
    const none = await send({ tracking: { opens: false, clicks: false } });
    expect(none.html.trim()).toBe(HTML);

    await team.call('PATCH', `/domains/${domainId}`, { openTracking: false, clickTracking: false });
    expect((await send()).html.trim()).toBe(HTML);
    expect((await send({ tracking: { opens: true } })).pixel).not.toBe('');
    await team.call('PATCH', `/domains/${domainId}`, { openTracking: true, clickTracking: true });
  });

  test('mail without HTML, and links that are not tracked, stay unchanged', async () => {
    const html =
      '<a href="mailto:a@b.test">m</a><a href="tel:1">t</a><a href="#x">x</a><a data-no-track href="https://a.test/">n</a>';
    expect((await send({ html, tracking: { opens: false } })).html.trim()).toBe(html);
    expect((await send({ html: null, text: 'https://a.test/' })).text.trim()).toBe('https://a.test/');
  });

  test.each([[{ tracking: 1 }], [{ tracking: { opens: 'yes' } }]])('%j is refused', async (change) => {
    const email = { from: 'a@shop.test', to: 'b@example.org', subject: 's', text: 't', ...change };
    expect((await team.call('POST', '/emails', email)).status).toBe(400);
  });
});

describe('opens', () => {
  test('ten opens count once, and all ten are recorded', async () => {
    const { id, pixel } = await send();
    const before = await today();
    const answers = await Promise.all(Array.from({ length: 10 }, () => visit(pixel)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(answers[0]!.headers.get('content-type')).toBe('image/gif');
    expect(answers[0]!.headers.get('cache-control')).toContain('no-store');
    expect((await answers[0]!.arrayBuffer()).byteLength).toBe(42);
    await counts(id, { opens: 10, humanOpens: 10 });
    await becomes(id, 'OPENED');
    expect(await eventsOf(id, 'OPENED')).toMatchObject([{ data: { userAgent: BROWSER } }]);
    expect((await today()).opened).toBe(before.opened + 1);
  });

  test.each([
    ['HEAD', { method: 'HEAD' }],
    ['Apple', { headers: { 'user-agent': 'Mozilla/5.0' } }],
    ['Gmail', { headers: { 'user-agent': 'Mozilla/5.0 (via ggpht.com GoogleImageProxy)' } }],
    ['prefetch', { headers: { 'sec-purpose': 'prefetch;prerender' } }],
  ])('a machine is counted apart: %s', async (_name, init) => {
    const { id, pixel } = await send();
    expect((await visit(pixel, init)).status).toBe(200);
    await counts(id, { opens: 1 });
    expect(await eventsOf(id, 'OPENED')).toEqual([]);
    expect((await get(id)).status).toBe('DELIVERED');
  });

  test('a burst of opens is recorded completely', async () => {
    const { id, pixel } = await send();
    for (let round = 0; round < 3; round += 1)
      await Promise.all(Array.from({ length: 100 }, async () => (await visit(pixel)).arrayBuffer()));
    await counts(id, { opens: 300, humanOpens: 300 });
    expect(await eventsOf(id, 'OPENED')).toHaveLength(1);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const counted = /posthorn_visits_total\{route="\/t\/o\/",status="200"\} (\d+)/.exec(metrics)?.[1];
    expect(Number(counted)).toBeGreaterThanOrEqual(300);
  });

  test.each(['', 'x', '%00', '..%2f..%2fetc', '%zz', 'A'.repeat(9_000), 'AQ'.repeat(30)])(
    'an invalid token is rejected: %j',
    async (token) => {
      expect((await visit(`${server.url}/t/o/${token}`)).status).toBe(404);
    },
  );

  test('an open before the delivery outcome is recorded counts afterwards', async () => {
    const { body } = await team.call('POST', '/emails', {
      from: 'hello@shop.test',
      to: 'ada@example.org',
      subject: 'Later',
      html: HTML,
      scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const id = body.emailId;
    const before = await today();
    const pixel = /http:\/\/[^/]+(\/t\/o\/[^"]*)"/.exec((await get(id)).html)![1]!;
    await visit(`${server.url}${pixel}`);
    await counts(id, { opens: 1 });
    expect((await get(id)).status).toBe('SCHEDULED');
    await team.call('PATCH', `/emails/${id}`, { scheduledAt: new Date().toISOString() });
    await becomes(id, 'OPENED');
    await counts(id, { opens: 1, humanOpens: 1 });
    expect(await eventsOf(id, 'OPENED')).toHaveLength(1);
    expect((await today()).opened).toBe(before.opened + 1);
  });

  test('opens just before a shutdown are recorded', async () => {
    const { id, pixel } = await send();
    const other = await startTestServer({
      databaseUrl: server.config.databaseUrl!,
      env: { INSTANCE_SECRET: SECRET },
    });
    await visit(pixel.replace(server.url, other.url));
    await other.close();
    await counts(id, { opens: 1, humanOpens: 1 });
  });
});

describe('clicks', () => {
  test('redirect to the exact target, and imply an open', async () => {
    const { id, links } = await send();
    const before = await today();
    const answer = await visit(links[0]!);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      'https://shop.example/a?b=%2F+&c=d&copy=1#e?f',
    ]);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('set-cookie')).toBeNull();
    await becomes(id, 'CLICKED');
    await counts(id, { clicks: 1, humanClicks: 1 });
    expect(await eventsOf(id, 'OPENED')).toHaveLength(1);
    expect(await eventsOf(id, 'CLICKED')).toMatchObject([
      { data: { link: 'https://shop.example/a?b=%2F+&c=d&copy=1#e?f', userAgent: BROWSER } },
    ]);
    const after = await today();
    expect([after.opened, after.clicked]).toEqual([before.opened + 1, before.clicked + 1]);
  });

  test('characters that are not allowed in a header are encoded as browsers do', async () => {
    const { links } = await send({ html: '<a href="https://shop.example/ü b?x=📯">x</a>' });
    const answer = await visit(links[0]!);
    expect(answer.headers.get('location')).toBe('https://shop.example/%C3%BC%20b?x=%F0%9F%93%AF');
  });

  test('a visitor that follows every link at the same moment is a bot', async () => {
    const html = [1, 2, 3, 4].map((no) => `<a href="https://shop.example/${no}">x</a>`).join('');
    const { id, links } = await send({ html });
    const answers = await Promise.all(links.map((link) => visit(link)));
    expect(answers.map(({ status }) => status)).toEqual([302, 302, 302, 302]);
    await counts(id, { clicks: 4 });
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    await counts(id, { clicks: 4 });
    expect((await get(id)).status).toBe('DELIVERED');
  });

  test('a link with a changed target is rejected', async () => {
    const { links } = await send();
    const token = links[0]!.slice(links[0]!.lastIndexOf('/') + 1);
    const bytes = Buffer.from(token, 'base64url');
    const evil = Buffer.from(bytes.toString('latin1').replace('shop.example', 'evil.example'), 'latin1');
    const tries = [
      evil.toString('base64url'),
      token.slice(0, -1),
      `${token}A`,
      `${token}/url=https://evil.example`,
      'https://evil.example',
      Buffer.from('https://evil.example/').toString('base64url'),
    ];
    for (const attempt of tries) {
      const answer = await visit(`${server.url}/t/c/${attempt}`);
      expect([answer.status, answer.headers.get('location')]).toEqual([404, null]);
      expect(await answer.text()).toContain('This link does not work');
    }
    expect((await visit(links[0]!, { method: 'POST' })).status).toBe(405);
  });

  test('an open does not change the status of a bounced email', async () => {
    sink.behave({ rcptReplies: { 'gone@example.org': '550 5.1.1 No such user' } });
    const before = sink.messages.length;
    const { body } = await team.call('POST', '/emails', {
      from: 'hello@shop.test',
      to: ['gone@example.org', 'here@example.org'],
      subject: 'Order',
      html: HTML,
    });
    await becomes(body.emailId, 'BOUNCED');
    const { html = '' } = await PostalMime.parse(sink.messages[before]!.data);
    await visit(`${server.url}${/(\/t\/o\/[^"]*)"/.exec(html)![1]!}`);
    await counts(body.emailId, { opens: 1, humanOpens: 1 });
    expect((await get(body.emailId)).status).toBe('BOUNCED');
  });
});

test('only the visit that the database rejects is lost', async () => {
  const takeAgain = await rejectPoison(server.db);
  const first = await send();
  const others = [await send(), await send()];
  await visit(first.pixel, { headers: { 'user-agent': `${BROWSER} poison` } });
  for (const { pixel } of others) await visit(pixel);
  for (const { id } of others) await becomes(id, 'OPENED');
  await takeAgain();
  await visit(first.pixel);
  await counts(first.id, { opens: 1, humanOpens: 1 });
});

test('segments know which contacts opened and clicked', async () => {
  const people = ['opens', 'clicks', 'neither'].map((name) => ({ email: `${name}@example.org` }));
  const contactBookId = (await team.call('POST', '/contactBooks', { name: 'Readers' })).body.id;
  await team.call('POST', `/contactBooks/${contactBookId}/contacts/bulk`, people);
  const campaign = await team.call('POST', '/campaigns', {
    name: 'News',
    from: 'hello@shop.test',
    subject: 'News',
    contactBookId,
    html: HTML,
  });
  await team.call('POST', `/campaigns/${campaign.body.id}/schedule`, {});
  await sink.waitForMessages(3);
  const found = async (field: string, op: string, value: unknown): Promise<number> => {
    const filter = { all: [{ field: `engagement.${field}`, op, value }] };
    return (await team.call('POST', '/segments/count', { contactBookId, filter })).body.count;
  };
  expect([await found('opened', 'equals', true), await found('clicked', 'equals', true)]).toEqual([0, 0]);

  const startedAt = new Date(Date.now() - 1_000).toISOString();
  const follow = async (email: string, path: RegExp) => {
    const { data } = sink.messages.find(({ recipients }) => recipients.includes(email))!;
    const { html = '' } = await PostalMime.parse(data);
    await visit(`${server.url}${path.exec(html)![1]!}`);
  };
  await follow('opens@example.org', /(\/t\/o\/[^"]*)"/);
  await follow('clicks@example.org', /(\/t\/c\/[^"]*)"/);
  const polled = { interval: 20 };
  await expect.poll(() => found('clicked', 'equals', true), polled).toBe(1);
  await expect.poll(() => found('opened', 'equals', true), polled).toBe(2);
  expect(await found('lastOpenedAt', 'after', startedAt)).toBe(2);
  expect(await found('lastClickedAt', 'after', startedAt)).toBe(1);
  expect(await found('lastOpenedAt', 'notExists', null)).toBe(1);
});

test('any number of opens and clicks is counted, but the number of events is limited', async () => {
  const { id, pixel, links } = await send();
  await visit(pixel);
  await counts(id, { opens: 1, humanOpens: 1 });
  await sql`
    update email_visits set event_count = 100, open_event_at = open_event_at - interval '1 hour'
    where event_count = 1 and email_id = ${decodeId('eml', id)}
  `.execute(server.db);
  await visit(pixel);
  await counts(id, { opens: 2, humanOpens: 2 });
  expect(await eventsOf(id, 'OPENED')).toHaveLength(1);
  await visit(links[0]!);
  await counts(id, { opens: 2, humanOpens: 2, clicks: 1, humanClicks: 1 });
  expect(await eventsOf(id, 'CLICKED')).toHaveLength(0);
  expect((await get(id)).status).toBe('CLICKED');
});
