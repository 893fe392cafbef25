import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

async function createFolder(box: { id: string }, name: string): Promise<{ id: string; name: string }> {
  const { status, body } = await world.team.call('POST', `/mailboxes/${box.id}/folders`, { name });
  expect([status, body.name, body.role]).toEqual([200, name, null]);
  return body;
}

async function namesOf(box: { id: string }): Promise<string[]> {
  const { body } = await world.team.call('GET', `/mailboxes/${box.id}/folders`);
  return body.items.filter(({ role }: { role: string | null }) => role === null).map(toName);
}

const toName = ({ name }: { name: string }) => name;

async function subjectsOf(mailboxId: string, query: string): Promise<string[]> {
  return (await world.threads(mailboxId, query)).map(({ subject }) => subject);
}

describe('a folder', () => {
  test('is created with its parents, renamed with its children, and keeps its messages', async () => {
    const box = await world.freshMailbox();
    const acme = await createFolder(box, 'Clients/Acme');
    expect(await namesOf(box)).toEqual(['Clients', 'Clients/Acme']);
    await world.receive(box, { subject: 'Offer' });
    const [thread] = await world.threads(box.id);
    expect((await world.team.call('PATCH', `/threads/${thread!.id}`, { folder: acme.id })).status).toBe(200);
    expect(await world.folder(box.id, acme.id)).toEqual({ folder: acme.id, unread: 1, total: 1 });
    const { body: list } = await world.team.call('GET', `/mailboxes/${box.id}/folders`);
    const parent = list.items.find(({ name }: { name: string }) => name === 'Clients');
    const path = `/mailboxes/${box.id}/folders/${parent.id}`;
    expect((await world.team.call('PATCH', path, { name: 'Customers' })).body.name).toBe('Customers');
    expect(await namesOf(box)).toEqual(['Customers', 'Customers/Acme']);
    for (const folder of [acme.id, 'Customers%2FAcme'])
      expect(await subjectsOf(box.id, `?folder=${folder}`)).toEqual(['Offer']);
    expect(await subjectsOf(box.id, '?folder=inbox')).toEqual([]);
    expect((await world.team.call('GET', `/mailboxes/${box.id}/folders/${acme.id}`)).body).toMatchObject({
      name: 'Customers/Acme',
      messages: 1,
      unread_messages: 1,
    });
  });

  test('that is deleted takes its children along, and all messages go to the trash', async () => {
    const box = await world.freshMailbox();
    const parent = await createFolder(box, 'Old');
    const child = await createFolder(box, 'Old/Older');
    const other = await createFolder(box, 'Oldest');
    await world.receive(box, { subject: 'a' });
    await world.receive(box, { subject: 'b' });
    const [b, a] = await world.threads(box.id);
    await world.team.call('PATCH', `/threads/${a!.id}`, { folder: parent.id });
    await world.team.call('PATCH', `/threads/${b!.id}`, { folder: child.id });
    const { body } = await world.team.call('DELETE', `/mailboxes/${box.id}/folders/${parent.id}`);
    expect(body).toEqual({ id: parent.id, success: true });
    expect(await namesOf(box)).toEqual([other.name]);
    expect(await subjectsOf(box.id, '?folder=trash')).toEqual(['b', 'a']);
    expect((await world.thread(a!.id)).messages[0]!.folder).toBe('trash');
    const again = await world.team.call('DELETE', `/mailboxes/${box.id}/folders/${parent.id}`);
    expect(again.status).toBe(404);
  });

  test.each([
    ['', 400],
    ['   ', 400],
    [' '.repeat(4000), 400],
    ['a//b', 400],
    ['/a', 400],
    ['a/', 400],
    ['a/ b', 400],
    ['50%', 400],
    ['a*', 400],
    ['tab\there', 400],
    ['nul\0', 400],
    ['\ud800', 400],
    ['x'.repeat(201), 400],
    [7, 400],
    [null, 400],
    ['inbox', 409],
    ['Sent', 409],
    ['Taken', 409],
    ['x'.repeat(200), 200],
    ['Überweisungen/東京', 200],
  ])('named %j gives %i', async (name, expected) => {
    const box = await world.freshMailbox();
    await createFolder(box, 'Taken');
    const { status, body } = await world.team.call('POST', `/mailboxes/${box.id}/folders`, { name });
    expect(status).toBe(expected);
    if (expected === 400) expect(body.error.code).toBe('BAD_REQUEST');
  });

  test('of the system cannot be renamed or deleted', async () => {
    const box = await world.freshMailbox();
    for (const id of ['inbox', 'trash']) {
      const path = `/mailboxes/${box.id}/folders/${id}`;
      expect((await world.team.call('PATCH', path, { name: 'Else' })).status).toBe(409);
      expect((await world.team.call('DELETE', path)).status).toBe(409);
    }
  });

  test('cannot be moved into itself or onto another', async () => {
    const box = await world.freshMailbox();
    const a = await createFolder(box, 'A');
    await createFolder(box, 'B');
    const path = `/mailboxes/${box.id}/folders/${a.id}`;
    expect((await world.team.call('PATCH', path, { name: 'A/C' })).status).toBe(400);
    expect((await world.team.call('PATCH', path, { name: 'B' })).status).toBe(409);
    expect(await namesOf(box)).toEqual(['A', 'B']);
  });

  test('of another team or mailbox is not found', async () => {
    const [box, elsewhere] = [await world.freshMailbox(), await world.freshMailbox()];
    const folder = await createFolder(box, 'Ours');
    const path = `/mailboxes/${box.id}/folders`;
    for (const [method, where, body] of [
      ['POST', path, { name: 'Theirs' }],
      ['GET', `${path}/${folder.id}`, undefined],
      ['PATCH', `${path}/${folder.id}`, { name: 'Theirs' }],
      ['DELETE', `${path}/${folder.id}`, undefined],
    ] as const)
      expect((await world.other.call(method, where, body)).status).toBe(404);
    const foreign = `/mailboxes/${elsewhere.id}/folders/${folder.id}`;
    expect((await world.team.call('PATCH', foreign, { name: 'Mine' })).status).toBe(404);
    expect((await world.team.call('DELETE', foreign)).status).toBe(404);
    await world.receive(elsewhere);
    const [thread] = await world.threads(elsewhere.id);
    const moved = await world.team.call('PATCH', `/threads/${thread!.id}`, { folder: folder.id });
    expect(moved.status).toBe(404);
    expect(await namesOf(box)).toEqual(['Ours']);
  });

  test('is created once by concurrent callers', async () => {
    const box = await world.freshMailbox();
    const path = `/mailboxes/${box.id}/folders`;
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) => world.team.call('POST', path, { name: `New/${at % 2}` })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 409, 409, 409, 409]);
    expect(await namesOf(box)).toEqual(['New', 'New/0', 'New/1']);
  });
});

test('counts of sent messages and drafts leave out those in the trash', async () => {
  const box = await world.freshMailbox();
  const message = { to: ['x@example.org'], subject: 'Gone', text: 'x' };
  const path = `/mailboxes/${box.id}`;
  const { body: sent } = await world.team.call('POST', `${path}/messages`, { ...message, undo_seconds: 0 });
  const { body: waiting } = await world.team.call('POST', `${path}/messages`, {
    ...message,
    undo_seconds: 120,
  });
  const { body: draft } = await world.team.call('POST', `${path}/drafts`, message);
  const totals = () =>
    Promise.all(
      ['sent', 'scheduled', 'drafts'].map(async (name) => (await world.folder(box.id, name)).total),
    );
  expect(await totals()).toEqual([1, 1, 1]);
  for (const { thread_id } of [sent, waiting, draft])
    await world.team.call('PATCH', `/threads/${thread_id}`, { folder: 'trash' });
  expect(await totals()).toEqual([0, 0, 0]);
  expect((await world.team.call('GET', `${path}/drafts`)).body.items).toEqual([]);
});
