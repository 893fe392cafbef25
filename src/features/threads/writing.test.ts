import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let other: TestTeam;
let box: { id: string };

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  other = await server.createTeam();
  const { body: domain } = await team.call('POST', '/domains', { name: 'writing.test' });
  await team.call('PUT', `/domains/${domain.id}/verify`);
  box = (await team.call('POST', '/mailboxes', { address: 'ada@writing.test' })).body;
});
afterAll(() => server.close());

async function save(input: object = {}) {
  return (await team.call('POST', `/mailboxes/${box.id}/drafts`, input)).body;
}
const pathOf = (draft: { id: string }) => `/mailboxes/${box.id}/drafts/${draft.id}`;

test('files are added to a draft and taken out one at a time, and stay when its words change', async () => {
  const draft = await save({ subject: 'Files' });
  const add = (filename: string, more: object = {}) =>
    team.call('POST', `${pathOf(draft)}/attachments`, { filename, content: 'aGk=', ...more });
  await add('a.txt');
  const { body } = await add('b.png', { content_type: 'image/png', content_id: 'b@writing' });
  expect(body.attachments).toMatchObject([
    { n: 0, filename: 'a.txt', inline: false },
    { n: 1, filename: 'b.png', inline: true, content_id: 'b@writing', content_type: 'image/png' },
  ]);
  const changed = await team.call('PATCH', pathOf(draft), { subject: 'More files' });
  expect(changed.body.attachments).toHaveLength(2);
  const left = await team.call('DELETE', `${pathOf(draft)}/attachments/0`);
  expect(left.body.attachments).toMatchObject([{ n: 0, filename: 'b.png' }]);
  expect((await team.call('DELETE', `${pathOf(draft)}/attachments/5`)).status).toBe(404);
  expect((await team.call('DELETE', `${pathOf(draft)}/attachments/x`)).status).toBe(400);
  expect((await add('', {})).status).toBe(400);
  expect((await add('big', { content: 'A'.repeat(36 * 1024 * 1024) })).status).toBe(400);
  expect((await other.call('DELETE', `${pathOf(draft)}/attachments/0`)).status).toBe(404);
  const stranger = { filename: 'a', content: '' };
  expect((await other.call('POST', `${pathOf(draft)}/attachments`, stranger)).status).toBe(404);
});

test('people to write to come from mail and from contacts, each once', async () => {
  await save({ to: ['Charles Babbage <charles@example.org>'], subject: 'Hello' });
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'Friends' });
  await team.call('POST', `/contactBooks/${book.id}/contacts/bulk`, [
    { email: 'charles@example.org', firstName: 'Chuck' },
    { email: 'charlotte@example.org', firstName: 'Charlotte', lastName: 'Brontë' },
    { email: 'percent%@example.org' },
  ]);
  const find = async (q: string) =>
    (await team.call('GET', `/mailboxes/${box.id}/people?q=${encodeURIComponent(q)}`)).body.items;
  expect(await find('CHAR')).toEqual([
    { name: 'Charles Babbage', address: 'charles@example.org' },
    { name: 'Charlotte Brontë', address: 'charlotte@example.org' },
  ]);
  expect(await find('babb')).toEqual([{ name: 'Charles Babbage', address: 'charles@example.org' }]);
  expect(await find('percent%')).toEqual([{ name: null, address: 'percent%@example.org' }]);
  expect(await find('%')).toEqual([]);
  expect((await team.call('GET', `/mailboxes/${box.id}/people`)).status).toBe(400);
  expect((await other.call('GET', `/mailboxes/${box.id}/people?q=c`)).status).toBe(404);
});
