import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

let world: MailWorld;
let count = 0;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

type Box = Awaited<ReturnType<MailWorld['freshMailbox']>>;

/** Receives a message, and returns its Message-ID. */
async function receive(box: Box, subject: string, answersTo?: string): Promise<string> {
  const id = `<${(count += 1)}@muting.example>`;
  await world.receive(box, { subject, id, more: answersTo === undefined ? '' : `References: ${answersTo}` });
  return id;
}

const call = (...[method, path, body]: Parameters<MailWorld['team']['call']>) =>
  world.team.call(method, path, body);

test('a muted thread leaves the inbox, and its new messages skip it, unread, until it is unmuted', async () => {
  const box = await world.freshMailbox();
  const id = await receive(box, 'Lunch for all');
  const [thread] = await world.threads(box.id);
  const path = `/threads/${thread!.id}/mute`;
  expect(await world.thread(thread!.id)).toMatchObject({ muted: false });
  const { status, body } = await call('PUT', path);
  expect(status).toBe(200);
  expect(body).toMatchObject({ id: thread!.id, folder: 'archive', muted: true });
  expect((await call('PUT', path)).body).toMatchObject({ muted: true });
  await receive(box, 'Re: Lunch for all', id);
  expect(await world.thread(thread!.id)).toMatchObject({
    folder: 'archive',
    unread: true,
    message_count: 2,
  });
  expect(await world.threads(box.id, '?folder=inbox')).toEqual([]);
  expect(await world.threads(box.id, '?q=is:muted')).toMatchObject([{ id: thread!.id }]);
  // Other conversations are not concerned.
  await receive(box, 'Something else');
  expect(await world.threads(box.id, '?folder=inbox')).toMatchObject([{ subject: 'Something else' }]);
  expect((await call('DELETE', path)).body).toMatchObject({ folder: 'archive', muted: false });
  await receive(box, 'Re: Lunch for all', id);
  expect(await world.thread(thread!.id)).toMatchObject({ folder: 'inbox', message_count: 3 });
  const { items } = (await call('GET', `/threads/${thread!.id}/activity`)).body;
  expect(items.map(({ type }: { type: string }) => type)).toEqual(['unmuted', 'muted']);
  expect((await world.other.call('PUT', path)).status).toBe(404);
});

test('muting ends a snooze, rules still move, and both parts of a split are muted', async () => {
  const box = await world.freshMailbox();
  const id = await receive(box, 'Parts');
  const [thread] = await world.threads(box.id);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await call('PUT', `/threads/${thread!.id}/snooze`, { until });
  expect((await call('PUT', `/threads/${thread!.id}/mute`)).body).toMatchObject({
    folder: 'archive',
    snoozed_until: null,
  });
  await call('POST', `/mailboxes/${box.id}/rules`, {
    name: 'Urgent',
    conditions: [{ field: 'subject', op: 'contains', value: 'urgent' }],
    actions: [{ type: 'move', value: 'inbox' }],
  });
  await receive(box, 'urgent', id);
  const { messages } = await world.thread(thread!.id);
  expect(messages.map(({ folder }) => folder)).toEqual(['archive', 'inbox']);
  const { body: split } = await call('POST', `/messages/${messages[1]!.id}/split`);
  expect(split).toMatchObject({ muted: true, subject: 'urgent' });
});
