import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { setUpOwner, type TestPerson } from '../../../testing/people.ts';

let world: MailWorld;
let owner: TestPerson;
let box: { id: string; address: string };
let path: string;

beforeAll(async () => {
  world = await startMailWorld();
  owner = await setUpOwner(world.server);
  const { body: domain } = await owner.call('POST', '/domains', { name: 'quay.test' });
  await owner.call('PUT', `/domains/${domain.id}/verify`);
  box = (await owner.call('POST', '/mailboxes', { address: 'desk@quay.test' })).body;
  path = `/mailboxes/${box.id}/saved-replies`;
});
afterAll(() => world.close());

const file = (name: string, content: string) => ({
  filename: name,
  content: Buffer.from(content).toString('base64'),
  content_type: 'text/plain',
});

async function save(more: object = {}) {
  const { status, body } = await owner.call('POST', path, { name: 'Reply', html: '<p>Yes</p>', ...more });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

describe('folders and actions', () => {
  test('are stored, changed alone, and cleared', async () => {
    const actions = [
      { type: 'label', value: 'billing' },
      { type: 'assign', user_id: 'me' },
      { type: 'archive' },
    ];
    const reply = await save({ folder: ' Billing ', actions });
    expect(reply).toMatchObject({ folder: 'Billing', actions, attachments: [] });
    const target = `${path}/${reply.id}`;
    expect((await owner.call('PATCH', target, { folder: null })).body).toMatchObject({
      folder: null,
      actions,
      name: 'Reply',
    });
    expect((await owner.call('PATCH', target, { actions: [] })).body).toMatchObject({ actions: [] });
    expect((await owner.call('PATCH', target, {})).status).toBe(400);
  });

  test.each([
    ['an unknown action', { actions: [{ type: 'send' }] }],
    ['a person without access', { actions: [{ type: 'assign', user_id: 'usr_x' }] }],
    ['a label with a space', { actions: [{ type: 'label', value: 'a b' }] }],
    ['21 actions', { actions: Array.from({ length: 21 }, () => ({ type: 'archive' })) }],
    ['an empty folder', { folder: ' ' }],
    ['a long folder', { folder: 'x'.repeat(101) }],
  ])('%s is refused', async (_what, more) => {
    expect((await owner.call('POST', path, { name: 'x', html: '', ...more })).status).toBe(400);
  });
});

test('files are added, read and removed, and sent with the message, whose thread the actions change', async () => {
  const reply = await save({
    actions: [{ type: 'label', value: 'billing' }, { type: 'assign', user_id: 'me' }, { type: 'archive' }],
  });
  const target = `${path}/${reply.id}/attachments`;
  for (const name of ['a', 'b', 'c']) await owner.call('POST', target, file(`${name}.txt`, name));
  expect((await owner.call('GET', `${target}/2`)).body).toBe('c');
  const { body } = await owner.call('DELETE', `${target}/1`);
  expect(body.attachments).toEqual([
    { n: 0, filename: 'a.txt', content_type: 'text/plain', content_id: null, size: 1 },
    { n: 1, filename: 'c.txt', content_type: 'text/plain', content_id: null, size: 1 },
  ]);
  expect((await owner.call('GET', `${target}/2`)).status).toBe(404);
  expect((await world.team.call('GET', `${target}/0`)).status).toBe(404);
  const filled = await owner.call('POST', `${path}/${reply.id}/fill`, { to: 'charles@example.org' });
  expect(filled.body).toMatchObject({ actions: reply.actions, attachments: body.attachments });

  await world.receive(box, { subject: 'Bill' });
  const [thread] = (await owner.call('GET', `/mailboxes/${box.id}/threads`)).body.items;
  const message = {
    to: ['charles@example.org'],
    html: filled.body.html,
    thread_id: thread.id,
    attachments: [file('own.txt', 'own')],
    undo_seconds: 0,
  };
  const wrong = { ...message, saved_reply_id: 'srp_x' };
  expect((await owner.call('POST', `/mailboxes/${box.id}/messages`, wrong)).status).toBe(400);
  const sent = await owner.call('POST', `/mailboxes/${box.id}/messages`, {
    ...message,
    saved_reply_id: reply.id,
  });
  expect(sent.status).toBe(200);
  const after = (await owner.call('GET', `/threads/${thread.id}`)).body;
  expect(after).toMatchObject({ folder: 'archive', assignee: { user_id: owner.id } });
  expect(after.messages.map(({ labels }: { labels: string[] }) => labels)).toEqual([
    ['billing'],
    ['billing'],
  ]);
  const { items } = (await owner.call('GET', `/threads/${thread.id}/activity`)).body;
  expect(items.map(({ type }: { type: string }) => type)).toEqual([
    'moved',
    'assigned',
    'labelled',
    'answered',
  ]);
  const names = after.messages[1].attachments.map(({ filename }: { filename: string }) => filename);
  expect(names).toEqual(['own.txt', 'a.txt', 'c.txt']);
});

test('more than 25 MiB of files are refused', async () => {
  const reply = await save();
  const large = file('large.bin', 'x'.repeat(13 * 1024 * 1024));
  const target = `${path}/${reply.id}/attachments`;
  expect((await owner.call('POST', target, large)).status).toBe(200);
  expect((await owner.call('POST', target, large)).status).toBe(400);
});
