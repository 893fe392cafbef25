import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeId } from '../../../platform/ids.ts';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { setUpOwner, type TestPerson } from '../../../testing/people.ts';

let world: MailWorld;
let owner: TestPerson;
let count = 0;

beforeAll(async () => {
  world = await startMailWorld();
  owner = await setUpOwner(world.server);
});
afterAll(() => world.close());

function newId(name: string): string {
  return `<${name}.${(count += 1)}@merging.example>`;
}

interface Box {
  id: string;
  address: string;
}

/** Receives a message, and returns the ID of its thread and its own. */
async function receive(
  box: Box,
  subject: string,
  id: string,
  references: string[] = [],
  from = 'bob@example.net',
) {
  await world.receive(box, {
    subject,
    id,
    from,
    more: references.length > 0 ? `References: ${references.join(' ')}` : '',
  });
  const threads = await world.threads(box.id);
  const all = await Promise.all(threads.map((thread) => world.thread(thread.id)));
  const message = all.flatMap(({ messages }) => messages).findLast((each) => each.subject === subject)!;
  return { threadId: message.thread_id, messageId: message.id };
}

async function subjectsOf(threadId: string): Promise<string[]> {
  return (await world.thread(threadId)).messages.map(({ subject }) => subject);
}

function merge(threadId: string, from: string[]) {
  return world.team.call('POST', `/threads/${threadId}/merge`, { from });
}

describe('merging', () => {
  test('the messages join the thread, its old ID still works, and a later answer follows', async () => {
    const box = await world.freshMailbox();
    const [one, two] = [newId('one'), newId('two')];
    const first = await receive(box, 'Apples', one);
    const second = await receive(box, 'Pears', two, [], 'eve@example.org');
    const { status, body } = await merge(first.threadId, [second.threadId]);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: first.threadId, subject: 'Apples', message_count: 2, unread: true });
    expect(body.participants).toEqual(expect.arrayContaining(['bob@example.net', 'eve@example.org']));
    expect(body.messages.map(({ subject }: { subject: string }) => subject)).toEqual(['Apples', 'Pears']);
    expect((await world.thread(second.threadId)).id).toBe(first.threadId);
    const answer = await receive(box, 'Quite other', newId('answer'), [two]);
    expect(answer.threadId).toBe(first.threadId);
    expect(await world.threads(box.id)).toHaveLength(1);
    expect((await merge(first.threadId, [second.threadId])).status).toBe(200);
    expect(await world.folder(box.id, 'inbox')).toMatchObject({ total: 1, unread: 1 });
  });

  test('undoing gives back the thread with its ID, and the answers that have arrived since', async () => {
    const box = await world.freshMailbox();
    const [one, two, three] = [newId('one'), newId('two'), newId('three')];
    const first = await receive(box, 'Plums', one);
    const second = await receive(box, 'Figs', two, [], 'eve@example.org');
    await merge(first.threadId, [second.threadId]);
    await receive(box, 'Re: Figs', three, [two]);
    await receive(box, 'Re: Plums', newId('four'), [one]);
    const { status, body } = await world.team.call('DELETE', `/threads/${first.threadId}/merge`);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, thread_ids: [first.threadId, second.threadId] });
    expect(await subjectsOf(first.threadId)).toEqual(['Plums', 'Re: Plums']);
    expect(await subjectsOf(second.threadId)).toEqual(['Figs', 'Re: Figs']);
    expect((await world.thread(first.threadId)).participants).not.toContain('eve@example.org');
    // Who refers to both answers the later one, and merges nothing.
    const both = await receive(box, 'Both', newId('both'), [one, three]);
    expect(both.threadId).toBe(second.threadId);
    expect(await world.threads(box.id)).toHaveLength(2);
    expect((await world.team.call('DELETE', `/threads/${first.threadId}/merge`)).status).toBe(409);
  });

  test('notes and the assignee go along, and come back', async () => {
    const box = await world.freshMailbox();
    const first = await receive(box, 'Kept', newId('kept'));
    const second = await receive(box, 'Other', newId('other'), [], 'eve@example.org');
    const [keptKey, otherKey] = [first, second].map(({ threadId }) => decodeId('thr', threadId));
    const boxKey = decodeId('mbx', box.id);
    const { db } = world.server;
    const { teamId } = world.team;
    await sql`insert into memberships (team_id, user_id, role) values (${teamId}, ${decodeId('usr', owner.id)}, 'member')
      on conflict do nothing`.execute(db);
    await sql`insert into thread_assignments (team_id, thread_id, mailbox_id, user_id)
      values (${teamId}, ${otherKey}, ${boxKey}, ${decodeId('usr', owner.id)})`.execute(db);
    await sql`insert into thread_notes (team_id, id, thread_id, mailbox_id, author, html, words)
      values (${teamId}, gen_random_uuid(), ${otherKey}, ${boxKey}, 'x', '<p>call</p>', '{call}')`.execute(
      db,
    );
    const placesOf = async () => {
      const { rows } = await sql<{ thread_id: string }>`
        select thread_id from thread_notes where mailbox_id = ${boxKey}
        union all select thread_id from thread_assignments where mailbox_id = ${boxKey}`.execute(db);
      return rows.map(({ thread_id }) => thread_id);
    };
    await merge(first.threadId, [second.threadId]);
    expect(await placesOf()).toEqual([keptKey, keptKey]);
    // Undone by the ID of the thread that is away.
    expect((await world.team.call('DELETE', `/threads/${second.threadId}/merge`)).status).toBe(200);
    expect(await placesOf()).toEqual([otherKey, otherKey]);
  });

  test('a thread is merged neither into itself, nor across mailboxes or teams, nor by someone who only reads', async () => {
    const [box, elsewhere] = [await world.freshMailbox(), await world.freshMailbox()];
    const one = await receive(box, 'Here', newId('here'));
    const two = await receive(elsewhere, 'There', newId('there'));
    const three = await receive(box, 'Near', newId('near'), [], 'eve@example.org');
    expect((await merge(one.threadId, [two.threadId])).status).toBe(400);
    expect((await merge(one.threadId, [one.threadId])).status).toBe(400);
    expect((await merge(one.threadId, [])).status).toBe(400);
    expect((await merge(one.threadId, Array(51).fill(three.threadId))).status).toBe(400);
    expect((await merge(one.threadId, ['thr_none'])).status).toBe(404);
    expect((await merge('thr_none', [one.threadId])).status).toBe(404);
    expect((await world.team.call('DELETE', `/threads/${one.threadId}/merge`)).status).toBe(409);
    const theirs = await world.other.call('POST', `/threads/${one.threadId}/merge`, {
      from: [three.threadId],
    });
    expect(theirs.status).toBe(404);
    expect(await world.threads(box.id)).toHaveLength(2);
  });
});

describe('splitting', () => {
  test('a message and the later ones become a thread, and answers follow what they answer', async () => {
    const box = await world.freshMailbox();
    const ids = ['a', 'b', 'c', 'd'].map(newId);
    for (const [at, id] of ids.entries()) await receive(box, `Part ${at}`, id, ids.slice(0, at));
    const [thread] = await world.threads(box.id);
    const { messages } = await world.thread(thread!.id);
    const { status, body } = await world.team.call('POST', `/messages/${messages[2]!.id}/split`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ subject: 'Part 2', message_count: 2 });
    expect(body.id).not.toBe(thread!.id);
    expect(await subjectsOf(thread!.id)).toEqual(['Part 0', 'Part 1']);
    const later = await receive(box, 'To d', newId('e'), ids);
    expect(later.threadId).toBe(body.id);
    expect((await receive(box, 'To b', newId('f'), ids.slice(0, 2))).threadId).toBe(thread!.id);
    expect((await receive(box, 'Only to c', newId('g'), [ids[2]!], 'eve@example.org')).threadId).toBe(
      body.id,
    );
    expect((await receive(box, 'Only to a', newId('h'), [ids[0]!], 'eve@example.org')).threadId).toBe(
      thread!.id,
    );
    const undone = await world.team.call('DELETE', `/messages/${messages[2]!.id}/split`);
    expect(undone.status).toBe(200);
    expect(undone.body).toMatchObject({ id: thread!.id, message_count: 8 });
    expect((await world.thread(body.id)).id).toBe(thread!.id);
    expect((await world.team.call('DELETE', `/messages/${messages[2]!.id}/split`)).status).toBe(409);
    expect((await receive(box, 'To all', newId('i'), ids)).threadId).toBe(thread!.id);
  });

  test('both parts of a snoozed thread are snoozed, and the first message stays where it is', async () => {
    const box = await world.freshMailbox();
    const [a, b] = [newId('a'), newId('b')];
    const one = await receive(box, 'First', a);
    await receive(box, 'Second', b, [a]);
    const { messages } = await world.thread(one.threadId);
    const [key, boxKey] = [decodeId('thr', one.threadId), decodeId('mbx', box.id)];
    await sql`insert into thread_snoozes (team_id, id, thread_id, mailbox_id, until, wake, created_by)
      values (${world.team.teamId}, gen_random_uuid(), ${key}, ${boxKey}, now() + interval '1 day', 'time_only', 'x')`.execute(
      world.server.db,
    );
    expect((await world.team.call('POST', `/messages/${messages[0]!.id}/split`)).status).toBe(400);
    const { body } = await world.team.call('POST', `/messages/${messages[1]!.id}/split`);
    const { rows } = await sql<{ thread_id: string }>`
      select thread_id from thread_snoozes where mailbox_id = ${boxKey}`.execute(world.server.db);
    expect(new Set(rows.map(({ thread_id }) => thread_id))).toEqual(new Set([key, decodeId('thr', body.id)]));
    expect((await world.other.call('POST', `/messages/${messages[1]!.id}/split`)).status).toBe(404);
  });
});
