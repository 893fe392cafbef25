import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addVerifiedDomain } from '../../../testing/fixtures/relay-world.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let other: TestTeam;
let box: { id: string };

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  other = await server.createTeam();
  await addVerifiedDomain(server, team, 'writing.test');
  box = (await team.call('POST', '/mailboxes', { address: 'ada@writing.test' })).body;
});
afterAll(() => server.close());

async function save(input: object = {}) {
  return (await team.call('POST', `/mailboxes/${box.id}/drafts`, input)).body;
}
const pathOf = (draft: { id: string }) => `/mailboxes/${box.id}/drafts/${draft.id}`;

test('files are added to and removed from a draft one at a time, and stay when its text changes', async () => {
  const draft = await save({ subject: 'Files' });
  const add = (filename: string, more: object = {}) =>
    team.call('POST', `${pathOf(draft)}/attachments`, { filename, content: 'aGk=', ...more });
  await add('a.txt');
  const { body } = await add('b.png', { content_type: 'image/png', content_id: 'b@writing' });
  expect(body.attachments).toMatchObject([
    { n: 0, filename: 'a.txt', inline: false, content_type: 'text/plain' },
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

const send = (more: object) =>
  team.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['a@example.org'],
    subject: 'S',
    html: '<p>x</p>',
    ...more,
  });

test('with unfilled_tags=refuse a message with unfilled merge tags is refused', async () => {
  const html = '<p>Dear {{frstName}} {{ city,fallback=x }}</p>';
  const refused = await send({ html, unfilled_tags: 'refuse' });
  expect([refused.status, refused.body.error.code]).toEqual([400, 'BAD_REQUEST']);
  expect(JSON.stringify(refused.body.error)).toContain('{{frstName}}, {{city}}');
  expect((await send({ subject: '{{x}}', unfilled_tags: 'refuse' })).status).toBe(400);
  expect((await send({ html: '<p>{{ }} {x}</p>', unfilled_tags: 'refuse' })).status).toBe(200);
  expect((await send({ html })).status).toBe(200);
});

const find = async (q: string) =>
  (await team.call('GET', `/mailboxes/${box.id}/people?q=${encodeURIComponent(q)}`)).body.items;

test('suggested recipients come from mail and contacts, each once', async () => {
  await save({ to: ['Charles Babbage <charles@example.org>'], subject: 'Hello' });
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'Friends' });
  await team.call('POST', `/contactBooks/${book.id}/contacts/bulk`, [
    { email: 'charles@example.org', firstName: 'Chuck' },
    { email: 'charlotte@example.org', firstName: 'Charlotte', lastName: 'Brontë' },
    { email: 'percent%@example.org' },
  ]);
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

test('people are found by any part of their name, recent correspondents first, within the team', async () => {
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'Navy' });
  await team.call('POST', `/contactBooks/${book.id}/contacts/bulk`, [
    { email: 'g@navy.example', firstName: 'Grace', lastName: 'Hopper' },
    { email: 'e@navy.example', firstName: 'Émilie', lastName: 'du Châtelet' },
    { email: 'a@navy.example', firstName: 'Grant', lastName: 'Hopkins' },
    { email: 'l@navy.example', lastName: 'Hopeless' },
  ]);
  const { body: foreign } = await other.call('POST', '/contactBooks', { name: 'Theirs' });
  await other.call('POST', `/contactBooks/${foreign.id}/contacts`, {
    email: 'h@theirs.example',
    firstName: 'Hope',
    lastName: 'Hopper',
  });
  const addresses = async (q: string) =>
    (await find(q)).map(({ address }: { address: string }) => address.split('@')[0]);
  expect(await addresses('grace hop')).toEqual(['g']);
  expect(await addresses('ÉMI')).toEqual(['e']);
  expect(await addresses('du ch')).toEqual(['e']);
  expect(await addresses('hop')).toEqual(['l', 'a', 'g']);
  await save({ to: ['g@navy.example'], subject: 'To Grace' });
  expect(await find('hop')).toMatchObject([
    { name: 'Grace Hopper', address: 'g@navy.example' },
    { address: 'l@navy.example' },
    { address: 'a@navy.example' },
  ]);
  await team.call('DELETE', `/contactBooks/${book.id}`);
  expect(await addresses('hop')).toEqual([]);
  expect(await addresses("hop' or 1=1 \\%_<")).toEqual([]);
});

test('people from old mail are still found', async () => {
  await save({ to: ['Zebulon Pike <zp@old.example>'], subject: 'Long ago' });
  await sql`update threads set last_message_at = now() - interval '9 years' where subject = 'Long ago'`.execute(
    server.db,
  );
  await sql`
    insert into threads (team_id, id, mailbox_id, folder, subject, base_subject, participants, participant_keys,
      snippet, message_count, unread_count, last_message_at)
    select t.team_id, gen_random_uuid(), t.mailbox_id, 'inbox', '', '', '{x@new.example}', '{x@new.example}', '', 1, 0,
      now() from threads t, generate_series(1, 2100) where t.subject = 'Long ago'
  `.execute(server.db);
  expect(await find('pike')).toEqual([{ name: 'Zebulon Pike', address: 'zp@old.example' }]);
});

test('a file is stored once, however often the text of its draft is saved', async () => {
  const draft = await save({ subject: 'Heavy' });
  const content = Buffer.from(`heavy ${draft.id}`).toString('base64');
  await team.call('POST', `${pathOf(draft)}/attachments`, { filename: 'heavy.bin', content });
  const stored = async () =>
    (
      await sql`
        select b.xmin as blob, b.unused_since, a.xmin as file from messages m
        join message_attachments a on a.team_id = m.team_id and a.message_id = m.id
        join blobs b on b.team_id = a.team_id and b.sha256 = a.sha256
        where m.subject like 'Heavy%'`.execute(server.db)
    ).rows;
  const before = await stored();
  expect(before).toMatchObject([{ unused_since: null }]);
  for (const subject of ['Heavy 1', 'Heavy 2']) await team.call('PATCH', pathOf(draft), { subject });
  expect(await stored()).toEqual(before);
  await team.call('DELETE', pathOf(draft));
  const left = await sql`
    select unused_since is not null as unused from blobs where bytes = ${Buffer.from(content, 'base64')}
  `.execute(server.db);
  expect(left.rows).toEqual([{ unused: true }]);
});

test('removing the first file renumbers the others', async () => {
  const draft = await save({ subject: 'Three' });
  for (const filename of ['a', 'b', 'c', 'd'])
    await team.call('POST', `${pathOf(draft)}/attachments`, { filename, content: 'aGk=' });
  const { body } = await team.call('DELETE', `${pathOf(draft)}/attachments/0`);
  expect(body.attachments).toMatchObject([
    { n: 0, filename: 'b' },
    { n: 1, filename: 'c' },
    { n: 2, filename: 'd' },
  ]);
  const put = await team.call('PATCH', pathOf(draft), { attachments: [{ filename: 'e', content: 'aGk=' }] });
  expect(put.body.attachments).toMatchObject([{ n: 0, filename: 'e' }]);
});
