import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import type { SavedReply } from './saved-replies.schema.ts';

let server: TestServer;
let team: TestTeam;
let other: TestTeam;
let domainId: number;
let count = 0;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  other = await server.createTeam();
  domainId = await addDomain(server.db, team.teamId, 'harbour.test');
  await addDomain(server.db, team.teamId, 'second.test');
  await addDomain(server.db, other.teamId, 'other.test');
});
afterAll(() => server.close());

/** Creates a mailbox and returns the path of its saved replies. */
async function createBox(owner = team, domain = 'harbour.test', name?: string): Promise<string> {
  const address = `box${(count += 1)}@${domain}`;
  const { body } = await owner.call('POST', '/mailboxes', { address, name });
  return `/mailboxes/${body.id}/saved-replies`;
}

async function save(path: string, input: object = {}): Promise<SavedReply> {
  const { status, body } = await team.call('POST', path, { name: 'Thanks', html: '<p>x</p>', ...input });
  expect(status).toBe(200);
  return body;
}

async function addContact(owner: TestTeam, contact: object): Promise<void> {
  const { body } = await owner.call('POST', '/contactBooks', { name: 'Book' });
  expect((await owner.call('POST', `/contactBooks/${body.id}/contacts`, contact)).status).toBe(200);
}

async function namesOf(path: string): Promise<string[]> {
  const { body } = await team.call('GET', path);
  return body.items.map(({ name }: SavedReply) => name);
}

describe('saving', () => {
  test('a reply is returned as stored: trimmed and sanitized', async () => {
    const path = await createBox();
    const { status, body } = await team.call('POST', path, {
      name: '  Thank you ',
      html: '<p onclick="x()">Hi <script>alert(1)</script><a href="javascript:x()">you</a></p>',
      colour: 'ignored',
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^srp_[a-z0-9]{26}$/),
      name: 'Thank you',
      html: '<p>Hi <a>you</a></p>',
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      folder: null,
      actions: [],
      attachments: [],
    });
    expect((await team.call('GET', path)).body).toEqual({ items: [body] });
    const again = await save(path, { html: body.html });
    expect(again.html).toBe(body.html);
  });

  test('removing an image that is not allowed leaves the content around it unchanged', async () => {
    const table = '<table><tr><td>Monday</td></tr></table><p>Until then</p>';
    const { html } = await save(await createBox(), { html: `<img src="logo.png">${table}` });
    expect(html).toBe(table);
  });

  test.each([
    ['no name', { html: 'x' }],
    ['no html', { name: 'x' }],
    ['an empty name', { name: '', html: 'x' }],
    ['a name of blanks', { name: ' \t ', html: 'x' }],
    ['a name of 201 characters', { name: 'x'.repeat(201), html: 'x' }],
    ['a name that is a number', { name: 7, html: 'x' }],
    ['html that is null', { name: 'x', html: null }],
    ['html of 100,001 characters', { name: 'x', html: '😀'.repeat(100_001) }],
    ['a NUL', { name: 'x\0', html: 'x' }],
    ['half a pair', { name: 'x', html: '\ud800' }],
    ['an array', []],
    ['null', 'null'],
    ['broken JSON', '{"name":'],
    ['nothing', undefined],
  ])('%s is refused, and nothing is stored', async (_what, input) => {
    const path = await createBox();
    const { status, body } = await team.call('POST', path, input, { 'content-type': 'application/json' });
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect(await namesOf(path)).toEqual([]);
  });

  test('the longest name and html are accepted, and so is an empty html', async () => {
    const path = await createBox();
    const name = '😀'.repeat(200);
    expect((await save(path, { name: ` ${name} `, html: '😀'.repeat(100_000) })).name).toBe(name);
    expect((await save(path, { html: '' })).html).toBe('');
  });

  test('a body over 2 MiB is 400, not 413', async () => {
    const path = await createBox();
    const reply = await save(path);
    const body = JSON.stringify({ name: 'x', html: 'x'.repeat(2 * 1024 * 1024) });
    for (const [method, target] of [
      ['POST', path],
      ['PATCH', `${path}/${reply.id}`],
    ] as const) {
      const answer = await team.call(method, target, body, { 'content-type': 'application/json' });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'BAD_REQUEST']);
    }
  });

  test('the 101st is rejected, even with concurrent requests', async () => {
    const path = await createBox();
    await Promise.all(Array.from({ length: 95 }, (_, at) => save(path, { name: `Reply ${at}` })));
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => team.call('POST', path, { name: 'One more', html: '' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    for (const { status, body } of answers) {
      if (status !== 200) expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
    }
    const names = await namesOf(path);
    expect(names).toHaveLength(100);
    const full = await team.call('POST', path, { name: 'One more', html: '' });
    expect([full.status, full.body.error.code]).toEqual([400, 'BAD_REQUEST']);
    // Deleting one frees a slot, and another mailbox has its own limit.
    const { items } = (await team.call('GET', path)).body;
    await team.call('DELETE', `${path}/${items[0].id}`);
    await save(path);
    await save(await createBox());
  });
});

test('saved replies are listed by name, ignoring case, then oldest first', async () => {
  const path = await createBox();
  for (const name of ['beta', 'Alpha', 'alpha', 'GAMMA', 'Über', 'über', '_x', '10'])
    await save(path, { name });
  expect(await namesOf(path)).toEqual(['10', '_x', 'Alpha', 'alpha', 'beta', 'GAMMA', 'Über', 'über']);
  expect(await namesOf(await createBox())).toEqual([]);
});

describe('changing', () => {
  test('either field, or both', async () => {
    const path = await createBox();
    const reply = await save(path);
    const target = `${path}/${reply.id}`;
    const renamed = await team.call('PATCH', target, { name: ' Bye ' });
    expect(renamed.body).toMatchObject({ id: reply.id, name: 'Bye', html: '<p>x</p>' });
    const rewritten = await team.call('PATCH', target, { html: '<b onclick=x>y' });
    expect(rewritten.body).toMatchObject({ name: 'Bye', html: '<b>y</b>' });
    const both = await team.call('PATCH', target, { name: 'Both', html: '' });
    expect(both.body).toMatchObject({ name: 'Both', html: '' });
    expect(both.body.updated_at > reply.updated_at).toBe(true);
    expect((await team.call('GET', path)).body.items).toEqual([both.body]);
  });

  test.each([
    ['neither field', {}],
    ['only fields that we do not know', { colour: 'red' }],
    ['an empty name', { name: ' ' }],
    ['a name that is null', { name: null }],
    ['html that is null', { html: null }],
    ['one good field and one bad', { name: 'New', html: 7 }],
    ['html that is too long', { html: 'x'.repeat(100_001) }],
    ['an array', []],
  ])('%s is refused, also for an unknown reply, and nothing changes', async (_what, update) => {
    const path = await createBox();
    const reply = await save(path);
    for (const id of [reply.id, 'srp_unknown']) {
      const { status, body } = await team.call('PATCH', `${path}/${id}`, update);
      expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
    }
    expect((await team.call('GET', path)).body.items).toEqual([reply]);
  });

  test('a deleted reply is not found', async () => {
    const path = await createBox();
    const { id } = await save(path);
    const { status, body } = await team.call('DELETE', `${path}/${id}`);
    expect([status, body]).toEqual([200, { id, success: true }]);
    expect((await team.call('DELETE', `${path}/${id}`)).status).toBe(404);
    expect((await team.call('PATCH', `${path}/${id}`, { name: 'x' })).status).toBe(404);
    expect(await namesOf(path)).toEqual([]);
  });

  test('deleting a mailbox deletes its replies', async () => {
    const path = await createBox();
    await save(path);
    await team.call('DELETE', path.replace('/saved-replies', ''));
    expect((await team.call('GET', path)).status).toBe(404);
    const key = path.split('/')[2]!;
    expect((await team.call('POST', `/mailboxes/${key}/saved-replies`, { name: 'x', html: '' })).status).toBe(
      404,
    );
  });
});

describe('access', () => {
  test('replies of another mailbox or team are not found and stay unchanged', async () => {
    const path = await createBox();
    const reply = await save(path);
    const second = await createBox();
    const foreign = await createBox(other, 'other.test');
    for (const [call, base] of [
      [team.call, second],
      [other.call, path],
      [other.call, foreign],
      [team.call, foreign],
      [team.call, '/mailboxes/mbx_unknown/saved-replies'],
    ] as const) {
      const target = `${base}/${reply.id}`;
      for (const answer of [
        await call('PATCH', target, { name: 'Stolen' }),
        await call('DELETE', target),
        await call('POST', `${target}/fill`, { to: 'x@example.com' }),
      ]) {
        expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND']);
      }
    }
    for (const [method, body] of [
      ['GET', undefined],
      ['POST', { name: 'x', html: '' }],
    ] as const) {
      expect((await other.call(method, path, body)).status).toBe(404);
    }
    expect((await team.call('GET', path)).body.items).toEqual([reply]);
  });

  test.each(['a.b', 'a%20b', 'x'.repeat(65), '%C3%A4'])('the id %s is refused', async (id) => {
    const path = await createBox();
    const { id: replyId } = await save(path);
    for (const [method, target, body] of [
      ['GET', `/mailboxes/${id}/saved-replies`, undefined],
      ['POST', `/mailboxes/${id}/saved-replies`, { name: 'x', html: '' }],
      ['PATCH', `/mailboxes/${id}/saved-replies/${replyId}`, { name: 'x' }],
      ['PATCH', `${path}/${id}`, { name: 'x' }],
      ['DELETE', `${path}/${id}`, undefined],
    ] as const) {
      const answer = await team.call(method, target, body);
      expect([answer.status, answer.body.error.code]).toEqual([400, 'BAD_REQUEST']);
    }
    expect((await team.call('PATCH', `${path}/${'x'.repeat(64)}`, { name: 'x' })).status).toBe(404);
  });

  test('requires a full-access key, and a key bound to a domain reaches only its mailboxes', async () => {
    const path = await createBox();
    const elsewhere = await createBox(team, 'second.test');
    expect((await server.call('GET', path)).status).toBe(401);
    const keys = await Promise.all(
      [{ permission: 'sending' }, { permission: 'full', domainId }].map((input) =>
        team.call('POST', '/api-keys', { name: 'k', ...input }),
      ),
    );
    const [sending, bound] = keys.map(({ body }) => createCall(server.url, body.key));
    // Permission is checked before the input.
    const refused = await sending!('PATCH', `${path}/a.b`, {});
    expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN']);
    expect((await bound!('GET', path)).status).toBe(200);
    expect((await bound!('GET', elsewhere)).status).toBe(404);
  });
});

test('the same request with an idempotency key saves once', async () => {
  const path = await createBox();
  const headers = { 'idempotency-key': `saved-${count}` };
  const input = { name: 'Once', html: '<p>x</p>' };
  const [first, second] = [
    await team.call('POST', path, input, headers),
    await team.call('POST', path, input, headers),
  ];
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(await namesOf(path)).toEqual(['Once']);
});

test('content that a browser shows outside a removed element is kept', async () => {
  const path = await createBox();
  for (const html of [
    '<svg/onload=x><p>new</p>',
    '<math><mi>x</mi><p>new</p>',
    '<svg><script>x()<p>new</p>',
  ]) {
    expect((await save(path, { html })).html).toBe('<p>new</p>');
  }
});

describe('filling in', () => {
  const html =
    '<p>Dear {{contact.firstName}} {{ contact.lastName }}, {{contact.firstName,fallback=<b>friend</b>}} &lt;{{contact.email}}&gt;</p><p>{{mailbox.name}}, {{mailbox.address}} {{other.thing}} {{contact.phone}}</p>';

  test('uses the newest contact with that address in any book and escapes values', async () => {
    const path = await createBox(team, 'harbour.test', 'Ada & Co');
    const reply = await save(path, { html });
    const { address } = (await team.call('GET', path.replace('/saved-replies', ''))).body;
    await addContact(team, { email: 'eve@example.com', firstName: 'Old', lastName: 'Name' });
    await addContact(team, {
      email: 'EVE@example.com',
      firstName: '<img src=x onerror=alert(1)>',
      lastName: '"E"',
    });
    await addContact(other, { email: 'eve@example.com', firstName: 'Foreign' });
    const { status, body } = await team.call('POST', `${path}/${reply.id}/fill`, { to: 'Eve@example.com' });
    expect(status).toBe(200);
    const first = '&lt;img src=x onerror=alert(1)&gt;';
    expect(body).toEqual({
      html: `<p>Dear ${first} &quot;E&quot;, ${first} &lt;Eve@example.com&gt;</p><p>Ada &amp; Co, ${address} {{other.thing}} {{contact.phone}}</p>`,
      unfilled: ['other.thing', 'contact.phone'],
      unknown: ['other.thing', 'contact.phone'],
      actions: [],
      attachments: [],
    });
  });

  test('supports the same tags as campaigns and escapes values for their context', async () => {
    const path = await createBox();
    const { body: book } = await team.call('POST', '/contactBooks', { name: 'Book', variables: ['plan'] });
    await team.call('POST', `/contactBooks/${book.id}/contacts`, {
      email: 'both@example.com',
      firstName: 'Ada & Co',
      properties: { city: 'Bath', page: 'javascript:alert(1)' },
    });
    const reply = await save(path, {
      html:
        '<p>{{firstName}}, {{contact.firstName}}, {{email}}, {{city}}, {{contact.City}}, [{{plan}}], {{plan,fallback=free}}, {{frstName}}</p>' +
        '<p><a href="https://a.example/?n={{firstName}}">a</a><a href="mailto:{{email}}">m</a></p>',
    });
    const { body } = await team.call('POST', `${path}/${reply.id}/fill`, { to: 'both@example.com' });
    expect(body).toEqual({
      html:
        '<p>Ada &amp; Co, Ada &amp; Co, both@example.com, Bath, Bath, [{{plan}}], free, {{frstName}}</p>' +
        '<p><a href="https://a.example/?n=Ada%20%26%20Co">a</a><a href="mailto:both@example.com">m</a></p>',
      unfilled: ['plan', 'frstName'],
      unknown: ['frstName'],
      actions: [],
      attachments: [],
    });
  });

  test('works the same for a message that is being written', async () => {
    const path = (await createBox()).replace('/saved-replies', '/fill');
    await addContact(team, { email: 'late@example.com', firstName: 'Late & Co' });
    const written =
      '<p>Dear {{firstName}} {{lastName}},</p><p><a href="https://a.example/?n={{firstName}}">x</a></p>';
    const { body } = await team.call('POST', path, { to: 'late@example.com', html: written });
    expect(body).toEqual({
      html: '<p>Dear Late &amp; Co {{lastName}},</p><p><a href="https://a.example/?n=Late%20%26%20Co">x</a></p>',
      unfilled: ['lastName'],
      unknown: [],
    });
    for (const bad of [
      { to: 'late@example.com' },
      { html: '' },
      { to: 'x@y.example', html: 'x'.repeat(100_001) },
    ])
      expect((await team.call('POST', path, bad)).status).toBe(400);
    expect((await other.call('POST', path, { to: 'late@example.com', html: '' })).status).toBe(404);
  });

  test('knows only the address of a recipient without a contact, and uses the address of an unnamed mailbox', async () => {
    const path = await createBox();
    const reply = await save(path, { html });
    const { body } = await team.call('POST', `${path}/${reply.id}/fill`, { to: 'nobody@example.com' });
    expect(body.html).toContain(
      '<p>Dear {{contact.firstName}} {{ contact.lastName }}, <b>friend</b> &lt;nobody@example.com&gt;</p>',
    );
    expect(body.html).toMatch(/<p>(box\d+@harbour\.test), \1 /);
    expect((await team.call('GET', path)).body.items[0].html).toBe(reply.html);
  });

  test.each([{}, { to: '' }, { to: 'nobody' }, { to: ['a@example.com'] }])('%j is refused', async (input) => {
    const path = await createBox();
    const reply = await save(path);
    const { status, body } = await team.call('POST', `${path}/${reply.id}/fill`, input);
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
  });
});
