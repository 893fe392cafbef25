import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../../testing/factories.ts';
import { HELD_UP, longestWait } from '../../testing/longest-wait.ts';
import { shareTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let book: string;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  await addDomain(server.db, team.teamId, 'news.test');
  book = (await team.call('POST', '/contactBooks', { name: 'News', variables: ['city'] })).body.id;
  await addContact({ email: 'ada@example.org', firstName: 'Ada', properties: { city: '<Oslo>' } });
  await addContact({ email: 'bob@example.org' });
});
afterAll(() => server.close());

async function addContact(contact: object): Promise<void> {
  expect((await team.call('POST', `/contactBooks/${book}/contacts`, contact)).status).toBe(200);
}

async function create(changes: object = {}): Promise<string> {
  const { status, body } = await team.call('POST', '/campaigns', {
    name: 'November',
    from: 'News <hello@news.test>',
    subject: 'Hello {{firstName,fallback=friend}}',
    contactBookId: book,
    html: '<p>{{email}} in {{city,fallback=town}}</p>',
    ...changes,
  });
  expect(status).toBe(200);
  return body.id;
}

test('a preview is rendered for the contact of the address, as the email would be', async () => {
  const id = await create();
  const { status, body } = await team.call('POST', `/campaigns/${id}/preview`, { to: 'ADA@example.org' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ to: 'ADA@example.org', subject: 'Hello Ada' });
  expect(body.html).toContain('in &lt;Oslo&gt;');
  expect(body.html).toMatch(/unsubscribe/i);
  expect(body.text).toContain('in <Oslo>');
});

test('an unsubscribe link inside a comment does not count, so a footer is added', async () => {
  const hidden = '<!-- <a href="{{unsubscribeUrl}}">Leave</a> -->';
  const id = await create({ html: `<body><p>Hi</p>${hidden}</body>` });
  const { body } = await team.call('POST', `/campaigns/${id}/preview`, {});
  expect(body.text).toMatch(/^Hi\n\nUnsubscribe <http/);
  const shown = '<!--[if !mso]><!--><a href="{{unsubscribeUrl}}">Leave</a><!--<![endif]-->';
  const other = await create({ html: `<body><p>Hi</p>${shown}</body>` });
  expect((await team.call('POST', `/campaigns/${other}/preview`, {})).body.html).not.toContain(
    'Unsubscribe<',
  );
});

test('the default recipient is the newest contact, or a sample address in an empty book', async () => {
  const id = await create();
  expect((await team.call('POST', `/campaigns/${id}/preview`)).body).toMatchObject({
    to: 'bob@example.org',
    subject: 'Hello friend',
    html: expect.stringContaining('bob@example.org in town'),
  });
  const { body: empty } = await team.call('POST', '/contactBooks', { name: 'Empty' });
  const lonely = await create({ contactBookId: empty.id });
  expect((await team.call('POST', `/campaigns/${lonely}/preview`, {})).body).toMatchObject({
    subject: 'Hello friend',
  });
});

test('the link in a preview unsubscribes no one, and nothing is sent or counted', async () => {
  const id = await create();
  const { body } = await team.call('POST', `/campaigns/${id}/preview`, { to: 'ada@example.org' });
  const link = /href="(http[^"]*\/u\/[^"]*)"/.exec(body.html)![1]!.replaceAll('&amp;', '&');
  const path = new URL(link).pathname + new URL(link).search;
  await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  const { items } = (await team.call('GET', `/contactBooks/${book}/contacts?email=ada@example.org`)).body;
  expect(items).toMatchObject([{ subscribed: true }]);
  const { rows } = await sql`select from emails where team_id = ${team.teamId}`.execute(server.db);
  expect(rows).toEqual([]);
});

test('an invalid address is rejected, and a campaign of another team is not found', async () => {
  const id = await create();
  expect((await team.call('POST', `/campaigns/${id}/preview`, { to: 'nobody' })).status).toBe(400);
  expect((await team.call('POST', '/campaigns/cmp_nothing/preview', {})).status).toBe(404);
  const other = await server.createTeam();
  expect((await other.call('POST', `/campaigns/${id}/preview`, {})).status).toBe(404);
});

test('styles that are slow to inline do not block other requests', async () => {
  const rules = Array.from({ length: 500 }, (_, at) => `p.c${at} { margin: ${at}px }`).join('');
  const id = await create({
    html: `<style>${rules}</style>${'<p class="c7">Hi {{email}}</p>'.repeat(500)}`,
  });
  const preview = team.call('POST', `/campaigns/${id}/preview`, { to: 'ada@example.org' });
  expect(await longestWait(preview, () => team.call('GET', '/contactBooks'))).toBeLessThan(HELD_UP);
  const { status, body } = await preview;
  expect([status, body.html.split('Hi ada@example.org').length]).toEqual([200, 501]);
});
