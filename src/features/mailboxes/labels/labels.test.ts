import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { dropLabel } from './labels.ts';
import { decodeId } from '../../../platform/ids.ts';

let world: MailWorld;
beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

const call = (...[method, path, body]: Parameters<MailWorld['team']['call']>) =>
  world.team.call(method, path, body);

test('a label has a name and a colour, and its keyword stays when the name changes', async () => {
  const box = await world.freshMailbox();
  const url = `/mailboxes/${box.id}/labels`;
  const { status, body } = await call('POST', url, { name: ' Größte Kunden ', color: '#AABBCC' });
  expect([status, body.name, body.color, body.keyword]).toEqual([
    200,
    'Größte Kunden',
    '#aabbcc',
    'Gro_te_Kunden',
  ]);
  const own = `${url}/${body.id}`;
  const renamed = (await call('PATCH', own, { name: 'VIP' })).body;
  expect(renamed).toEqual({ ...body, name: 'VIP' });
  expect((await call('GET', url)).body).toEqual({ items: [renamed] });
  expect((await call('POST', url, { name: 'vip' })).status).toBe(409);
  const again = (await call('POST', url, { name: 'Größte Kunden' })).body;
  expect(again.keyword).toBe('Gro_te_Kunden_2');
  expect((await call('PATCH', own, { name: again.name.toLowerCase() })).status).toBe(409);
  expect((await call('PATCH', own, { name: 'vip' })).status).toBe(200);
  for (const input of [
    {},
    { name: '' },
    { name: 'x'.repeat(61) },
    { name: 'x', color: 'red' },
    { name: 'x', color: '#12345' },
  ])
    expect([input, (await call('POST', url, input)).status]).toEqual([input, 400]);
  expect((await call('PATCH', own, {})).status).toBe(400);
  expect((await world.other.call('GET', url)).status).toBe(404);
});

test('a label may be named like a flag, from right to left, or with a picture', async () => {
  const box = await world.freshMailbox();
  const url = `/mailboxes/${box.id}/labels`;
  await world.receive(box, { subject: 'Named', id: '<labelled.names@example.net>' });
  const [thread] = await world.threads(box.id);
  const names = ['\\Seen', '$Junk', 'שלום', '🎉'];
  const made = [];
  for (const name of names) made.push((await call('POST', url, { name })).body);
  expect(made.map(({ name }) => name)).toEqual(names);
  expect(new Set(made.map(({ keyword }) => keyword.toLowerCase())).size).toBe(names.length);
  for (const { keyword } of made) expect(keyword).toMatch(/^[A-Za-z0-9._-]+$/);
  const labels = made.map(({ id }) => id);
  const { body } = await call('PUT', `/threads/${thread!.id}/labels`, { labels });
  expect(body).toMatchObject({ unread: true, folder: 'inbox' });
  expect(body.labels).toHaveLength(names.length);
});

test('threads get and lose labels, by ID or keyword, with activity', async () => {
  const box = await world.freshMailbox();
  const url = `/mailboxes/${box.id}/labels`;
  const id = '<labelled.1@example.net>';
  await world.receive(box, { subject: 'Labelled', id });
  await world.receive(box, {
    subject: 'Re: Labelled',
    id: '<labelled.2@example.net>',
    more: `References: ${id}`,
  });
  const [thread] = await world.threads(box.id);
  const label = (await call('POST', url, { name: 'Very late' })).body;
  const set = (labels: unknown) => call('PUT', `/threads/${thread!.id}/labels`, { labels });
  expect((await set([label.id, 'plain'])).body.labels).toEqual(['Very_late', 'plain']);
  const { messages } = await world.thread(thread!.id);
  expect(messages.map((each) => (each as { labels?: string[] }).labels)).toEqual([
    ['Very_late', 'plain'],
    ['Very_late', 'plain'],
  ]);
  for (const name of ['Very_late', label.id])
    expect([name, (await world.threads(box.id, `?label=${name}`)).length]).toEqual([name, 1]);
  expect((await set(['plain'])).body.labels).toEqual(['plain']);
  const { items } = (await call('GET', `/threads/${thread!.id}/activity`)).body;
  expect(items.map(({ data }: { data: object }) => data)).toEqual([
    { added: [], removed: ['Very_late'] },
    { added: ['Very_late', 'plain'], removed: [] },
  ]);
  const other = await world.freshMailbox();
  const foreign = (await call('POST', `/mailboxes/${other.id}/labels`, { name: 'Foreign' })).body;
  expect((await set([foreign.id])).status).toBe(404);
  for (const labels of [undefined, 'x', ['a b'], Array.from({ length: 51 }, (_, no) => `l${no}`)])
    expect((await set(labels)).status).toBe(400);
  // One is already there.
  expect((await set(Array.from({ length: 50 }, (_, no) => `l${no}`))).status).toBe(200);
});

test('a deleted label leaves its messages', async () => {
  const box = await world.freshMailbox();
  const url = `/mailboxes/${box.id}/labels`;
  await world.receive(box, { subject: 'Short-lived', id: '<labelled.3@example.net>' });
  const [thread] = await world.threads(box.id);
  const label = (await call('POST', url, { name: 'Gone soon' })).body;
  await call('PUT', `/threads/${thread!.id}/labels`, { labels: [label.id] });
  expect((await call('DELETE', `${url}/${label.id}`)).body).toEqual({ id: label.id, success: true });
  expect((await call('DELETE', `${url}/${label.id}`)).status).toBe(404);
  await dropLabel(world.server.db, {
    teamId: world.team.teamId,
    mailboxId: decodeId('mbx', box.id)!,
    keyword: label.keyword,
  });
  expect((await call('GET', `/threads/${thread!.id}`)).body.labels).toEqual([]);
});

test('a mailbox has at most 200 labels', { timeout: 60_000 }, async () => {
  const box = await world.freshMailbox();
  const url = `/mailboxes/${box.id}/labels`;
  const statuses: number[] = [];
  for (let batch = 0; batch < 21; batch++)
    statuses.push(
      ...(await Promise.all(
        Array.from(
          { length: 10 },
          async (_, no) => (await call('POST', url, { name: `L${batch}-${no}` })).status,
        ),
      )),
    );
  expect(statuses.filter((status) => status === 200)).toHaveLength(200);
  expect((await call('GET', url)).body.items).toHaveLength(200);
});
