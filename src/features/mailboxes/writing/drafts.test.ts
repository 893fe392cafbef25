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
  await addVerifiedDomain(server, team, 'drafts.test');
  box = (await team.call('POST', '/mailboxes', { address: 'ada@drafts.test' })).body;
});
afterAll(() => server.close());

async function save(input: object = {}) {
  const { status, body } = await team.call('POST', `/mailboxes/${box.id}/drafts`, input);
  expect(status).toBe(200);
  return body;
}

const pathOf = (draft: { id: string }) => `/mailboxes/${box.id}/drafts/${draft.id}`;

test('a draft may be empty and can be saved repeatedly', async () => {
  const draft = await save();
  expect(draft).toMatchObject({ status: 'draft', direction: 'out', subject: '', to: [], html: null });
  const files = [{ filename: 'a.txt', content: 'aGk=' }];
  await team.call('PATCH', pathOf(draft), { to: ['charles@exam'], attachments: files });
  const { status, body } = await team.call('PATCH', pathOf(draft), {
    subject: 'Engine',
    html: '<p onclick="x">It</p>',
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: draft.id,
    thread_id: draft.thread_id,
    to: ['charles@exam'],
    subject: 'Engine',
    html: '<p>It</p>',
    attachments: [{ filename: 'a.txt', size: 2 }],
  });
  expect((await team.call('GET', pathOf(draft))).body).toEqual(body);
  const thread = (await team.call('GET', `/threads/${draft.thread_id}`)).body;
  expect(thread).toMatchObject({ subject: 'Engine', folder: 'drafts', message_count: 1, snippet: 'It' });
});

test('the list of drafts has pages, newest first, and no draft is left out', async () => {
  const own = (await team.call('POST', '/mailboxes', { address: 'pages@drafts.test' })).body;
  const path = `/mailboxes/${own.id}/drafts`;
  const saved: string[] = [];
  for (let at = 0; at < 5; at += 1) saved.push((await team.call('POST', path, { subject: `${at}` })).body.id);
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await team.call('GET', `${path}?limit=2${cursor && `&cursor=${cursor}`}`);
    expect(body.items.length).toBeLessThanOrEqual(2);
    seen.push(...body.items.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor;
  }
  expect(seen).toEqual(saved.toReversed());
});

test('an incomplete draft cannot be sent; a complete one is sent once under the same id', async () => {
  const draft = await save({ to: ['charles@exam'], subject: 'Engine', text: 'It turns.' });
  const refused = await team.call('POST', `${pathOf(draft)}/send`);
  expect([refused.status, refused.body.error.code]).toEqual([400, 'BAD_REQUEST']);
  expect(refused.body.error.message).toContain('to');
  await team.call('PATCH', pathOf(draft), { to: ['charles@example.org'] });
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => team.call('POST', `${pathOf(draft)}/send`)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
  const { body } = answers.find(({ status }) => status === 200)!;
  expect(body).toMatchObject({ id: draft.id, thread_id: draft.thread_id, status: 'waiting' });
  expect((await team.call('GET', pathOf(draft))).status).toBe(404);
  expect((await team.call('GET', `/threads/${draft.thread_id}`)).body.message_count).toBe(1);
  const { items } = (await team.call('GET', `/mailboxes/${box.id}/scheduled`)).body;
  expect(items.filter(({ id }: { id: string }) => id === draft.id)).toHaveLength(1);
});

test('sending with draft_id replaces the draft', async () => {
  const draft = await save({ subject: 'Old', attachments: [{ filename: 'a.txt', content: 'aGk=' }] });
  const { body } = await team.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['charles@example.org'],
    subject: 'New',
    text: 'x',
    draft_id: draft.id,
  });
  expect(body.id).toBe(draft.id);
  const message = (await team.call('GET', `/messages/${draft.id}`)).body;
  expect([message.subject, message.attachments.length]).toEqual(['New', 1]);
});

test('a draft in a thread is sent as a reply in that thread', async () => {
  const send = { to: ['charles@example.org'], subject: 'Question', text: 'x', undo_seconds: 0 };
  const { body: first } = await team.call('POST', `/mailboxes/${box.id}/messages`, send);
  const draft = await save({
    thread_id: first.thread_id,
    to: ['charles@example.org'],
    subject: 'Re: Question',
    text: 'y',
  });
  expect(draft.thread_id).toBe(first.thread_id);
  const { body } = await team.call('POST', `${pathOf(draft)}/send`, { undo_seconds: 60 });
  expect(body.thread_id).toBe(first.thread_id);
  const { message_id } = (await team.call('GET', `/messages/${first.id}`)).body;
  expect((await team.call('GET', `/messages/${draft.id}/raw`)).body).toContain(`In-Reply-To: ${message_id}`);
  expect((await team.call('GET', `/threads/${first.thread_id}`)).body.message_count).toBe(2);
});

test('deleting a draft deletes its thread if it has no other message', async () => {
  const draft = await save({ subject: 'Gone' });
  expect((await team.call('DELETE', pathOf(draft))).body).toEqual({ id: draft.id, success: true });
  expect((await team.call('GET', pathOf(draft))).status).toBe(404);
  expect((await team.call('GET', `/threads/${draft.thread_id}`)).status).toBe(404);
  expect((await team.call('DELETE', pathOf(draft))).status).toBe(404);
});

test('drafts of a mailbox are listed newest first', async () => {
  const [first, second] = [await save({ subject: 'One' }), await save({ subject: 'Two' })];
  const { items } = (await team.call('GET', `/mailboxes/${box.id}/drafts`)).body;
  expect(items.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
});

test('invalid input and other teams cannot change a draft', async () => {
  const draft = await save({ subject: 'Mine' });
  for (const input of [
    { to: 'x' },
    { subject: 5 },
    { subject: 'x'.repeat(999) },
    { attachments: [{}] },
    [],
  ]) {
    expect((await team.call('PATCH', pathOf(draft), input)).status).toBe(400);
    expect((await team.call('POST', `/mailboxes/${box.id}/drafts`, input)).status).toBe(400);
  }
  expect((await other.call('PATCH', pathOf(draft), { subject: 'Theirs' })).status).toBe(404);
  expect((await other.call('POST', `${pathOf(draft)}/send`)).status).toBe(404);
  expect((await team.call('PATCH', `/mailboxes/${box.id}/drafts/msg.x`, {})).status).toBe(400);
  expect((await team.call('POST', `/mailboxes/${box.id}/drafts`, { thread_id: 'thr_nobody' })).status).toBe(
    404,
  );
  expect((await team.call('GET', pathOf(draft))).body.subject).toBe('Mine');
});

test('a save based on an older version of the draft is rejected', async () => {
  const draft = await save({ subject: 'Shared' });
  const known = { if_unchanged_since: draft.created_at };
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await team.call('PATCH', pathOf(draft), { ...known, subject: 'First' })).status).toBe(200);
  const second = await team.call('PATCH', pathOf(draft), { ...known, subject: 'Second' });
  expect([second.status, second.body.error.code]).toEqual([409, 'CONFLICT']);
  expect((await team.call('GET', pathOf(draft))).body.subject).toBe('First');
});

test('a list of drafts that is too large for one answer omits the bodies of older ones', async () => {
  const full = (await team.call('POST', '/mailboxes', { address: 'full@drafts.test' })).body;
  const drafts = `/mailboxes/${full.id}/drafts`;
  const large = 'All work and no play.\n'.repeat(150_000);
  const saved: string[] = [];
  for (let no = 0; no < 4; no++)
    saved.unshift((await team.call('POST', drafts, { text: `${no}${large}` })).body.id);
  const { items } = (await team.call('GET', drafts)).body;
  const shown = items.map((draft: { id: string; body_omitted: boolean; text: string | null }) => [
    draft.id,
    draft.body_omitted,
    draft.text?.[0],
  ]);
  expect(shown).toEqual([
    [saved[0], false, '3'],
    [saved[1], false, '2'],
    [saved[2], false, '1'],
    [saved[3], true, undefined],
  ]);
  const whole = (await team.call('GET', `${drafts}/${saved[3]}`)).body;
  expect([whole.body_omitted, whole.text.length]).toEqual([false, large.length + 1]);
});
