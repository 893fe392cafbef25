import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeId } from '../../../platform/ids.ts';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

interface Box {
  id: string;
  address: string;
}

/** Creates a mailbox with a thread per subject, some of them in the trash. Returns the IDs in the same order. */
async function fill(subjects: string[], trashed: string[]): Promise<[Box, string[]]> {
  const box = await world.freshMailbox();
  for (const subject of subjects) await world.receive(box, { subject });
  const threads = await world.threads(box.id);
  const ids = subjects.map((subject) => threads.find((thread) => thread.subject === subject)!.id);
  for (const subject of trashed) {
    const id = ids[subjects.indexOf(subject)];
    await world.team.call('PATCH', `/threads/${id}`, { folder: 'trash' });
  }
  return [box, ids];
}

const subjectsIn = async (box: Box, folder: string) =>
  (await world.threads(box.id, `?folder=${folder}`)).map(({ subject }) => subject);

function remove(box: Box, body: unknown, team = world.team) {
  return team.call('DELETE', `/mailboxes/${box.id}/threads`, body);
}

function empty(box: { id: string }, team = world.team) {
  return team.call('DELETE', `/mailboxes/${box.id}/trash`);
}

describe('many threads together', () => {
  test('are deleted from the trash; ids that are not in the trash are reported and stay', async () => {
    const [box, [a, b, c]] = await fill(['a', 'b', 'c', 'd'], ['a', 'b', 'd']);
    const [elsewhere, [foreign]] = await fill(['x'], ['x']);
    const { status, body } = await remove(box, { ids: [a, b, a, c, foreign, 'nobody'] });
    expect([status, body]).toEqual([200, { success: false, not_found: [c, foreign, 'nobody'] }]);
    expect(await subjectsIn(box, 'trash')).toEqual(['d']);
    expect(await subjectsIn(box, 'inbox')).toEqual(['c']);
    expect(await subjectsIn(elsewhere, 'trash')).toEqual(['x']);
    expect(await world.folder(box.id, 'trash')).toMatchObject({ total: 1 });
    expect((await world.team.call('GET', `/threads/${a}`)).status).toBe(404);
    expect((await remove(box, { ids: [a] })).body).toEqual({ success: false, not_found: [a] });
  });

  test('are not deleted by invalid input or by other teams', async () => {
    const [box, [a]] = await fill(['a'], ['a']);
    for (const body of [{}, { ids: [] }, { ids: 'a' }, { ids: [7] }, { ids: Array(1_001).fill(a) }, null])
      expect((await remove(box, body)).status).toBe(400);
    expect((await remove(box, { ids: [a] }, world.other)).status).toBe(404);
    expect(await subjectsIn(box, 'trash')).toEqual(['a']);
  });
});

describe('the trash', () => {
  test('is emptied permanently, including scheduled messages, and other folders stay', async () => {
    const [box, [a]] = await fill(['a', 'b', 'c'], ['a', 'b']);
    const to = ['charles@example.org'];
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    const reply = { to, text: 'Later.', thread_id: a, send_at };
    const { body: waiting } = await world.team.call('POST', `/mailboxes/${box.id}/messages`, reply);
    await world.team.call('PATCH', `/threads/${a}`, { folder: 'trash' });
    const { status, body } = await empty(box);
    expect([status, body]).toEqual([200, { deleted: 2, left: 0 }]);
    expect(await subjectsIn(box, 'trash')).toEqual([]);
    expect(await subjectsIn(box, 'inbox')).toEqual(['c']);
    expect(await world.folder(box.id, 'trash')).toMatchObject({ total: 0, unread: 0 });
    expect((await world.team.call('POST', `/scheduled/${waiting.id}/send-now`)).status).toBe(404);
    expect((await empty(box)).body).toEqual({ deleted: 0, left: 0 });
  });

  test('can be emptied by concurrent callers, and each thread is counted once', async () => {
    const subjects = Array.from({ length: 12 }, (_, at) => `s${at}`);
    const [box] = await fill(subjects, subjects);
    const answers = await Promise.all(Array.from({ length: 6 }, () => empty(box)));
    for (const { status } of answers) expect(status).toBe(200);
    expect(answers.reduce((sum, { body }) => sum + body.deleted, 0)).toBe(12);
    expect(await world.folder(box.id, 'trash')).toMatchObject({ total: 0 });
  });

  test('with thousands of threads is shared between concurrent callers', async () => {
    const box = await world.freshMailbox();
    await sql`
      insert into threads (team_id, id, mailbox_id, folder, subject, base_subject, participants, participant_keys,
        snippet, message_count, unread_count, last_message_at)
      select team_id, make_uuid(), id, 'trash', 'Old', '', '{}', '{}', '', 1, 0, now() - n * interval '1 minute'
      from mailboxes, generate_series(1, 2500) as n where id = ${decodeId('mbx', box.id)}
    `.execute(world.server.db);
    const answers = await Promise.all([empty(box), empty(box), empty(box)]);
    const deleted = answers.map(({ body }) => body.deleted as number);
    for (const share of deleted) expect(share).toBeGreaterThan(0);
    expect(deleted.reduce((sum, share) => sum + share, 0)).toBe(2_500);
    expect((await empty(box)).body).toEqual({ deleted: 0, left: 0 });
  });

  test('of another team cannot be emptied', async () => {
    const [box] = await fill(['a'], ['a']);
    expect((await empty(box, world.other)).status).toBe(404);
    expect((await empty({ id: 'nobody' })).status).toBe(404);
    expect(await subjectsIn(box, 'trash')).toEqual(['a']);
  });
});
