import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import { HELD_UP, longestWait } from '../../../testing/longest-wait.ts';
import { createCall, shareTestServer, startTestServer } from '../../../testing/test-server.ts';
import type { TestServer, TestTeam } from '../../../testing/test-server.ts';
import type { CampaignCheck, CampaignFinding } from './check.schema.ts';

let server: TestServer;
let team: TestTeam;
let domainId: number;

beforeAll(async () => {
  server = await startTestServer({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  team = await server.createTeam();
  domainId = await addDomain(server.db, team.teamId, 'news.test');
});
afterAll(() => server.close());

async function addBook(emails: string[], fields: object = {}): Promise<string> {
  const { body } = await team.call('POST', '/contactBooks', { name: 'News', ...fields });
  const people = emails.map((email) => ({ email }));
  if (people.length > 0) await team.call('POST', `/contactBooks/${body.id}/contacts/bulk`, people);
  return body.id;
}

async function create(changes: object): Promise<string> {
  const { status, body } = await team.call('POST', '/campaigns', {
    name: 'November',
    from: 'News <hello@news.test>',
    subject: 'Hello',
    previewText: 'Three books',
    ...changes,
  });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.id;
}

async function check(id: string, query = ''): Promise<CampaignCheck> {
  const { status, body } = await team.call('GET', `/campaigns/${id}/check${query}`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
}

function codes({ findings }: CampaignCheck): CampaignFinding['code'][] {
  return findings.map(({ code }) => code).toSorted();
}

function find({ findings }: CampaignCheck, code: CampaignFinding['code']): CampaignFinding | undefined {
  return findings.find((finding) => finding.code === code);
}

function markLink(href: string) {
  return [{ type: 'link', attrs: { href } }];
}

const LEAVE = '<a href="{{unsubscribeUrl}}">Leave</a>';

describe('the audience', () => {
  test('is counted by book, segment and topic, and everyone who is left out has one reason', async () => {
    const first = await addBook(['ada@x.test', 'bob@x.test', 'cy@x.test', 'dee@x.test', 'eve@x.test']);
    const second = await addBook(['ada@x.test', 'fay@x.test'], { name: 'Friends' });
    const contacts = `/contactBooks/${first}/contacts`;
    await team.call('POST', contacts, { email: 'bob@x.test', subscribed: false });
    await team.call('POST', '/suppressions', { email: 'cy@x.test' });
    const segmentId = (
      await team.call('POST', '/segments', {
        name: 'Not Dee',
        contactBookId: first,
        filter: { all: [{ field: 'email', op: 'notEquals', value: 'dee@x.test' }] },
      })
    ).body.id;
    const topic = await team.call('POST', '/topics', { name: 'Books', defaultSubscription: 'opt_out' });
    const { items } = (await team.call('GET', `${contacts}?email=eve@x.test`)).body;
    const leave = { topics: [{ id: topic.body.id, subscribed: false }] };
    expect((await team.call('PATCH', `${contacts}/${items[0].id}/topics`, leave)).status).toBe(200);
    const id = await create({
      contactBookIds: [first, second],
      segmentId,
      topicId: topic.body.id,
      html: `<p>Hi</p>${LEAVE}`,
    });
    const { audience, ready } = await check(id);
    expect(ready).toBe(true);
    expect(audience).toMatchObject({
      contacts: 7,
      recipients: 2,
      books: [
        { id: first, name: 'News', contacts: 5, recipients: 1 },
        { id: second, name: 'Friends', contacts: 2, recipients: 1 },
      ],
      segment: { id: segmentId, name: 'Not Dee', contacts: 6 },
      topic: { id: topic.body.id, name: 'Books', contacts: 6 },
    });
    expect(Object.fromEntries(audience.leftOut.map(({ reason, count }) => [reason, count]))).toEqual({
      unsubscribed: 1,
      suppressed: 1,
      not_in_segment: 1,
      not_in_topic: 1,
      duplicate: 1,
    });
  });

  test('without recipients blocks the campaign, and so does a domain that is no longer verified', async () => {
    const book = await addBook([]);
    const id = await create({ contactBookId: book, html: `<p>Hi</p>${LEAVE}` });
    const nobody = await check(id);
    expect(nobody.ready).toBe(false);
    expect(find(nobody, 'no_recipients')).toMatchObject({ level: 'blocks', variant: null });
    await sql`update domains set held = false where id = ${domainId}`.execute(server.db);
    const unverified = await check(id);
    await sql`update domains set held = true where id = ${domainId}`.execute(server.db);
    expect(find(unverified, 'not_ready')?.message).toMatch(/no longer verified/);
    expect(codes(unverified)).not.toContain('no_recipients');
  });
});

describe('the content', () => {
  test('that is complete has nothing to say', async () => {
    const book = await addBook(['ada@x.test']);
    await sql`update domains set record_status = '{"dkim":"SUCCESS","spf":"SUCCESS","dmarc":"SUCCESS"}'
      where id = ${domainId}`.execute(server.db);
    const content = {
      type: 'doc',
      content: [
        { type: 'paragraph', content: [{ type: 'text', text: 'Hello' }] },
        { type: 'footer', attrs: { address: '1 Harbour Street' } },
      ],
    };
    const tracking = { opens: true, clicks: true };
    const checked = await check(await create({ contactBookId: book, content, tracking }));
    expect(checked).toMatchObject({
      ready: true,
      findings: [],
      sender: { domain: 'news.test', dkimAligned: true, spfAligned: true, dmarcRecord: true },
    });
    expect(checked.htmlBytes).toBeGreaterThan(500);
    await sql`update domains set record_status = '{"dkim":"FAILED"}' where id = ${domainId}`.execute(
      server.db,
    );
    const short = { ...content, content: content.content.slice(0, 1) };
    const bare = codes(await check(await create({ contactBookId: book, content: short })));
    const missing = 'no_dmarc_record no_postal_address no_unsubscribe_link not_aligned not_tracked';
    expect(bare).toEqual(missing.split(' '));
  });

  test('is checked for images without text, long subjects, unknown tags, http and links that lead nowhere', async () => {
    const book = await addBook(['ada@x.test']);
    const checked = await check(
      await create({
        contactBookId: book,
        previewText: null,
        subject:
          'A subject that goes on and on, {{firstName,fallback=friend}}, until nobody at all can see how it may end',
        html:
          '<p>{{shoeSize}}</p><img src="https://a.test/1.png"><img src="https://a.test/2.png" alt="Two">' +
          '<img src="https://a.test/pixel.gif" width="1" height="1"><a href="/about">About</a><a href="">x</a>' +
          `<a href="http://a.test/">A</a><a href="#top">Top</a><a href="mailto:a@a.test">Mail</a>${LEAVE}`,
      }),
      '?links=false',
    );
    expect(find(checked, 'unknown_tags')).toMatchObject({ level: 'blocks', places: ['shoeSize'] });
    expect(find(checked, 'images_without_text')?.places).toEqual(['https://a.test/1.png']);
    expect(find(checked, 'unusable_links')?.places).toEqual(['/about', '(empty)']);
    expect(find(checked, 'insecure_links')?.places).toEqual(['http://a.test/']);
    expect(codes(checked)).toEqual(expect.arrayContaining(['long_subject', 'no_preview_text']));
    expect(checked.links.every(({ state }) => state === 'unchecked')).toBe(true);
    expect(checked.findings[0]!.level).toBe('blocks');
  });

  test('is checked for buttons and texts whose links the email does not have', async () => {
    const book = await addBook(['ada@x.test']);
    const links = [
      { network: 'github', url: '' },
      { network: 'x', url: 'https://x.test/me' },
    ];
    const content = {
      type: 'doc',
      content: [
        { type: 'button', attrs: { text: 'Shop', url: 'shop.test' } },
        { type: 'button', attrs: { text: 'Read', url: 'https://a.test/' } },
        {
          type: 'columns',
          content: [{ type: 'column', content: [{ type: 'button', attrs: { text: 'Go' } }] }],
        },
        { type: 'paragraph', content: [{ type: 'text', text: 'here', marks: markLink('javascript:1') }] },
        {
          type: 'paragraph',
          content: [{ type: 'text', text: 'there', marks: markLink('{{unsubscribeUrl}}') }],
        },
        { type: 'social', attrs: { links } },
      ],
    };
    const checked = await check(await create({ contactBookId: book, content }), '?links=false');
    expect(find(checked, 'unusable_links')?.places).toEqual([
      'Shop: shop.test',
      'Go: (empty)',
      'here: javascript:1',
      'github: (empty)',
    ]);
  });

  test('is checked for HTML and CSS that email apps do not know', async () => {
    const book = await addBook(['ada@x.test']);
    const find3 = async (html: string) => {
      const checked = await check(await create({ contactBookId: book, html: html + LEAVE }), '?links=false');
      return (['unsupported_html', 'unsupported_css', 'large_style_sheet'] as const).map(
        (code) => find(checked, code)?.places ?? null,
      );
    };
    const page =
      '<html><head><link rel="stylesheet" href="https://a.test/a.css"><style>.row { /* x: y */ display: flex } ' +
      '@media (max-width: 600px) { .row { position: absolute } }</style></head><body><div class="row">x</div>' +
      '<div style="color:var(--ink);BACKGROUND:#fff url(https://a.test/a.png)">x</div><SCRIPT>display:grid</SCRIPT>' +
      '<form action="https://a.test"><input name="a"></form></body></html>';
    const [html, css, sheet] = await find3(page);
    expect(html).toEqual(['<link>', '<script>', '<form>', '<input>']);
    expect(css!.toSorted()).toEqual([
      'background-image (Outlook)',
      'custom properties (Gmail, Outlook)',
      'display: flex (Outlook)',
      'position (Gmail, Outlook)',
    ]);
    expect(sheet).toBeNull();
    const inside = '<!--[if mso]><v:rect><v:fill src="a"/></v:rect><form></form><![endif]-->';
    const fine =
      '<p style="display:inline-block;position:relative;background:url(https://a.test/a.png)">x</p>';
    expect(await find3(inside + fine)).toEqual([null, null, null]);
    const long = `@media print{${'.a{color:red}'.repeat(1_500)}}`;
    expect((await find3(`<style>${long}</style><p class="a">x</p>`))[2]).toEqual([]);
    const loads = '@media print{.a{background:url(https://a.test/x.png)}}';
    expect((await find3(`<style>${loads}</style><p class="a">x</p>`))[2]).toEqual([]);
  });

  test('of more than 102 kB, as it is sent with tracked links, is too large for Gmail', async () => {
    const book = await addBook(['ada@x.test']);
    const html = `${'<p>Hello there, this is a line of text.</p>'.repeat(2_600)}${LEAVE}`;
    expect(find(await check(await create({ contactBookId: book, html })), 'too_large')?.level).toBe(
      'warning',
    );
    const links = `${'<a href="https://a.test/">A</a>'.repeat(600)}${LEAVE}`;
    expect(links.length).toBeLessThan(30_000);
    const tracking = { opens: false, clicks: true };
    const tracked = await check(await create({ contactBookId: book, html: links, tracking }), '?links=false');
    expect(tracked.htmlBytes).toBeGreaterThan(2 * links.length);
  });

  test('of each variant is checked, and an empty one blocks', async () => {
    const book = await addBook(['ada@x.test']);
    const variants = [{ html: `<p>A</p>${LEAVE}` }, { content: { type: 'doc', content: [] } }];
    const checked = await check(await create({ contactBookId: book, html: '<p>Hi</p>', variants }));
    expect(find(checked, 'no_content')).toMatchObject({ level: 'blocks', variant: 1 });
    expect(checked.ready).toBe(false);
  });

  test('that is very large does not block other requests', async () => {
    const book = await addBook(['ada@x.test']);
    const html = `<p>${'<b '.repeat(20_000)}</p>${'<img src="https://a.test/1.png">'.repeat(10_000)}${LEAVE}`;
    const id = await create({ contactBookId: book, html });
    // One check takes little longer than a request waits on a busy computer.
    const checking = Promise.all(Array.from({ length: 10 }, () => check(id, '?links=false')));
    expect(await longestWait(checking, () => team.call('GET', '/contactBooks'))).toBeLessThan(HELD_UP);
    expect(find((await checking)[0]!, 'images_without_text')?.places).toEqual(['https://a.test/1.png']);
  });
});

describe('links', () => {
  let site: Server;
  let url: string;
  const seen: string[] = [];

  beforeAll(async () => {
    site = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      const path = request.url!;
      if (path === '/moved') response.writeHead(302, { location: '/fine' });
      else if (path === '/round') response.writeHead(302, { location: '/round' });
      else if (path === '/odd') response.writeHead(302, { location: 'file:///etc/passwd' });
      else if (path === '/login') response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      else if (path === '/private.png') response.writeHead(302, { location: '/login' });
      else if (path === '/gone') response.writeHead(404);
      else if (path === '/get-only') response.writeHead(request.method === 'HEAD' ? 405 : 200);
      else if (path === '/members') response.writeHead(403);
      else if (path === '/reset') return void request.socket.destroy();
      else if (path.startsWith('/hangs/')) return;
      else response.writeHead(200);
      response.end('x'.repeat(100_000));
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => site.close(resolve)));

  test('are asked for once each, redirects are followed, and each has its result', async () => {
    const book = await addBook(['ada@x.test']);
    const link = (path: string) => `<a href="${url}${path}">x</a>`;
    const paths = ['/fine', '/fine', '/moved', '/round', '/odd', '/gone', '/get-only', '/members', '/reset'];
    const html =
      paths.map(link).join('') +
      `${link('/{{email}}')}<a data-no-track href="${url}/plain">x</a><img alt="x" src="${url}/gone">` +
      `<img alt="x" src="${url}/private.png">` +
      `<a href="http://nobody.invalid/">x</a>${LEAVE}`;
    const id = await create({ contactBookId: book, html, tracking: { opens: true, clicks: true } });
    const checked = await check(id);
    const results = Object.fromEntries(
      checked.links.map((each) => [
        `${each.kind} ${each.url.replace(url, '')}`,
        [each.state, each.statusCode ?? each.problem, each.tracked],
      ]),
    );
    expect(results).toEqual({
      'link /fine': ['ok', 200, true],
      'link /moved': ['ok', 200, true],
      'link /round': ['broken', 'redirects', true],
      'link /odd': ['broken', 'redirects', true],
      'link /gone': ['broken', 404, true],
      'link /get-only': ['ok', 200, true],
      'link /members': ['doubtful', 403, true],
      'link /reset': ['broken', 'reset', true],
      'link /{{email}}': ['unchecked', null, false],
      'link /plain': ['ok', 200, false],
      'image /gone': ['broken', 404, false],
      'image /private.png': ['broken', 200, false],
      'link http://nobody.invalid/': ['broken', 'dns', true],
    });
    expect(find(checked, 'broken_links')).toMatchObject({ level: 'warning' });
    expect(find(checked, 'untracked_links')?.places).toEqual([`${url}/{{email}}`, `${url}/plain`]);
    expect(seen.filter((line) => line === 'HEAD /plain')).toHaveLength(1);
    expect(checked.ready).toBe(true);
  });

  test('beyond the first 50 are not asked for', async () => {
    const book = await addBook(['ada@x.test']);
    const many = Array.from({ length: 60 }, (_, at) => `<a href="${url}/many/${at}">x</a>`).join('');
    const checked = await check(await create({ contactBookId: book, html: many + LEAVE }));
    expect([checked.links.length, checked.linksLeftOut]).toEqual([50, 10]);
    expect(find(checked, 'links_left_out')).toBeDefined();
    expect(seen.filter((line) => line.startsWith('HEAD /many/'))).toHaveLength(50);
  });

  test('of servers that do not answer are doubtful, and those that there was no time for are named', async () => {
    const contactBookId = await addBook(['ada@x.test']);
    const hanging = Array.from({ length: 30 }, (_, at) => `<a href="${url}/hangs/${at}">x</a>`).join('');
    const id = await create({ contactBookId, html: hanging + LEAVE });
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 20));
    const checked = await check(id).finally(() => vi.restoreAllMocks());
    expect(checked.links[0]).toMatchObject({ state: 'doubtful', statusCode: null, problem: 'timeout' });
    expect(checked.links.at(-1)).toMatchObject({ state: 'unchecked', statusCode: null, problem: null });
    expect(find(checked, 'unchecked_links')?.places).toContain(`${url}/hangs/29`);
  });

  test('to private addresses are never asked for, not even after a redirect', async () => {
    const strict = await shareTestServer();
    const own = await strict.createTeam();
    await addDomain(strict.db, own.teamId, 'strict.test');
    const { body: book } = await own.call('POST', '/contactBooks', { name: 'News' });
    const { body: campaign } = await own.call('POST', '/campaigns', {
      name: 'N',
      subject: 'S',
      from: 'a@strict.test',
      contactBookId: book.id,
      html: `<a href="${url}/secret">x</a><a href="http://localhost:${new URL(url).port}/secret">x</a>
        <a href="http://[::1]/secret">x</a><a href="http://user:pw@10.0.0.1/secret">x</a>`,
    });
    const { status, body } = await own.call('GET', `/campaigns/${campaign.id}/check`);
    expect(status).toBe(200);
    expect(body.links.map(({ problem }: { problem: string }) => problem)).toEqual(
      Array(4).fill('private_address'),
    );
    expect(seen.filter((line) => line.endsWith('/secret'))).toEqual([]);
    await strict.close();
  });
});

test('a campaign or an A/B test whose results are not tracked is pointed out', async () => {
  const contactBookId = await addBook(['ada@x.test']);
  const variants = [{ subject: 'One' }, { subject: 'Two' }];
  const id = await create({ contactBookId, html: `<p>Hi</p>${LEAVE}`, variants, decideBy: 'clicks' });
  const levels = async () =>
    (await check(id)).findings.flatMap(({ code, level }) => (/not_tracked/.test(code) ? [code, level] : []));
  expect(await levels()).toEqual(['test_not_tracked', 'warning']);
  await team.call('PATCH', `/campaigns/${id}`, { tracking: { opens: false, clicks: true } });
  expect(await levels()).toEqual([]);
  await team.call('PATCH', `/campaigns/${id}`, { tracking: null, decideBy: 'person' });
  expect(await levels()).toEqual(['not_tracked', 'advice']);
});

test('a campaign of another team is not found, and a wrong query or key is rejected', async () => {
  const id = await create({ contactBookId: await addBook([]), html: '<p>Hi</p>' });
  const other = await server.createTeam();
  expect((await other.call('GET', `/campaigns/${id}/check`)).status).toBe(404);
  expect((await team.call('GET', '/campaigns/cmp_nothing/check')).status).toBe(404);
  expect((await team.call('GET', `/campaigns/${id}/check?links=perhaps`)).status).toBe(400);
  const { body } = await team.call('POST', '/api-keys', { name: 'S', permission: 'sending' });
  expect((await createCall(server.url, body.key)('GET', `/campaigns/${id}/check`)).status).toBe(403);
});
