import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../identity/api-keys/api-keys.ts';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let book: string;
const MISSING = '01kbd8x4zvf7m8rk2q3w5t6y7h';

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  book = await addBook(team);
});
afterAll(() => server.close());

async function addBook(owner: TestTeam, variables: string[] = ['city']): Promise<string> {
  return (await owner.call('POST', '/contactBooks', { name: 'Harbour', variables })).body.id;
}

async function addTopic(owner: TestTeam): Promise<string> {
  return (await owner.call('POST', '/topics', { name: 'Jobs' })).body.id;
}

async function add(input: object = {}) {
  return (await team.call('POST', '/forms', { name: 'Home', contactBookId: book, ...input })).body;
}

function idsOf({ items }: { items: { id: string }[] }): string[] {
  return items.map(({ id }) => id);
}

function page(id: string) {
  return fetch(`${server.url}/f/${id}`, { headers: { 'accept-language': 'fr' } });
}

test('a name and a contact book are enough for a form', async () => {
  const { status, body } = await team.call('POST', '/forms', { name: ' Home ', contactBookId: book });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: expect.stringMatching(/^frm_[0-9a-z]{26}$/),
    name: 'Home',
    contactBookId: book,
    fields: [{ name: 'email', label: null, required: true }],
    topicIds: [],
    texts: { title: null, button: null },
    colors: { background: null, button: null },
    redirectUrl: null,
    language: null,
    counts: { views: 0, signups: 0, confirmed: 0 },
  });
  expect(body.url).toBe(`${new URL(body.url).origin}/f/${body.id}`);
  expect(body.embedHtml).toContain(`<form action="${body.url}" method="post"`);
  expect(body.embedHtml).not.toMatch(/<script|<link|<img/);
  // The policy of the site may forbid the style that hides the field.
  expect(body.embedHtml).toMatch(/<p hidden [^>]*>.*name="your-website"/);
});

test('a form keeps its fields, texts, topics and colors, and the HTML for other sites has them escaped', async () => {
  const topic = await addTopic(team);
  const input = {
    fields: ['firstName', { name: 'city', label: 'Where "you" <live>', required: true }],
    topicIds: [topic, topic],
    texts: { title: 'News', button: 'Join & read', note: '' },
    colors: { button: '#0B5D3B' },
    redirectUrl: 'https://example.org/thanks?a=1',
    language: 'de',
  };
  const form = await add(input);
  expect(form).toMatchObject({
    fields: [
      { name: 'email', label: null, required: true },
      { name: 'firstName', label: null, required: false },
      { name: 'city', label: 'Where "you" <live>', required: true },
    ],
    topicIds: [topic],
    texts: { title: 'News', button: 'Join & read', note: null },
    colors: { button: '#0B5D3B', buttonText: null },
    redirectUrl: 'https://example.org/thanks?a=1',
    language: 'de',
  });
  expect(form.embedHtml).toContain('Join &amp; read');
  expect(form.embedHtml).toContain('Vorname');
  expect(form.embedHtml).not.toContain('<live>');
  expect((await team.call('GET', `/forms/${form.id}`)).body).toEqual(form);
});

test('PATCH changes what it names, merges texts, and null restores the default', async () => {
  const form = await add({
    texts: { title: 'A', note: 'B' },
    redirectUrl: 'https://example.org/',
    fields: ['city'],
  });
  const path = `/forms/${form.id}`;
  expect((await team.call('PATCH', path, {})).body).toEqual(form);
  const { body } = await team.call('PATCH', path, {
    name: 'Shop',
    texts: { title: null, description: 'C' },
    redirectUrl: null,
    fields: null,
  });
  expect(body).toMatchObject({
    name: 'Shop',
    texts: { title: null, description: 'C', note: 'B' },
    redirectUrl: null,
    fields: [{ name: 'email' }],
  });
  expect(body.fields).toHaveLength(1);
});

test('a form moves to another book only if that book has its fields', async () => {
  const form = await add({ fields: ['city'] });
  const other = await addBook(team, []);
  const move = (more: object) => team.call('PATCH', `/forms/${form.id}`, { contactBookId: other, ...more });
  expect((await move({})).status).toBe(400);
  expect((await move({ fields: [] })).body).toMatchObject({ contactBookId: other });
});

test.each([
  ['no name', { name: '' }],
  ['4,000 spaces as the name', { name: ' '.repeat(4000) }],
  ['a NUL in a text', { texts: { title: 'a\0b' } }],
  ['a lone surrogate in a label', { fields: [{ name: 'city', label: '\ud800' }] }],
  ['an over-long title', { texts: { title: 'x'.repeat(201) } }],
  ['a script as the redirect', { redirectUrl: 'javascript:alert(1)' }],
  ['a relative redirect', { redirectUrl: '//example.org' }],
  ['a redirect without slashes', { redirectUrl: 'https:example.org' }],
  ['a line break in the redirect', { redirectUrl: 'https://example.org/\r\nSet-Cookie: a=b' }],
  ['a backslash in the redirect', { redirectUrl: 'https://example.org\\@evil.test' }],
  ['a color that could hold CSS', { colors: { button: 'red;} body{display:none' } }],
  ['an unknown language', { language: 'tlh' }],
  ['an unknown variable', { fields: ['street'] }],
  ['a field twice', { fields: ['city', { name: 'CITY' }] }],
  ['a number as a field', { fields: [7] }],
  ['51 fields', { fields: Array.from({ length: 51 }, (_, no) => `v${no}`) }],
  ['texts that are a list', { texts: ['x'] }],
])('%s is refused with 400', async (_, wrong) => {
  const { status, body } = await team.call('POST', '/forms', { name: 'Home', contactBookId: book, ...wrong });
  expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
});

test('unknown books and topics, and those of other teams, are not found', async () => {
  const stranger = await server.createTeam();
  const foreign = [await addBook(stranger), `cbk_${MISSING}`, 'x'];
  for (const contactBookId of foreign)
    expect((await team.call('POST', '/forms', { name: 'Home', contactBookId })).status).toBe(404);
  for (const topicId of [await addTopic(stranger), `top_${MISSING}`, 'x']) {
    const input = { name: 'Home', contactBookId: book, topicIds: [topicId] };
    expect((await team.call('POST', '/forms', input)).status).toBe(404);
  }
  const form = await add();
  for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const)
    expect((await stranger.call(method, `/forms/${form.id}`, body)).status).toBe(404);
  expect((await stranger.call('GET', '/forms')).body.items).toEqual([]);
});

test('forms are listed newest first, in pages, and by book', async () => {
  const owner = await server.createTeam();
  const [one, two] = [await addBook(owner), await addBook(owner)];
  const ids: string[] = [];
  for (const contactBookId of [one, two, one])
    ids.unshift((await owner.call('POST', '/forms', { name: 'F', contactBookId })).body.id);
  const list = async (query: string) => (await owner.call('GET', `/forms?${query}`)).body;
  const first = await list('limit=2');
  const rest = await list(`limit=2&cursor=${first.next_cursor}`);
  expect([...idsOf(first), ...idsOf(rest)]).toEqual(ids);
  expect(rest.next_cursor).toBeNull();
  expect(idsOf(await list(`contactBookId=${two}`))).toEqual([ids[1]]);
  expect((await owner.call('GET', '/forms?cursor=x')).status).toBe(400);
  expect((await owner.call('GET', `/forms?contactBookId=${book}`)).status).toBe(404);
});

test('deleting a form, or its book, removes it and its page', async () => {
  const form = await add();
  const ofBook = await addBook(team);
  const second = await add({ contactBookId: ofBook });
  expect((await page(form.id)).status).toBe(200);
  expect((await team.call('DELETE', `/forms/${form.id}`)).body).toEqual({ id: form.id, success: true });
  await team.call('DELETE', `/contactBooks/${ofBook}`);
  for (const { id } of [form, second]) {
    expect((await team.call('GET', `/forms/${id}`)).status).toBe(404);
    const gone = await page(id);
    expect([gone.status, await gone.text()]).toEqual([404, expect.stringContaining('n’existe pas')]);
  }
});

test('a deleted topic and a removed variable disappear from the form', async () => {
  const topic = await addTopic(team);
  const own = await addBook(team, ['city', 'street']);
  const form = await add({ contactBookId: own, topicIds: [topic], fields: ['street'] });
  await team.call('DELETE', `/topics/${topic}`);
  await team.call('PATCH', `/contactBooks/${own}`, { variables: ['city'] });
  const { body } = await team.call('GET', `/forms/${form.id}`);
  expect(body).toMatchObject({ topicIds: [], fields: [{ name: 'email' }] });
  expect(body.fields).toHaveLength(1);
});

test('a key that is bound to a domain cannot use forms', async () => {
  const { body: domain } = await team.call('POST', '/domains', { name: 'forms-bound.test' });
  const bound = await createApiKey(server.db, team.teamId, {
    name: 'Bound',
    permission: 'full',
    domainId: domain.id,
  });
  const { status } = await server.call('GET', '/forms', undefined, { authorization: `Bearer ${bound.key}` });
  expect(status).toBe(403);
});

test('the preview has the texts that were sent, and stores nothing', async () => {
  const before = (await team.call('GET', '/forms?limit=100')).body.items.length;
  const input = { contactBookId: book, texts: { title: '<b>Soon</b>' }, colors: { background: '#000000' } };
  const { status, body } = await team.call('POST', '/forms/preview', input);
  expect(status).toBe(200);
  expect(body.html).toContain('&lt;b&gt;Soon&lt;/b&gt;');
  expect(body.html).toContain('--paper: #000000');
  expect((await team.call('GET', '/forms?limit=100')).body.items).toHaveLength(before);
});
