import vm from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let book: string;
let people = 0;
let networks = 0;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  const input = { name: 'Harbour <News>', variables: ['city'] };
  book = (await team.call('POST', '/contactBooks', input)).body.id;
});
afterAll(() => server.close());

async function addForm(more: object = {}) {
  return (await team.call('POST', '/forms', { name: 'Home', contactBookId: book, ...more })).body;
}

function newEmail(): string {
  return `visitor${++people}@example.org`;
}

/** Each call comes from another client network, unless `headers` names one. */
function send(formId: string, body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}) {
  return fetch(`${server.url}/f/${formId}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'x-forwarded-for': `198.51.100.${++networks % 250}`, ...headers },
    body,
  });
}

function submit(formId: string, values: Record<string, string>, headers: Record<string, string> = {}) {
  return send(formId, new URLSearchParams(values), headers);
}

function page(formId: string, headers: Record<string, string> = {}) {
  return fetch(`${server.url}/f/${formId}`, { headers });
}

async function find(email: string) {
  const path = `/contactBooks/${book}/contacts?email=${encodeURIComponent(email)}`;
  return (await team.call('GET', path)).body.items[0];
}

async function countContacts(): Promise<number> {
  return (await team.call('GET', `/contactBooks/${book}`)).body._count.contacts;
}

/** Returns the inputs of the page with their values. */
function inputsOf(html: string): Record<string, string> {
  return Object.fromEntries(
    [...html.matchAll(/<input [^>]*>/g)].map(([input]) => [
      /name="([^"]*)"/.exec(input)![1]!,
      /value="([^"]*)"/.exec(input)?.[1] ?? '',
    ]),
  );
}

test('the page escapes its texts, may be framed, and loads nothing', async () => {
  const form = await addForm({
    fields: [{ name: 'city', label: '"><script>' }],
    texts: { note: '<i>x</i>' },
  });
  const answer = await page(form.id);
  const html = await answer.text();
  expect(html).toContain('Subscribe to “Harbour &lt;News&gt;”');
  expect(html).not.toMatch(/<script|<i>|src=|@import/);
  const policy = answer.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain('frame-ancestors *');
  expect(answer.headers.get('set-cookie')).toBeNull();
});

test('the page is in the language of the form, or else of the visitor', async () => {
  const german = { 'accept-language': 'de' };
  expect(await (await page((await addForm()).id, german)).text()).toContain('Abonnieren');
  expect(await (await page((await addForm({ language: 'nl' })).id, german)).text()).toContain('Aanmelden');
});

test('the fields of the page and of the HTML for other sites can be sent as they are', async () => {
  const form = await addForm();
  for (const html of [await (await page(form.id)).text(), form.embedHtml]) {
    const email = newEmail();
    expect((await submit(form.id, { ...inputsOf(html), email })).status).toBe(200);
    expect(await find(email)).toMatchObject({ subscribed: true });
  }
});

test('views are counted, but not those of HEAD and prefetching, and they subscribe nobody', async () => {
  const form = await addForm();
  const before = await countContacts();
  const email = newEmail();
  await Promise.all(Array.from({ length: 300 }, () => page(`${form.id}?email=${email}`)));
  await page(form.id, { 'sec-purpose': 'prefetch' });
  await fetch(`${server.url}/f/${form.id}`, { method: 'HEAD' });
  const views = async () => (await team.call('GET', `/forms/${form.id}`)).body.counts.views;
  await expect.poll(views).toBe(300);
  expect(await countContacts()).toBe(before);
});

test('a contact has the language of the page that was used, and keeps the one that is known', async () => {
  const [free, german] = [await addForm(), await addForm({ language: 'de' })];
  const [one, other] = [newEmail(), newEmail()];
  await submit(free.id, { email: one }, { 'accept-language': 'fr-CA' });
  await submit(german.id, { email: other }, { 'accept-language': 'fr' });
  expect([await find(one), await find(other)]).toMatchObject([
    { properties: { language: 'fr' } },
    { properties: { language: 'de' } },
  ]);
  await submit(german.id, { email: one });
  expect((await find(one)).properties.language).toBe('fr');
});

test('a submission that fills in the hidden field gets the usual answer and is not stored', async () => {
  const form = await addForm();
  const email = newEmail();
  const usual = await submit(form.id, { email: newEmail() });
  const answer = await submit(form.id, { email, 'your-website': 'https://spam.example' });
  expect([answer.status, await answer.text()]).toEqual([200, await usual.text()]);
  expect(await find(email)).toBeUndefined();
});

test('a forged time stamp, or that of another form, shows the form again with what was filled in', async () => {
  const [form, other] = [await addForm({ fields: ['city'] }), await addForm()];
  const foreign = inputsOf(await (await page(other.id)).text())['opened-at']!;
  for (const stamp of ['x', 'A'.repeat(30), foreign, `${foreign}${foreign}`]) {
    const email = newEmail();
    const answer = await submit(form.id, { email, city: 'Ghent', 'opened-at': stamp });
    const html = await answer.text();
    expect([answer.status, inputsOf(html)]).toMatchObject([400, { email, city: 'Ghent' }]);
    expect(await find(email)).toBeUndefined();
    const again = await submit(form.id, inputsOf(html));
    expect([again.status, await find(email)]).toMatchObject([200, { properties: { city: 'Ghent' } }]);
  }
});

test.each([
  ['no email', {}],
  ['4,000 spaces as the email', { email: ' '.repeat(4000) }],
  ['an invalid email', { email: 'ada@' }],
  ['two emails', { email: 'a@example.org, b@example.org' }],
  ['a line break in the email', { email: 'a@example.org\r\nbcc: b@example.org' }],
  ['an over-long email', { email: `${'a'.repeat(400)}@example.org` }],
  ['a NUL in a name', { email: 'ok@example.org', firstName: 'a\0b', city: 'x' }],
  ['an over-long name', { email: 'ok@example.org', firstName: 'é'.repeat(201), city: 'x' }],
  ['a required field of spaces', { email: 'ok@example.org', city: ' '.repeat(4000) }],
  ['a required field that is missing', { email: 'ok@example.org' }],
])('%s shows the form again with a message, and changes nothing', async (_, values) => {
  const form = await addForm({ fields: ['firstName', { name: 'city', required: true }] });
  const before = await countContacts();
  const answer = await submit(form.id, values);
  const html = await answer.text();
  expect([answer.status, html]).toEqual([400, expect.stringContaining('role="alert"')]);
  expect(html).toContain('<form');
  const json = await submit(form.id, values, { accept: 'application/json' });
  expect([json.status, await json.json()]).toMatchObject([400, { error: { code: 'BAD_REQUEST' } }]);
  expect(await countContacts()).toBe(before);
});

test.each([
  ['JSON', 'application/json', '{"email":"a@example.org"}', 400],
  ['plain text', 'text/plain', 'email=a@example.org', 400],
  ['invalid percent-encoding', 'application/x-www-form-urlencoded', 'email=%E0%A4%A', 400],
  ['bytes that are not UTF-8', 'application/x-www-form-urlencoded', Buffer.from([0x65, 0x3d, 0xff]), 400],
  ['3,000 fields', 'application/x-www-form-urlencoded', 'a=1&'.repeat(3000), 400],
  ['70 kB', 'application/x-www-form-urlencoded', `email=a@example.org&x=${'x'.repeat(70_000)}`, 413],
])('a body of %s is refused', async (_, type, body, status) => {
  const form = await addForm();
  const before = await countContacts();
  const answer = await send(form.id, body, { 'content-type': type });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
  expect(await countContacts()).toBe(before);
});

test('after a success the visitor is sent to redirectUrl', async () => {
  const form = await addForm({ redirectUrl: 'https://example.org/thänks' });
  const answer = await submit(form.id, { email: newEmail() });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, 'https://example.org/th%C3%A4nks']);
  expect((await submit(form.id, { email: '' })).status).toBe(400);
  expect((await page(form.id)).headers.get('content-security-policy')).toContain(
    "form-action 'self' http: https:",
  );
});

test('a script of another site gets JSON, without credentials', async () => {
  const form = await addForm({ texts: { thankYou: 'Done' } });
  const origin = { origin: 'https://shop.example' };
  const preflight = await fetch(`${server.url}/f/${form.id}`, { method: 'OPTIONS', headers: origin });
  expect(preflight.status).toBe(204);
  const email = newEmail();
  const values = new FormData();
  values.set('email', email);
  const answer = await send(form.id, values, { ...origin, accept: 'application/json' });
  for (const { headers } of [preflight, answer]) {
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  }
  expect(await answer.json()).toEqual({
    success: true,
    title: 'Thank you',
    message: 'Done',
    redirectUrl: null,
  });
  expect(await find(email)).toMatchObject({ subscribed: true });
  const api = await fetch(`${server.url}/api/v1/forms`, {
    headers: { authorization: `Bearer ${team.key}`, ...origin },
  });
  expect(api.headers.get('access-control-allow-origin')).toBeNull();
});

test('one network and one address can sign up only so often', async () => {
  const form = await addForm();
  const statusOf = async (email: string, headers: Record<string, string>) => {
    const answer = await submit(form.id, { email }, headers);
    if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    return answer.status;
  };
  const network = { 'x-forwarded-for': '203.0.113.9' };
  const before = await countContacts();
  const ofNetwork = [];
  for (let no = 0; no < 20; no++) ofNetwork.push(await statusOf(newEmail(), network));
  expect(ofNetwork).toEqual([...Array(15).fill(200), ...Array(5).fill(429)]);
  expect(await countContacts()).toBe(before + 15);
  expect(await statusOf(newEmail(), {})).toBe(200);

  const ofAddress = [];
  const email = newEmail();
  for (let no = 0; no < 12; no++) ofAddress.push(await statusOf(no % 2 ? email : email.toUpperCase(), {}));
  expect(ofAddress).toEqual([...Array(10).fill(200), 429, 429]);
});

test('an unknown form is a page with 404, in JSON too, and other methods are rejected', async () => {
  for (const id of ['', 'x', 'frm_01kbd8x4zvf7m8rk2q3w5t6y7h', book, '%00', '../healthz']) {
    const answer = await fetch(`${server.url}/f/${id.replace('..', '%2e%2e%2f')}`, {
      headers: { accept: 'text/html' },
    });
    expect([id, answer.status]).toEqual([id, 404]);
    expect(await answer.text()).toContain('This form does not exist');
  }
  const json = await submit(
    'frm_01kbd8x4zvf7m8rk2q3w5t6y7h',
    { email: newEmail() },
    { accept: 'application/json' },
  );
  expect([json.status, await json.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
  const put = await fetch(`${server.url}/f/${(await addForm()).id}`, { method: 'PUT' });
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
});

test('the form is a small script without cookies, which other sites show in their pages', async () => {
  const form = await addForm({
    fields: ['firstName', 'city'],
    texts: { title: '</script><b>', description: 'Twice a month' },
    colors: { button: '#0b5d3b' },
  });
  expect(form.embedScripts.popup).toBe(`<script async src="${form.url}.js" data-style="popup"></script>`);
  const answer = await page(`${form.id}.js`);
  const script = await answer.text();
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/javascript; charset=utf-8',
  ]);
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(Buffer.byteLength(script)).toBeLessThanOrEqual(5_000);
  expect(script).not.toMatch(/cookie|<\/script/);
  expect(script).toContain('#0b5d3b');
  expect(() => new vm.Script(script)).not.toThrow();
  expect((await page('frm_nothing.js')).status).toBe(404);
  expect((await submit(`${form.id}.js`, { email: newEmail() })).status).toBe(405);
});

test('a form and an archive whose words are right to left are so as a whole', async () => {
  const texts = { title: 'رسائل الميناء', description: 'كل شهر', button: 'اشترك', thankYouTitle: 'شكرا' };
  const fields = [{ name: 'email', label: 'البريد الإلكتروني', required: true }];
  const arabic = await addForm({ texts, fields, language: 'de' });
  const html = await (await page(arabic.id)).text();
  expect(html).toContain('<html lang="de" dir="rtl">');
  expect(html).not.toMatch(/[^-]left: -9999px/);
  expect(await (await submit(arabic.id, { email: newEmail() })).text()).toContain('dir="rtl"');

  const plain = await addForm({ language: 'de' });
  expect(await (await page(plain.id)).text()).toContain('<html lang="de">');

  const { body } = await team.call('POST', '/contactBooks', { name: 'أخبار' });
  await team.call('PATCH', `/contactBooks/${body.id}`, { archiveEnabled: true });
  const archive = await fetch(`${server.url}/a/${body.id}`, { headers: { 'accept-language': 'fr' } });
  expect(await archive.text()).toContain('<html lang="fr" dir="rtl">');
});
