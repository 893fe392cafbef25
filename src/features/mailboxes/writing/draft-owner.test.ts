import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { addPerson, setUpOwner, type TestPerson } from '../../../testing/people.ts';

let world: MailWorld;
let owner: TestPerson;
let ada: TestPerson;
let bob: TestPerson;
let boxes = 0;

beforeAll(async () => {
  world = await startMailWorld();
  owner = await setUpOwner(world.server);
  ada = await addPerson(world.server, owner, 'member');
  bob = await addPerson(world.server, owner, 'member');
  const { body } = await owner.call('POST', '/domains', { name: 'drafts.test' });
  await owner.call('PUT', `/domains/${body.id}/verify`);
});
afterAll(() => world.close());

async function freshBox(): Promise<string> {
  boxes += 1;
  return (await owner.call('POST', '/mailboxes', { address: `box${boxes}@drafts.test` })).body.id;
}

test("another person's draft is shown with the name, and changed only after it was taken over", async () => {
  const box = await freshBox();
  const input = { to: ['charles@example.org'], subject: 'Prices', text: 'Long words of Ada' };
  const { body: draft } = await ada.call('POST', `/mailboxes/${box}/drafts`, input);
  const who = { user_id: ada.id, name: 'A member' };
  expect(draft.author).toEqual(who);
  const url = `/mailboxes/${box}/drafts/${draft.id}`;
  expect((await bob.call('GET', url)).body).toMatchObject({ author: who, text: input.text });
  for (const [method, path, body] of [
    ['PATCH', url, { text: 'y' }],
    ['DELETE', url, undefined],
    ['POST', `${url}/send`, {}],
    ['POST', `${url}/attachments`, { filename: 'a.txt', content: 'eA==' }],
    ['POST', `/mailboxes/${box}/messages`, { ...input, draft_id: draft.id }],
  ] as const) {
    const answer = await bob.call(method, path, body);
    expect([method, path, answer.status, answer.body.error.code, answer.body.error.owner]).toEqual([
      method,
      path,
      409,
      'CONFLICT',
      who,
    ]);
  }
  const taken = await bob.call('POST', `${url}/take-over`);
  expect([taken.status, taken.body.author.user_id, taken.body.text]).toEqual([200, bob.id, input.text]);
  expect((await ada.call('PATCH', url, { text: 'More of Ada' })).status).toBe(409);
  expect((await bob.call('PATCH', url, { text: 'Words of Bob' })).status).toBe(200);
  const { items } = (await ada.call('GET', `/threads/${draft.thread_id}/activity`)).body;
  expect(items[0]).toMatchObject({
    type: 'draft_taken',
    actor: { user_id: bob.id },
    data: { from: who, text: input.text },
  });
  const sent = await bob.call('POST', `${url}/send`, { undo_seconds: 60 });
  const { messages } = (await ada.call('GET', `/threads/${draft.thread_id}`)).body;
  expect([sent.status, messages[0].author.user_id]).toEqual([200, bob.id]);
});

test('the draft of a person without access belongs to nobody', async () => {
  const box = await freshBox();
  const { body: draft } = await ada.call('POST', `/mailboxes/${box}/drafts`, { subject: 'x', text: 'x' });
  await owner.call('PUT', `/mailboxes/${box}/access`, {
    mode: 'listed',
    people: [
      { user_id: bob.id, role: 'reply' },
      { user_id: owner.id, role: 'read' },
    ],
  });
  const url = `/mailboxes/${box}/drafts/${draft.id}`;
  expect((await bob.call('PATCH', url, { text: 'y' })).status).toBe(200);
  expect((await owner.call('POST', `${url}/take-over`)).status).toBe(403);
  expect((await ada.call('POST', `${url}/take-over`)).status).toBe(404);
  expect((await bob.call('POST', `/mailboxes/${box}/drafts/x/take-over`)).status).toBe(404);
});
