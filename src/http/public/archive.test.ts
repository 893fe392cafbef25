import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  addBook,
  closeCampaignWorld,
  create,
  get,
  makePeople,
  openCampaignWorld,
  server,
  start,
  team,
} from '../../testing/fixtures/campaign-world.ts';

const HTML = `<html><head><style>p { color: #123456 } @media (max-width: 480px) { .column { width: 100% !important } body, .about { color: red } }</style><script>alert(1)</script></head><body>
<p class="column" onclick="alert(2)">Dear {{firstName,fallback=friend}}, {{email}}!</p><img src="https://shop.example/a.png" alt="Harbour">
<a href="https://shop.example/">Shop</a> <a href="{{unsubscribeUrl}}">Unsubscribe here</a> {{preferencesUrl}}
<form action="https://evil.example/"><input name="q"></form></body></html>`;

let book: string;
let letter: string;
let visitors = 0;

beforeAll(async () => {
  await openCampaignWorld();
  book = await addBook(makePeople(2), {
    archiveEnabled: true,
    archiveTitle: 'Letters <from> the harbour',
    archiveDescription: 'Every month & more',
  });
  letter = await send({
    subject: 'New for {{firstName,fallback=you}} & all',
    previewText: 'Hello {{firstName,fallback=reader}}',
    html: HTML,
    tracking: { opens: true, clicks: true },
    showInArchive: true,
  });
}, 120_000);
afterAll(closeCampaignWorld);

async function send(fields: object): Promise<string> {
  const id = await create(book, fields);
  await start(id);
  await vi.waitUntil(async () => (await get(id)).status === 'SENT', { timeout: 60_000, interval: 50 });
  return id;
}

async function visit(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const answer = await fetch(`${server.url}/a/${path}`, { headers, method });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

test('the list shows the campaigns that were chosen for it, with fallbacks instead of fields', async () => {
  const hidden = await send({ subject: 'Not for everyone' });
  const draft = await create(book, { subject: 'Still a draft', showInArchive: true });
  const { status, text, headers } = await visit(book);
  expect(status).toBe(200);
  expect(text).toContain('<h1 dir="auto">Letters &lt;from&gt; the harbour</h1>');
  expect(text).toContain('Every month &amp; more');
  expect(text).toContain(
    `<a dir="auto" href="https://post.example/a/${book}/${letter}">New for you &amp; all</a>`,
  );
  expect(text).toContain('Hello reader');
  expect(text).not.toMatch(/Not for everyone|Still a draft/);
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  for (const id of [hidden, draft]) expect((await visit(`${book}/${id}`)).status).toBe(404);
});

test('a campaign is shown as anyone may see it', async () => {
  const { status, text, headers } = await visit(`${book}/${letter}`);
  expect(status).toBe(200);
  expect(text).toContain('Dear friend, !');
  expect(text).toMatch(/<p class="column" style="color: ?#123456;?">/);
  expect(text).toContain('src="https://shop.example/a.png"');
  expect(text).toContain('href="https://shop.example/"');
  expect(text).not.toMatch(
    /u0@|u1@|\/t\/|\/u\/|\/p\/|Unsubscribe|nobody\.invalid|<script|onclick|name="q"|evil/,
  );
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.* sandbox allow-popups/);
  expect(headers.get('set-cookie')).toBeNull();
});

test('rules that cannot be inlined, such as those for narrow screens, apply to the email alone', async () => {
  const { text } = await visit(`${book}/${letter}`);
  const [, sheet] = /<article class="email" dir="auto"><style>([^<]*)<\/style>/.exec(text)!;
  expect(sheet).toBe(
    '@media (max-width: 480px){:where([data-mail]) .column{width:100% !important}\n' +
      ':where([data-mail]) article:where([data-mail-body]),:where([data-mail]) .about{color:red}}',
  );
});

test('only an archive that says so may be listed by search engines', async () => {
  for (const path of [book, `${book}/${letter}`, `${book}/feed.xml`])
    expect((await visit(path)).headers.get('x-robots-tag')).toBe('noindex');
  await team.call('PATCH', `/contactBooks/${book}`, { archiveIndexed: true });
  expect((await visit(book)).headers.get('x-robots-tag')).toBe('all');
  await team.call('PATCH', `/contactBooks/${book}`, { archiveIndexed: null });
  expect((await visit(book)).headers.get('x-robots-tag')).toBe('noindex');
});

test('the feed has the campaigns, and is not sent again while nothing has changed', async () => {
  const { status, text, headers } = await visit(`${book}/feed.xml`);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/rss+xml; charset=utf-8']);
  expect(text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<rss version="2.0"/);
  expect(text).toContain('<title>New for you &amp; all</title>');
  // A description is HTML within XML.
  expect(text).toContain('<description>Every month &amp;amp; more</description>');
  expect(text).toContain(`<guid isPermaLink="true">https://post.example/a/${book}/${letter}</guid>`);
  expect(text).toMatch(/<pubDate>\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT<\/pubDate>/);
  expect((await visit(`${book}/feed.xml`, { 'if-none-match': headers.get('etag')! })).status).toBe(304);
});

test('the page speaks the language of its visitor', async () => {
  const { text } = await visit(`${book}/${letter}`, { 'accept-language': 'de' });
  expect(text).toContain('<html lang="de">');
  expect(text).toContain('Alle Ausgaben');
  for (const [language, title] of Object.entries({ fr: 'n’existe pas', es: 'no existe', nl: 'bestaat niet' }))
    expect((await visit('cbk_x', { 'accept-language': language })).text).toContain(title);
});

test('a campaign can be taken out and put back after it was sent, and nothing else changes then', async () => {
  const change = (body: object) => team.call('PATCH', `/campaigns/${letter}`, body);
  expect((await change({ showInArchive: false })).body).toMatchObject({
    showInArchive: false,
    status: 'SENT',
  });
  expect((await visit(`${book}/${letter}`)).status).toBe(404);
  expect((await visit(book)).text).not.toContain('New for you');
  expect((await change({ showInArchive: true, subject: 'Other' })).status).toBe(409);
  expect((await visit(`${book}/${letter}`)).status).toBe(404);
  expect((await change({ showInArchive: true })).status).toBe(200);
  expect((await visit(`${book}/${letter}`)).status).toBe(200);
  const other = await server.createTeam();
  expect((await other.call('PATCH', `/campaigns/${letter}`, { showInArchive: false })).status).toBe(404);
});

test('an archive that is unknown, off, or of another book is not found', async () => {
  const off = await addBook([]);
  const other = await addBook([], { archiveEnabled: true });
  for (const path of ['', 'x', book.slice(0, -1), 'cbk_%00', off, `${off}/feed.xml`, `${off}/${letter}`])
    expect([path, (await visit(path)).status]).toEqual([path, 404]);
  for (const path of [`${other}/${letter}`, `${book}/x`, `${book}/${letter}/x`, `${book}/${book}`])
    expect([path, (await visit(path)).status]).toEqual([path, 404]);
  expect((await visit(other)).text).toContain('There are no emails yet.');
  expect((await visit(`${book}?before=nonsense`)).status).toBe(200);
  expect((await visit(`${book}/${letter}`, {}, 'POST')).status).toBe(405);
  expect((await visit(book, {}, 'PUT')).status).toBe(405);
  expect((await visit(off, {}, 'POST')).status).toBe(404);
  await team.call('PATCH', `/contactBooks/${book}`, { archiveEnabled: false });
  for (const path of [book, `${book}/${letter}`, `${book}/feed.xml`])
    expect((await visit(path)).status).toBe(404);
  await team.call('PATCH', `/contactBooks/${book}`, { archiveEnabled: true });
});

function signUp(path: string, values: Record<string, string>) {
  return fetch(`${server.url}/a/${path}`, {
    method: 'POST',
    headers: { 'x-forwarded-for': `192.0.2.${++visitors}`, 'accept-language': 'de' },
    body: new URLSearchParams(values),
  });
}

async function findByEmail(email: string) {
  return (await team.call('GET', `/contactBooks/${book}/contacts?email=${encodeURIComponent(email)}`)).body
    .items[0];
}

test('every page has a form, whose sign-ups come from the archive, its email, or who brought them', async () => {
  for (const path of [book, `${book}/${letter}`]) {
    const { text, headers } = await visit(`${path}?ref=con_x`);
    expect(text).toContain(`action="https://post.example/a/${book}"`);
    expect(text).toContain('name="ref" value="con_x"');
    expect(headers.get('content-security-policy')).toMatch(/form-action ('self'|https:\/\/post\.example)/);
  }
  const answers = [];
  const given: Record<string, string>[] = [
    { email: 'archive@example.org' },
    { email: 'letter@example.org', campaign: letter },
    { email: 'archive@example.org' },
    { email: 'bot@example.org', 'your-website': 'x' },
  ];
  for (const values of given) answers.push(await (await signUp(book, values)).text());
  expect(new Set(answers).size).toBe(1);
  expect(await findByEmail('bot@example.org')).toBeUndefined();
  const first = await findByEmail('archive@example.org');
  expect(first).toMatchObject({
    subscribed: true,
    source: 'archive',
    sourceId: book,
    properties: { language: 'de' },
    consent: { source: 'archive', by: 'archive' },
  });
  expect(await findByEmail('letter@example.org')).toMatchObject({ source: 'archive', sourceId: letter });
  await signUp(book, { email: 'friend@example.org', ref: first.id, campaign: letter });
  expect(await findByEmail('friend@example.org')).toMatchObject({ source: 'referral', sourceId: first.id });
  await signUp(book, { email: 'other@example.org', ref: 'con_nobody' });
  expect(await findByEmail('other@example.org')).toMatchObject({ source: 'archive' });
  const { body: details } = await team.call('GET', `/contactBooks/${book}/contacts/${first.id}`);
  expect(details.referrals).toBe(1);
  const { body: growth } = await team.call('GET', `/contactBooks/${book}/growth`);
  expect(growth.sources).toContainEqual({
    source: 'referral',
    id: first.id,
    name: 'archive@example.org',
    joined: 1,
  });
});

test('a sign-up with a wrong address shows the form again, and someone who left has to confirm', async () => {
  const wrong = await signUp(book, { email: '"><b>' });
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toMatch(
    /role="alert"[\s\S]*value="&quot;&gt;&lt;b&gt;"|value="&quot;&gt;&lt;b&gt;"[\s\S]*role="alert"/,
  );
  const { body } = await team.call('POST', `/contactBooks/${book}/contacts`, {
    email: 'left@example.org',
    subscribed: false,
  });
  expect((await signUp(book, { email: 'left@example.org' })).status).toBe(200);
  const { body: left } = await team.call('GET', `/contactBooks/${book}/contacts/${body.contactId}`);
  expect(left.subscribed).toBe(false);
});

test('older campaigns are on further pages', async () => {
  await sql`
    insert into campaigns select (jsonb_populate_record(c, jsonb_build_object(
      'id', gen_random_uuid(), 'subject', 'Old ' || n, 'sent_at', now() - make_interval(days => n)
    ))).* from campaigns c, generate_series(1, 35) n where c.subject like 'New for%'
  `.execute(server.db);
  const first = (await visit(book)).text;
  expect(first.match(/<li>/g)).toHaveLength(30);
  const [, next] = /href="https:\/\/post\.example\/a\/([^"]*\?before=[^"]*)"/.exec(first)!;
  const second = (await visit(next!)).text;
  expect(second.match(/<li>/g)).toHaveLength(6);
  expect(second).toContain('Old 35');
  expect(second).not.toContain('?before=');
});

test('pages have the colors, the font and the logo of the brand, and can be read', async () => {
  await team.call('PATCH', '/brand', {
    logoUrl: 'https://shop.example/logo.png',
    backgroundColor: '#101820',
    contentColor: '#ffffff',
    textColor: '#f0f0f0',
    buttonColor: '#00aa55',
    fontFamily: 'serif',
  });
  const form = (await team.call('POST', '/forms', { name: 'F', contactBookId: book })).body.id;
  const pages = [`/a/${book}`, `/f/${form}`].map((path) => fetch(server.url + path));
  for (const page of await Promise.all(pages)) {
    const text = await page.text();
    expect(text).toContain('<img class="logo" src="https://shop.example/logo.png" alt="">');
    expect(text).toContain('--paper: #101820; --panel: #ffffff');
    expect(text).toContain("font-family: Georgia,'Times New Roman',serif");
    // White text on white would be unreadable.
    expect(text).not.toContain('--ink: #f0f0f0');
    expect(page.headers.get('content-security-policy')).toContain('img-src data: https://shop.example;');
  }
  // A host that would end the directive is left out of the policy.
  await team.call('PATCH', '/brand', { logoUrl: "https://a;script-src'unsafe-inline'.example/logo.png" });
  const { headers, text } = await visit(book);
  expect(headers.get('content-security-policy')).not.toContain('script-src');
  expect(text).not.toContain('<img class="logo"');
});
