import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  team = await server.createTeam();
  await addDomain('shop.test');
});

async function addDomain(name: string): Promise<number> {
  const { body } = await team.call('POST', '/domains', { name });
  await sql`update domains set held = false where name = ${name}`.execute(server.db);
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${body.id}`.execute(server.db);
  return body.id;
}

async function send(subject: string, to: string | string[], more: object = {}): Promise<string> {
  const email = { from: 'hello@shop.test', to, subject, text: 'Hello', ...more };
  return (await team.call('POST', '/emails', email)).body.emailId;
}

async function find(search: string, more = ''): Promise<string[]> {
  const { status, body } = await team.call('GET', `/emails?search=${encodeURIComponent(search)}${more}`);
  expect(status).toBe(200);
  return body.items.map((item: { subject: string }) => item.subject);
}

test('a search matches words of the subject and parts of addresses and names, newest first', async () => {
  await send('Your order has left', 'Ada Lovelace <ada@example.org>');
  await send('Your invoice', ['grace@navy.example', 'ADA@example.org']);
  await send('100%_sure', 'percy@example.com', { bcc: 'hidden@example.net' });
  expect(await find('your')).toEqual(['Your invoice', 'Your order has left']);
  expect(await find('LEFT order')).toEqual(['Your order has left']);
  expect(await find('order invoice')).toEqual([]);
  expect(await find('lovelace your')).toEqual(['Your order has left']);
  expect(await find('navy')).toEqual(['Your invoice']);
  expect(await find('hidden@')).toEqual(['100%_sure']);
  expect(await find('%_')).toEqual(['100%_sure']);
  expect(await find('r_o')).toEqual([]);
  expect(await find('   ')).toHaveLength(3);
});

test('a complete address finds emails to that recipient in to, cc or bcc, ignoring case', async () => {
  await send('First', 'Ada <ada@example.org>');
  await send('Second', 'grace@example.org', { cc: 'ada@EXAMPLE.org' });
  await send('Third', 'grace@example.org', { bcc: 'Ada@example.org' });
  await send('About ada@example.org', 'grace@example.org');
  expect(await find('ADA@example.org')).toEqual(['Third', 'Second', 'First']);
  expect(await find(' ada@example.org ')).toEqual(['Third', 'Second', 'First']);
  expect(await find('da@example.org')).toEqual([]);
  expect(await find('ada@example.org', '&limit=2')).toEqual(['Third', 'Second']);
  const { body } = await team.call('GET', '/emails?search=ada@example.org&limit=2');
  expect(await find('ada@example.org', `&cursor=${body.next_cursor}`)).toEqual(['First']);
});

test('a search combines with other filters and stays within its team and domain', async () => {
  const second = await addDomain('second.test');
  const waiting = { scheduledAt: new Date(Date.now() + 3_600_000).toISOString() };
  await send('Now', 'ada@example.org');
  await send('Later', 'ada@example.org', waiting);
  await send('Elsewhere', 'ada@example.org', { from: 'hello@second.test' });
  expect(await find('ada@example.org', '&status=SCHEDULED')).toEqual(['Later']);
  expect(await find('ada', '&status=SCHEDULED')).toEqual(['Later']);
  expect(await find('ada@example.org', `&domainId=${second}`)).toEqual(['Elsewhere']);
  const key = (await team.call('POST', '/api-keys', { name: 'B', permission: 'full', domainId: second })).body
    .key;
  const bound = createCall(server.url, key);
  for (const query of ['', `&domainId=${second}`]) {
    const { body } = await bound('GET', `/emails?search=ada@example.org${query}`);
    expect(body.items).toMatchObject([{ subject: 'Elsewhere' }]);
  }
  expect((await bound('GET', `/emails?domainId=${second + 1}`)).status).toBe(403);
  const stranger = await server.createTeam();
  expect((await stranger.call('GET', '/emails?search=ada@example.org')).body.items).toEqual([]);
  expect((await stranger.call('GET', '/emails?search=ada')).body.items).toEqual([]);
});

test('an invalid search or cursor is rejected', async () => {
  for (const search of ['x'.repeat(201), '%00']) {
    expect([search, (await team.call('GET', `/emails?search=${search}`)).status]).toEqual([search, 400]);
  }
  expect((await team.call('GET', '/emails?search=a&cursor=nonsense')).status).toBe(400);
});

test('a page that scans many emails without a match returns a cursor to continue', async () => {
  await send('The oldest needle', 'needle@example.org');
  await sql`
    insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
      reply_to, subject, message_id)
    select ${team.teamId}, ('ffffffff-ffff-7fff-8fff-' || lpad(to_hex(n), 12, '0'))::uuid, 1, 'api', 'DELIVERED',
      'hello@shop.test', '{}', '{}', '{}', '{}', 'Hay ' || n, n
    from generate_series(1, 20010) as n
  `.execute(server.db);
  for (const query of ['search=needle', 'status=QUEUED']) {
    const first = (await team.call('GET', `/emails?${query}`)).body;
    expect(first).toEqual({ items: [], next_cursor: expect.any(String) });
    const second = (await team.call('GET', `/emails?${query}&cursor=${first.next_cursor}`)).body;
    expect(second).toMatchObject({ items: [{ subject: 'The oldest needle' }], next_cursor: null });
  }
  // A complete address uses the index instead of a scan.
  expect(await find('needle@example.org')).toEqual(['The oldest needle']);
  const all = (await team.call('GET', '/emails?limit=2')).body;
  expect(all.items).toMatchObject([{ subject: 'Hay 20010' }, { subject: 'Hay 20009' }]);
});

async function list(query: string) {
  return (await team.call('GET', `/emails?${query}`)).body;
}

async function subjectsOf(query: string): Promise<string[]> {
  return (await list(query)).items.map((item: { subject: string }) => item.subject);
}

test('a tag finds its emails, newest first and page by page, also together with a search', async () => {
  const other = await server.createTeam();
  await send('First', 'ada@example.org', { tags: [{ name: 'kind', value: 'order' }] });
  await send('Second', 'grace@example.org', {
    tags: [
      { name: 'kind', value: 'order' },
      { name: 'kind', value: 'order' },
      { name: 'shop', value: 'berlin' },
    ],
  });
  await send('Third', 'ada@example.org', { tags: [{ name: 'kind', value: 'orders' }] });
  const page = await list('tag=kind:order&limit=1');
  expect(page.items).toMatchObject([{ subject: 'Second' }]);
  expect(page.items[0].tags).toHaveLength(3);
  expect(await subjectsOf(`tag=kind:order&cursor=${page.next_cursor}`)).toEqual(['First']);
  expect(await subjectsOf('tag=kind:order&search=ada@example.org')).toEqual(['First']);
  expect(await subjectsOf('tag=kind:none')).toEqual([]);
  expect((await other.call('GET', '/emails?tag=kind:order')).body.items).toEqual([]);
  for (const wrong of ['kind', 'kind:', ':order', 'a%20b:c'])
    expect((await team.call('GET', `/emails?tag=${wrong}`)).status).toBe(400);
});

test('tags and metadata are rejected when they are too many, too long or of other characters', async () => {
  const tag = { name: 'kind', value: 'order' };
  const attempt = (labels: object) =>
    team.call('POST', '/emails', {
      from: 'hello@shop.test',
      to: 'a@b.example',
      subject: 'x',
      text: 'x',
      ...labels,
    });
  for (const labels of [
    { tags: Array.from({ length: 11 }, () => tag) },
    { tags: [{ name: 'ki nd', value: 'order' }] },
    { tags: [{ name: 'kind', value: '' }] },
    { tags: [{ name: 'x'.repeat(257), value: 'order' }] },
    { tags: [{ name: 'kind' }] },
    { tags: tag },
    { metadata: { 'a b': 'c' } },
    { metadata: { a: 1 } },
    { metadata: { a: 'x'.repeat(1001) } },
    { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 'v'])) },
  ])
    expect((await attempt(labels)).status, JSON.stringify(labels).slice(0, 80)).toBe(400);
  const { body } = await attempt({
    tags: Array.from({ length: 10 }, () => tag),
    metadata: { a: 'é'.repeat(1000) },
  });
  const stored = (await team.call('GET', `/emails/${body.emailId}`)).body;
  expect(stored).toMatchObject({
    tags: Array.from({ length: 10 }, () => tag),
    metadata: { a: 'é'.repeat(1000) },
  });
  expect((await team.call('GET', `/emails/${body.emailId}/source`)).body.raw).not.toContain('kind');
});

test('mail that was taken back into a draft can be left out, and is not among the emails of a contact', async () => {
  const { body: mailbox } = await team.call('POST', '/mailboxes', { address: 'ada@shop.test', name: 'Ada' });
  const write = async (subject: string) =>
    (
      await team.call('POST', `/mailboxes/${mailbox.id}/messages`, {
        to: ['eve@example.org'],
        subject,
        text: 'Hello',
        undo_seconds: 120,
      })
    ).body.id;
  await write('Waiting');
  expect((await team.call('DELETE', `/scheduled/${await write('Undone')}`)).status).toBe(200);
  const later = { scheduledAt: new Date(Date.now() + 3_600_000).toISOString() };
  await team.call('POST', `/emails/${await send('Cancelled', 'eve@example.org', later)}/cancel`);
  expect(await find('eve@example.org')).toEqual(['Cancelled', 'Undone', 'Waiting']);
  expect(await find('eve@example.org', '&undone=false')).toEqual(['Cancelled', 'Waiting']);
  expect(await find('', '&undone=true')).toEqual(['Undone']);
  expect((await team.call('GET', '/emails?undone=maybe')).status).toBe(400);
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'News' });
  const contacts = `/contactBooks/${book.id}/contacts`;
  const { body: eve } = await team.call('POST', contacts, { email: 'eve@example.org' });
  const { items } = (await team.call('GET', `${contacts}/${eve.contactId}/activity`)).body;
  expect(items.map(({ subject }: { subject: string }) => subject)).toEqual(['Cancelled', 'Waiting']);
});
