import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
});
afterAll(() => server.close());

async function createBook(input: object = {}) {
  const { status, body } = await team.call('POST', '/contactBooks', { name: 'Newsletter', ...input });
  expect(status).toBe(200);
  return body;
}

const DOCUMENT = {
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text: '{{doubleOptInUrl}}' }] }],
};

test('a new book has defaults', async () => {
  const book = await createBook({ name: '  Newsletter ' });
  expect(book).toMatchObject({
    name: 'Newsletter',
    teamId: team.teamId,
    emoji: '📙',
    variables: [],
    properties: {},
  });
  expect(book).toMatchObject({ doubleOptInEnabled: false, doubleOptInFrom: null, _count: { contacts: 0 } });
  expect(book.doubleOptInSubject).toBeTruthy();
  expect(book.doubleOptInContent).toContain('{{doubleOptInUrl}}');
  expect((await team.call('GET', `/contactBooks/${book.id}`)).body).toEqual(book);
});

test('all fields are stored as sent', async () => {
  const properties = { plan: 'gold', nested: { deep: [1, null, 'ü'] } };
  const book = await createBook({
    emoji: '📯',
    properties,
    variables: ['city', 'Plan_2'],
    doubleOptInSubject: 'Yes?',
  });
  expect(book).toMatchObject({
    emoji: '📯',
    properties,
    variables: ['city', 'Plan_2'],
    doubleOptInSubject: 'Yes?',
  });
});

test('a number too large for JSON is rejected', async () => {
  const body = '{"name":"x","properties":{"a":[{"b":1e400}]}}';
  const headers = { 'content-type': 'application/json' };
  const answer = await team.call('POST', '/contactBooks', body, headers);
  expect([answer.status, answer.body.error.message]).toEqual([
    400,
    'properties must not contain a number that is too large.',
  ]);
});

test('content is accepted as a string or a document and returned as a string', async () => {
  const asText = await createBook({ doubleOptInContent: JSON.stringify(DOCUMENT) });
  const asObject = await createBook({ doubleOptInContent: DOCUMENT, doubleOptInEnabled: true });
  expect(asText.doubleOptInContent).toBe(JSON.stringify(DOCUMENT));
  expect(asObject.doubleOptInContent).toBe(JSON.stringify(DOCUMENT));
});

test('PATCH changes the named fields, null resets a field, and {} changes nothing', async () => {
  const book = await createBook({ emoji: '📯', variables: ['city'], properties: { a: 1 } });
  const path = `/contactBooks/${book.id}`;
  expect((await team.call('PATCH', path, {})).body).toEqual(book);
  const patched = (await team.call('PATCH', path, { name: 'Renamed', properties: { b: 2 } })).body;
  expect(patched).toMatchObject({ name: 'Renamed', properties: { b: 2 }, emoji: '📯', variables: ['city'] });
  expect(patched.updatedAt > book.updatedAt).toBe(true);
  const cleared = (await team.call('PATCH', path, { emoji: null, variables: null, properties: null })).body;
  expect(cleared).toMatchObject({ emoji: '📙', variables: [], properties: {} });
  expect((await team.call('PATCH', path, { name: null })).status).toBe(400);
});

test('double opt-in requires the link in the content, whichever of the two is changed', async () => {
  const linkless = JSON.stringify({ type: 'doc', content: [] });
  const book = await createBook({ doubleOptInContent: linkless });
  const path = `/contactBooks/${book.id}`;
  expect((await team.call('PATCH', path, { doubleOptInEnabled: true })).status).toBe(400);
  expect(
    (await team.call('PATCH', path, { doubleOptInEnabled: true, doubleOptInContent: DOCUMENT })).status,
  ).toBe(200);
  const refused = await team.call('PATCH', path, { doubleOptInContent: linkless });
  expect([refused.status, typeof refused.body.error]).toEqual([400, 'string']);
  expect((await team.call('GET', path)).body).toMatchObject({
    doubleOptInEnabled: true,
    doubleOptInContent: JSON.stringify(DOCUMENT),
  });
});

test('the sender must use a verified domain of the team', async () => {
  const other = await server.createTeam();
  await addDomain(server.db, team.teamId, 'verified.test');
  await addDomain(server.db, team.teamId, 'pending.test', 'PENDING');
  await addDomain(server.db, other.teamId, 'theirs.test');
  const from = 'Harbour News <news@Verified.TEST>';
  expect((await createBook({ doubleOptInFrom: from })).doubleOptInFrom).toBe(from);
  for (const bad of [
    'a@pending.test',
    'a@theirs.test',
    'a@sub.verified.test',
    'verified.test',
    'A\nB <a@verified.test>',
  ]) {
    const answer = await team.call('POST', '/contactBooks', { name: 'x', doubleOptInFrom: bad });
    expect([bad, answer.status]).toEqual([bad, 400]);
  }
});

test('books are listed newest first', async () => {
  const own = await server.createTeam();
  for (const name of ['One', 'Two', 'Three']) await own.call('POST', '/contactBooks', { name });
  const { body } = await own.call('GET', '/contactBooks');
  expect(body.map((book: { name: string }) => book.name)).toEqual(['Three', 'Two', 'One']);
});

test('DELETE also deletes the contacts and returns a message', async () => {
  const { id } = await createBook();
  await team.call('POST', `/contactBooks/${id}/contacts`, { email: 'a@example.com' });
  expect((await team.call('DELETE', `/contactBooks/${id}`)).body).toEqual({
    id,
    success: true,
    message: 'Contact book deleted successfully',
  });
  expect((await team.call('DELETE', `/contactBooks/${id}`)).status).toBe(404);
  expect((await team.call('GET', '/contacts')).body.items).toEqual([]);
});
