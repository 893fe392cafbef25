import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

let world: MailWorld;
let count = 0;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

function id(name: string): string {
  return `<${name}.${(count += 1)}@threads.example>`;
}

test('References and In-Reply-To join messages into a thread, whatever the subject', async () => {
  const box = await world.freshMailbox();
  const [first, second] = [id('first'), id('second')];
  await world.receive(box, { id: first, subject: 'One' });
  await world.receive(box, { id: second, subject: 'Two', more: `In-Reply-To: ${first}` });
  await world.receive(box, {
    subject: 'Three',
    from: 'bob@example.net',
    more: `References: <no@x.example> ${second}`,
  });
  const items = await world.threads(box.id);
  expect(items).toMatchObject([{ subject: 'One', message_count: 3 }]);
  const { messages } = await world.thread(items[0]!.id);
  expect(messages.map(({ subject }) => subject)).toEqual(['One', 'Two', 'Three']);
});

test('without references, the same subject and sender join messages into a thread', async () => {
  const box = await world.freshMailbox();
  await world.receive(box, { subject: 'Invoice 12' });
  await world.receive(box, { subject: 'Re: Invoice 12' });
  await world.receive(box, { subject: 'Re: Invoice 12', from: 'mallory@example.net' });
  await world.receive(box, { subject: '' });
  await world.receive(box, { subject: '' });
  const counts = (await world.threads(box.id)).map((thread) => thread.message_count);
  expect(counts.toSorted()).toEqual([1, 1, 1, 2]);
});

test('the same subject after 31 days starts a new thread', async () => {
  const box = await world.freshMailbox();
  await world.receive(box, { subject: 'Monthly' });
  await sql`update threads set last_message_at = now() - interval '31 days' where subject = 'Monthly'`.execute(
    world.server.db,
  );
  await world.receive(box, { subject: 'Re: Monthly' });
  expect(await world.threads(box.id)).toHaveLength(2);
});

test('a parent that arrives later joins the thread of its reply', async () => {
  const box = await world.freshMailbox();
  const parent = id('parent');
  await world.receive(box, { subject: 'Re: Late', from: 'bob@example.net', more: `In-Reply-To: ${parent}` });
  const [orphan] = await world.threads(box.id);
  await world.receive(box, { id: parent, subject: 'Quite another subject' });
  expect(await world.threads(box.id)).toMatchObject([{ id: orphan!.id, message_count: 2 }]);
});

test('replies to the same message share a thread even if that message is missing', async () => {
  const box = await world.freshMailbox();
  const [missing, second] = [id('missing'), id('second')];
  await world.receive(box, { subject: 'Yes', from: 'bob@example.net', more: `In-Reply-To: ${missing}` });
  await world.receive(box, {
    id: second,
    subject: 'No',
    from: 'eve@example.net',
    more: `References: ${missing}`,
  });
  await world.receive(box, { subject: 'Else', more: 'References: <else@x.example>' });
  const counts = (await world.threads(box.id)).map(({ subject, message_count }) => [subject, message_count]);
  expect(counts.toSorted()).toEqual([
    ['Else', 1],
    ['Yes', 2],
  ]);
});

test('a message that connects two threads merges them, and both ids still work', async () => {
  const box = await world.freshMailbox();
  const [root, middle] = [id('root'), id('middle')];
  await world.receive(box, { id: root, subject: 'Root' });
  await world.receive(box, { subject: 'Leaf', from: 'bob@example.net', more: `In-Reply-To: ${middle}` });
  const apart = await world.threads(box.id);
  expect(apart).toHaveLength(2);
  await world.receive(box, {
    id: middle,
    subject: 'Middle',
    from: 'eve@example.net',
    more: `In-Reply-To: ${root}`,
  });
  const [one, ...rest] = await world.threads(box.id);
  expect([one!.message_count, rest]).toEqual([3, []]);
  for (const part of apart) expect((await world.thread(part.id)).messages).toHaveLength(3);
  expect(await world.folder(box.id, 'inbox')).toEqual({ folder: 'inbox', unread: 1, total: 1 });
  const merged = apart.find((part) => part.id !== one!.id)!;
  expect((await world.team.call('PATCH', `/threads/${merged.id}`, { read: true })).status).toBe(200);
  expect((await world.thread(one!.id)).unread).toBe(false);
});

test('messages of a conversation that arrive concurrently in any order form one thread', async () => {
  const box = await world.freshMailbox();
  const ids = Array.from({ length: 12 }, (_, at) => id(`chain${at}`));
  const messages = ids.map((own, at) =>
    rawMail({
      id: own,
      subject: `Part ${at}`,
      from: `p${at}@example.net`,
      more: at === 0 ? '' : `In-Reply-To: ${ids[at - 1]!}`,
    }),
  );
  const shuffled = messages.map((_, at) => messages[(at * 7) % messages.length]!);
  const answers = await Promise.all(shuffled.map((each) => world.write(box.address, each)));
  for (const { data } of answers) expect(data).toMatch(/^250/);
  const [thread, ...rest] = await world.threads(box.id);
  expect([thread!.message_count, rest]).toEqual([12, []]);
  expect((await world.thread(thread!.id)).messages).toHaveLength(12);
  expect(await world.folder(box.id, 'inbox')).toEqual({ folder: 'inbox', unread: 1, total: 1 });
});

test('an answer joins the thread of the sent message', async () => {
  const box = await world.freshMailbox();
  const { body: sent } = await world.team.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['charles@example.org'],
    subject: 'A question',
    text: 'Does it turn?',
  });
  expect((await world.thread(sent.thread_id)).folder).toBe('sent');
  const { message_id } = (await world.team.call('GET', `/messages/${sent.id}`)).body;
  await world.receive(box, {
    subject: 'It does',
    from: 'bob@example.net',
    more: `In-Reply-To: ${message_id}`,
  });
  expect(await world.thread(sent.thread_id)).toMatchObject({
    folder: 'inbox',
    message_count: 2,
    unread: true,
  });
});
