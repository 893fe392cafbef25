import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

async function subjectsOf(mailboxId: string, query = ''): Promise<string[]> {
  return (await world.threads(mailboxId, query)).map(({ subject }) => subject);
}

function change(box: { id: string }, body: unknown, team = world.team) {
  return team.call('PATCH', `/mailboxes/${box.id}/threads`, body);
}

test('a list can start at any offset, also from a cursor', async () => {
  const box = await world.freshMailbox();
  for (const subject of ['a', 'b', 'c', 'd', 'e']) await world.receive(box, { subject });
  expect(await subjectsOf(box.id, '?folder=inbox&offset=2&limit=2')).toEqual(['c', 'b']);
  expect(await subjectsOf(box.id, '?offset=4')).toEqual(['a']);
  expect(await subjectsOf(box.id, '?folder=inbox&offset=5')).toEqual([]);
  const { body } = await world.team.call('GET', `/mailboxes/${box.id}/threads?offset=1&limit=1`);
  expect(await subjectsOf(box.id, `?cursor=${body.next_cursor}&offset=1&limit=1`)).toEqual(['b']);
  for (const offset of ['-1', 'x', '1.5', '99999999999'])
    expect((await world.team.call('GET', `/mailboxes/${box.id}/threads?offset=${offset}`)).status).toBe(400);
});

describe('many threads together', () => {
  test('are marked and moved in one request, and missing ids are reported', async () => {
    const [box, elsewhere] = [await world.freshMailbox(), await world.freshMailbox()];
    for (const subject of ['a', 'b', 'c']) await world.receive(box, { subject });
    await world.receive(elsewhere);
    const [c, b, a] = (await world.threads(box.id)).map((thread) => thread.id) as [string, string, string];
    const [foreign] = await world.threads(elsewhere.id);
    const answer = await change(box, {
      ids: [a, c, a, foreign!.id, 'nobody'],
      read: true,
      folder: 'archive',
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      { success: false, not_found: [foreign!.id, 'nobody'] },
    ]);
    expect(await subjectsOf(box.id, '?folder=archive&unread=false')).toEqual(['c', 'a']);
    expect((await world.thread(a)).messages.every(({ read }) => read)).toBe(true);
    expect(await world.threads(elsewhere.id)).toMatchObject([{ folder: 'inbox', unread: true }]);
    expect(await world.folder(box.id, 'archive')).toEqual({ folder: 'archive', unread: 0, total: 2 });
    expect((await change(box, { ids: [a, b, c], read: false })).body).toEqual({
      success: true,
      not_found: [],
    });
    expect(await world.folder(box.id, 'inbox')).toEqual({ folder: 'inbox', unread: 1, total: 1 });
  });

  test('are not changed by invalid input or by other teams', async () => {
    const box = await world.freshMailbox();
    await world.receive(box);
    const [thread] = await world.threads(box.id);
    const ids = [thread!.id];
    for (const body of [
      { ids },
      { ids: [], read: true },
      { ids: 'x', read: true },
      { ids: [7], read: true },
      { ids, folder: 'sent' },
      { read: true },
      { ids: Array.from({ length: 1001 }, () => thread!.id), read: true },
      null,
    ])
      expect((await change(box, body)).status).toBe(400);
    expect((await change(box, { ids, read: true }, world.other)).status).toBe(404);
    expect((await change({ id: 'mbx_nobody' }, { ids, read: true })).status).toBe(404);
    expect((await world.thread(thread!.id)).unread).toBe(true);
  });

  test('can be moved back and forth by concurrent callers', async () => {
    const box = await world.freshMailbox();
    for (let at = 0; at < 6; at += 1) await world.receive(box);
    const ids = (await world.threads(box.id)).map((thread) => thread.id);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        change(box, {
          ids: at % 2 ? ids : ids.toReversed(),
          folder: at % 3 ? 'archive' : 'inbox',
          read: at % 2 === 0,
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const [inbox, archive] = [await world.folder(box.id, 'inbox'), await world.folder(box.id, 'archive')];
    expect([inbox.total + archive.total, inbox.total * archive.total]).toEqual([6, 0]);
  });
});
