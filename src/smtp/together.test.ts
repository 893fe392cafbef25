import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../testing/mail-world.ts';

let world: MailWorld;
let count = 0;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

function writeAll(to: string | string[], letters: string[]) {
  return Promise.all(letters.map(async (each) => (await world.write(to, each)).data));
}

test('concurrent messages are all stored in their threads, and the counts are exact', async () => {
  const boxes = [await world.freshMailbox(), await world.freshMailbox()];
  const letters = Array.from({ length: 30 }, (_, at) => rawMail({ subject: `Matter ${at}` }));
  const replies = await writeAll(
    boxes.map(({ address }) => address),
    letters,
  );
  for (const reply of replies) expect(reply).toMatch(/^250/);
  for (const { id } of boxes) {
    expect(await world.threads(id, '?limit=100')).toHaveLength(30);
    expect(await world.folder(id, 'inbox')).toMatchObject({ unread: 30, total: 30 });
  }
});

test('a message that is delivered twenty times at once is stored once, and every delivery is accepted', async () => {
  const box = await world.freshMailbox();
  const same = rawMail();
  const replies = await writeAll(
    box.address,
    Array.from({ length: 20 }, () => same),
  );
  for (const reply of replies) expect(reply).toMatch(/^250/);
  expect(await world.threads(box.id)).toMatchObject([{ message_count: 1 }]);
  expect(await world.folder(box.id, 'inbox')).toMatchObject({ unread: 1, total: 1 });
});

test('concurrent messages of a conversation form one thread in any order', async () => {
  const box = await world.freshMailbox();
  const ids = Array.from({ length: 20 }, (_, at) => `<${at}.${(count += 1)}@talk.example>`);
  const letters = ids.map((id, at) =>
    rawMail({ id, subject: `Word ${at} of it`, ...(at > 0 && { more: `In-Reply-To: ${ids[at - 1]}` }) }),
  );
  await writeAll(box.address, letters.toReversed());
  expect(await world.threads(box.id)).toMatchObject([{ message_count: 20 }]);
  expect(await world.folder(box.id, 'inbox')).toMatchObject({ unread: 1, total: 1 });
});

test('concurrent replies to different messages of a thread all join it', async () => {
  const box = await world.freshMailbox();
  const first = rawMail({ id: '<first@fork.example>', subject: 'Fork' });
  const second = rawMail({
    id: '<second@fork.example>',
    subject: 'Fork 2',
    more: 'In-Reply-To: <first@fork.example>',
  });
  await world.write(box.address, first);
  await world.write(box.address, second);
  const answers = Array.from({ length: 10 }, (_, at) =>
    rawMail({
      subject: `Other ${at}`,
      more: `In-Reply-To: <${at % 2 === 0 ? 'first' : 'second'}@fork.example>`,
    }),
  );
  await writeAll(box.address, answers);
  expect(await world.threads(box.id)).toMatchObject([{ message_count: 12 }]);
});

test('a message that cannot be stored does not affect the others of its batch', async () => {
  const box = await world.freshMailbox();
  await sql`
    create function refuse_poison() returns trigger language plpgsql as $$
      begin
        if new.subject = 'Poison' then raise exception 'no' using errcode = 'check_violation'; end if;
        return new;
      end
    $$
  `.execute(world.server.db);
  await sql`
    create trigger refuse_poison before insert on messages for each row execute function refuse_poison()
  `.execute(world.server.db);
  const letters = Array.from({ length: 20 }, (_, at) =>
    rawMail({ subject: at === 7 ? 'Poison' : `Meal ${at}` }),
  );
  const replies = await writeAll(box.address, letters);
  await sql`drop trigger refuse_poison on messages`.execute(world.server.db);
  replies.forEach((reply, at) => expect(reply).toMatch(at === 7 ? /^451/ : /^250/));
  expect(await world.threads(box.id)).toHaveLength(19);
  expect(await world.folder(box.id, 'inbox')).toMatchObject({ unread: 19, total: 19 });
  expect((await world.write(box.address, letters[7]!)).data).toMatch(/^250/);
});

test('sending a reply and receiving mail in the same thread do not block each other', async () => {
  const box = await world.freshMailbox();
  const id = '<root@block.example>';
  await world.receive(box, { id, subject: 'Block' });
  const [thread] = await world.threads(box.id);
  const path = `/mailboxes/${box.id}/drafts`;
  const { body: draft } = await world.team.call('POST', path, { thread_id: thread!.id, text: 'Begun' });
  const more = `In-Reply-To: ${id}`;
  for (let round = 0; round < 15; round += 1) {
    await Promise.all([
      ...Array.from({ length: 4 }, () => world.receive(box, { more })),
      ...Array.from({ length: 4 }, () =>
        world.team.call('PATCH', `${path}/${draft.id}`, { text: `${round}` }),
      ),
      ...[true, false].map((read) => world.team.call('PATCH', `/threads/${thread!.id}`, { read })),
    ]);
  }
  // A connection reports its statistics when it is idle.
  await setTimeout(1_500);
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks::integer from pg_stat_database where datname = current_database()
  `.execute(world.server.db);
  expect(rows[0]!.deadlocks).toBe(0);
  expect(await world.thread(thread!.id)).toMatchObject({ message_count: 62 });
});
