import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { addPerson, setUpOwner, type TestPerson } from '../../../testing/people.ts';

let world: MailWorld;
let owner: TestPerson;
let ada: TestPerson;
let bob: TestPerson;
let count = 0;

interface Box {
  id: string;
  address: string;
}

beforeAll(async () => {
  world = await startMailWorld();
  owner = await setUpOwner(world.server);
  ada = await addPerson(world.server, owner, 'member');
  bob = await addPerson(world.server, owner, 'member');
  await owner.call('POST', '/domains', { name: 'team.test' });
  const { body } = await owner.call('GET', '/domains');
  await owner.call('PUT', `/domains/${body[0].id}/verify`);
});
afterAll(() => world.close());

/** A mailbox of the people with a thread in it. */
async function fill(): Promise<{ box: Box; threadId: string }> {
  count += 1;
  const { status, body: box } = await owner.call('POST', '/mailboxes', { address: `box${count}@team.test` });
  expect([status, box.error]).toEqual([200, undefined]);
  return { box, threadId: await receive(box, `Subject ${count}`) };
}

async function receive(box: Box, subject: string, more = ''): Promise<string> {
  await world.receive(box, {
    subject,
    id: `<${subject.replaceAll(/\W/g, '.')}.${(count += 1)}@example.net>`,
    more,
  });
  const { body } = await owner.call('GET', `/mailboxes/${box.id}/threads`);
  return body.items.find((each: { subject: string }) => each.subject === subject).id;
}

async function thread(threadId: string, who = owner) {
  const { status, body } = await who.call('GET', `/threads/${threadId}`);
  expect(status).toBe(200);
  return body;
}

async function idsOf(box: Box, query: string, who = owner): Promise<string[]> {
  const { status, body } = await who.call('GET', `/mailboxes/${box.id}/threads?${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body.items.map(({ id }: { id: string }) => id);
}

describe('assigning', () => {
  test('a thread has an assignee, lists find it, and the activity says who did it', async () => {
    const { box, threadId } = await fill();
    const other = await receive(box, `Other ${count}`);
    expect(await thread(threadId)).toMatchObject({
      assignee: null,
      snoozed_until: null,
      note_count: 0,
      reminder_at: null,
      waiting_since: expect.stringMatching(/Z$/),
      present: [],
    });
    const { status, body } = await ada.call('PUT', `/threads/${threadId}/assignee`, { user_id: bob.id });
    expect([status, body.assignee]).toEqual([200, { user_id: bob.id, name: 'A member' }]);
    expect(await idsOf(box, 'assignee=me', bob)).toEqual([threadId]);
    expect(await idsOf(box, 'assignee=me', ada)).toEqual([]);
    expect(await idsOf(box, `assignee=${bob.id}`)).toEqual([threadId]);
    expect(await idsOf(box, 'assignee=none')).toEqual([other]);
    await ada.call('PUT', `/threads/${threadId}/assignee`, { user_id: bob.id });
    expect(
      (await bob.call('PUT', `/threads/${threadId}/assignee`, { user_id: null })).body.assignee,
    ).toBeNull();
    const { items } = (await ada.call('GET', `/threads/${threadId}/activity`)).body;
    expect(
      items.map((each: { type: string; actor: { user_id: string } }) => [each.type, each.actor.user_id]),
    ).toEqual([
      ['unassigned', bob.id],
      ['assigned', ada.id],
    ]);
    expect(items[1].data).toMatchObject({ user_id: bob.id, previous_user_id: null });
  });

  test('of two who take a thread at once, one is told', async () => {
    const { threadId } = await fill();
    const take = (who: TestPerson) =>
      who.call('PUT', `/threads/${threadId}/assignee`, { user_id: who.id, if_assignee: null });
    const answers = await Promise.all([take(ada), take(bob)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const won = answers.find(({ status }) => status === 200)!.body.assignee.user_id;
    expect((await thread(threadId)).assignee.user_id).toBe(won);
  });

  test('only people with access can be assigned, and who loses it is not assigned any more', async () => {
    const { box, threadId } = await fill();
    const assign = (user_id: unknown) => owner.call('PUT', `/threads/${threadId}/assignee`, { user_id });
    for (const wrong of ['usr_01kbd8x4zvf7m8rk2q3w5t6y7h', 'nobody', 7, undefined])
      expect([wrong, (await assign(wrong)).status]).toEqual([wrong, 400]);
    expect((await assign(ada.id)).status).toBe(200);
    const people = [
      { user_id: owner.id, role: 'manage' },
      { user_id: bob.id, role: 'read' },
    ];
    await owner.call('PUT', `/mailboxes/${box.id}/access`, { mode: 'listed', people });
    expect((await thread(threadId)).assignee).toBeNull();
    const { items } = (await owner.call('GET', `/threads/${threadId}/activity`)).body;
    expect(items[0]).toMatchObject({ type: 'unassigned', data: { previous_user_id: ada.id } });
    expect((await assign(ada.id)).status).toBe(400);
    expect((await ada.call('PUT', `/threads/${threadId}/assignee`, { user_id: bob.id })).status).toBe(404);
    expect((await bob.call('PUT', `/threads/${threadId}/assignee`, { user_id: bob.id })).status).toBe(200);
  });

  test('whoever leaves the team is not assigned any more', async () => {
    const { threadId } = await fill();
    const carl = await addPerson(world.server, owner, 'member');
    await carl.call('PUT', `/threads/${threadId}/assignee`, { user_id: carl.id });
    expect((await owner.call('DELETE', `/members/${carl.id}`)).status).toBe(200);
    expect((await thread(threadId)).assignee).toBeNull();
    const { items } = (await owner.call('GET', `/threads/${threadId}/activity`)).body;
    expect(items[0]).toMatchObject({
      type: 'unassigned',
      actor: { user_id: owner.id },
      data: { previous_user_id: carl.id },
    });
  });

  test('when the last person with access leaves, an owner can give access again, and read nothing before', async () => {
    const { box, threadId } = await fill();
    const carl = await addPerson(world.server, owner, 'member');
    const access = (people: object[]) =>
      owner.call('PUT', `/mailboxes/${box.id}/access`, { mode: 'listed', people });
    await access([{ user_id: carl.id, role: 'manage' }]);
    await carl.call('PUT', `/threads/${threadId}/assignee`, { user_id: carl.id });
    expect((await owner.call('DELETE', `/members/${carl.id}`)).status).toBe(200);
    expect((await owner.call('GET', `/mailboxes/${box.id}/access`)).body).toEqual({
      mode: 'listed',
      people: [],
    });
    expect((await owner.call('GET', `/threads/${threadId}`)).status).toBe(404);
    expect((await ada.call('GET', `/mailboxes/${box.id}`)).status).toBe(404);
    expect((await access([{ user_id: ada.id, role: 'read' }])).status).toBe(200);
    expect((await thread(threadId, ada)).assignee).toBeNull();
  });

  test('a key has no threads of its own', async () => {
    const box = await world.freshMailbox();
    for (const query of ['assignee=me', 'mentions=me'])
      expect((await world.team.call('GET', `/mailboxes/${box.id}/threads?${query}`)).status).toBe(400);
    expect((await world.team.call('GET', `/mailboxes/${box.id}/threads?mentions=x`)).status).toBe(400);
  });
});

describe('notes', () => {
  test('notes are cleaned, counted, found and mentioned', async () => {
    const { box, threadId } = await fill();
    const { status, body: note } = await ada.call('POST', `/threads/${threadId}/notes`, {
      html: '<p onclick="x()">Call the <b>lighthouse</b> keeper</p><script>1</script>',
      mentions: [bob.id],
    });
    expect(status).toBe(200);
    expect(note).toMatchObject({
      author: { user_id: ada.id, name: 'A member' },
      html: '<p>Call the <b>lighthouse</b> keeper</p>',
      mentions: [bob.id],
    });
    expect((await thread(threadId)).note_count).toBe(1);
    expect(await idsOf(box, 'q=lightho')).toEqual([threadId]);
    expect(await idsOf(box, 'q=lighthouse keeper')).toEqual([threadId]);
    expect(await idsOf(box, 'q=lighthouse -keeper')).toEqual([]);
    expect(await idsOf(box, 'q=from:lighthouse')).toEqual([]);
    expect(await idsOf(box, 'mentions=me', bob)).toEqual([threadId]);
    expect(await idsOf(box, 'mentions=me', ada)).toEqual([]);
    const { body } = await bob.call('GET', `/threads/${threadId}/notes`);
    expect(body).toEqual({ items: [note], next_cursor: null });
    expect((await thread(threadId)).messages).toHaveLength(1);
  });

  test('only the author changes and deletes a note', async () => {
    const { box, threadId } = await fill();
    const { body: note } = await ada.call('POST', `/threads/${threadId}/notes`, { html: 'Apples' });
    const url = `/notes/${note.id}`;
    for (const who of [owner, bob]) {
      expect((await who.call('PATCH', url, { html: 'Pears' })).status).toBe(403);
      expect((await who.call('DELETE', url)).status).toBe(403);
    }
    expect((await world.team.call('PATCH', url, { html: 'Pears' })).status).toBe(404);
    expect((await ada.call('PATCH', url, {})).status).toBe(400);
    expect((await ada.call('PATCH', url, { html: 'Pears' })).body).toMatchObject({
      html: 'Pears',
      mentions: [],
    });
    expect(await idsOf(box, 'q=apples')).toEqual([]);
    expect(await idsOf(box, 'q=pears')).toEqual([threadId]);
    expect((await ada.call('DELETE', url)).body).toEqual({ id: note.id, success: true });
    expect((await ada.call('DELETE', url)).status).toBe(404);
    expect((await thread(threadId)).note_count).toBe(0);
  });

  test('bad notes are refused', async () => {
    const { box, threadId } = await fill();
    const write = (input: object) => ada.call('POST', `/threads/${threadId}/notes`, input);
    for (const input of [
      {},
      { html: '' },
      { html: '<script>1</script>' },
      { html: 'x'.repeat(20_001) },
      { html: 'x', mentions: ['usr_01kbd8x4zvf7m8rk2q3w5t6y7h'] },
      { html: 'x', mentions: 'all' },
    ])
      expect([Object.keys(input), (await write(input)).status]).toEqual([Object.keys(input), 400]);
    await owner.call('PUT', `/mailboxes/${box.id}/access`, {
      mode: 'listed',
      people: [{ user_id: ada.id, role: 'read' }],
    });
    expect((await write({ html: 'x', mentions: [bob.id] })).status).toBe(400);
    expect((await write({ html: 'x', mentions: [ada.id] })).status).toBe(200);
    expect((await bob.call('POST', `/threads/${threadId}/notes`, { html: 'x' })).status).toBe(404);
    expect((await bob.call('GET', `/threads/${threadId}/notes`)).status).toBe(404);
  });
});

test('a message that two mailboxes got is two copies, and a note stays with its own', async () => {
  const { box: one } = await fill();
  const { box: two } = await fill();
  const subject = `To both ${(count += 1)}`;
  const { data } = await world.write([one.address, two.address], rawMail({ subject }));
  expect(data).toMatch(/^250/);
  const idIn = async (box: Box) =>
    (await owner.call('GET', `/mailboxes/${box.id}/threads`)).body.items.find(
      (each: { subject: string }) => each.subject === subject,
    ).id;
  const [first, second] = [await idIn(one), await idIn(two)];
  await ada.call('POST', `/threads/${first}/notes`, { html: 'Only here' });
  await ada.call('PUT', `/threads/${first}/assignee`, { user_id: ada.id });
  expect(await thread(first)).toMatchObject({ note_count: 1, assignee: { user_id: ada.id } });
  expect(await thread(second)).toMatchObject({ note_count: 0, assignee: null });
});

test('people see who else has a thread open, and a key is nobody', async () => {
  const { threadId } = await fill();
  const url = `/threads/${threadId}/presence`;
  expect((await ada.call('PUT', url, { state: 'viewing' })).body).toEqual({ present: [] });
  const { body } = await bob.call('PUT', url, { state: 'replying' });
  expect(body).toEqual({ present: [{ user_id: ada.id, name: 'A member', state: 'viewing' }] });
  expect((await thread(threadId, ada)).present).toEqual([
    { user_id: bob.id, name: 'A member', state: 'replying' },
  ]);
  expect((await thread(threadId)).present).toHaveLength(2);
  expect((await ada.call('PUT', url, { state: 'sleeping' })).status).toBe(400);
  const box = await world.freshMailbox();
  await world.receive(box, { subject: 'For a key' });
  const [own] = await world.threads(box.id);
  expect((await world.team.call('PUT', `/threads/${own!.id}/presence`, { state: 'viewing' })).status).toBe(
    400,
  );
});
