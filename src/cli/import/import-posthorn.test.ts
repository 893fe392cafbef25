/** Imports from another Posthorn through the doors for other vendors' clients. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runImport } from '../../testing/fixtures/run-import.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let from: TestServer;
let to: TestServer;
beforeAll(async () => {
  [from, to] = await Promise.all([startTestServer(), startTestServer()]);
});
afterAll(() => Promise.all([from.close(), to.close()]));

const run = (args: string[]) => runImport(to, args);

/** Removes the values that differ between two instances: IDs, times and the records of imports. */
const withoutIds = (items: Record<string, unknown>[], fields: string[]) =>
  items
    .map((item) => Object.fromEntries(fields.map((field) => [field, item[field]])))
    .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

test('a team moves to another instance through the Resend door', async () => {
  const old = await from.createTeam();
  const { id: book } = (await old.call('POST', '/contactBooks', { name: 'Contacts', variables: ['city'] }))
    .body;
  const people = Array.from({ length: 105 }, (_, index) => ({
    email: `p${index}@example.com`,
    firstName: `P${index}`,
    properties: { city: index % 2 ? 'Paris' : 'Rome' },
    subscribed: index % 10 !== 0,
  }));
  await old.call('POST', `/contactBooks/${book}/contacts/bulk`, people);
  const { id: offers } = (await old.call('POST', '/topics', { name: 'Offers' })).body;
  const { items } = (await old.call('GET', `/contactBooks/${book}/contacts?email=p1@example.com`)).body;
  await old.call('PATCH', `/contactBooks/${book}/contacts/${items[0].id}/topics`, {
    topics: [{ id: offers, subscribed: false }],
  });
  const resend = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${from.url}/resend${path}`, {
      method,
      headers: { authorization: `Bearer ${old.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status, path).toBeLessThan(300);
    return (await answer.json()) as { id: string };
  };
  const vip = await resend('POST', '/segments', { name: 'VIP' });
  await resend('POST', `/contacts/p3@example.com/segments/${vip.id}`);
  await old.call('POST', '/suppressions', { email: 'gone@example.com' });
  await old.call('POST', '/domains', { name: 'moving.example' });
  const html = '<p>{{name,fallback=friend}}</p>';
  await old.call('POST', '/templates', { name: 'Hello', alias: 'hello', subject: 'Hi {{name}}', html });

  const team = await to.createTeam();
  const args = ['resend', '--team', String(team.teamId), '--key', old.key, '--url', `${from.url}/resend`];
  const printed = await run(args);
  expect(printed).toMatch(/contacts +105 +105 +0 +0 +0/);
  expect(printed).toContain('Publish these DNS records for moving.example');

  const [here] = (await team.call('GET', '/contactBooks')).body as { id: string; variables: string[] }[];
  expect(here).toMatchObject({ name: 'Contacts', variables: ['city'], _count: { contacts: 105 } });
  const read = async (call: typeof team.call, id: string) => {
    const first = (await call('GET', `/contactBooks/${id}/contacts?limit=100`)).body;
    const rest = (await call('GET', `/contactBooks/${id}/contacts?limit=100&cursor=${first.next_cursor}`))
      .body;
    return [...first.items, ...rest.items] as Record<string, unknown>[];
  };
  const fields = ['email', 'firstName', 'lastName', 'subscribed', 'unsubscribeReason'];
  const find = async (email: string) =>
    (await team.call('GET', `/contactBooks/${here!.id}/contacts?email=${email}`)).body.items[0];
  for (const { email, firstName, subscribed, properties } of [people[0]!, people[1]!, people[104]!])
    expect(await find(email)).toMatchObject({ email, firstName, subscribed, properties });
  expect(await find('p0@example.com')).toMatchObject({ unsubscribeReason: 'UNSUBSCRIBED' });
  const one = await find('p1@example.com');
  expect(
    (await team.call('GET', `/contactBooks/${here!.id}/contacts/${one.id}/topics`)).body.items,
  ).toMatchObject([{ name: 'Offers', defaultSubscription: 'opt_out', subscribed: false }]);
  const [segment] = (await team.call('GET', '/segments')).body.items;
  expect(segment).toMatchObject({ name: 'VIP', contactBookId: here!.id });
  expect((await find('p3@example.com')).properties).toEqual({ city: 'Paris', [segment.id]: true });
  expect((await team.call('GET', '/suppressions')).body.items).toMatchObject([{ email: 'gone@example.com' }]);
  expect((await team.call('GET', '/templates/hello')).body).toMatchObject({ name: 'Hello', html });

  const before = await read(team.call, here!.id);
  expect(await run(args)).toMatch(/contacts +105 +0 +0 +105 +0/);
  expect(await read(team.call, here!.id)).toEqual(before);
  expect(withoutIds(before, fields)).toEqual(withoutIds(await read(old.call, book), fields));
});

test('suppressions and domains move through the Mailgun door', async () => {
  const old = await from.createTeam();
  await old.call('POST', '/domains', { name: 'mg.moving.example' });
  const basic = `Basic ${Buffer.from(`api:${old.key}`).toString('base64')}`;
  for (const list of ['bounces', 'complaints', 'unsubscribes'])
    await fetch(`${from.url}/v3/mg.moving.example/${list}`, {
      method: 'POST',
      headers: { authorization: basic, 'content-type': 'application/json' },
      body: JSON.stringify([1, 2].map((n) => ({ address: `${list}${n}@example.com` }))),
    });
  const team = await to.createTeam();
  const args = ['mailgun', '--team', String(team.teamId), '--key', old.key, '--url', from.url];
  expect(await run(args)).toMatch(/suppressions +6 +6/);
  const list = async (call: typeof team.call) =>
    withoutIds((await call('GET', '/suppressions')).body.items, ['email', 'reason']);
  expect(await list(team.call)).toEqual(await list(old.call));
  expect((await team.call('GET', '/domains')).body).toMatchObject([
    { name: 'mg.moving.example', status: 'NOT_STARTED' },
  ]);
  expect(await run(args)).toMatch(/suppressions +6 +0 +0 +6/);
  const sending = await old.call('POST', '/api-keys', { name: 'x', permission: 'sending' });
  await expect(run([...args.slice(0, 4), sending.body.key, ...args.slice(5)])).rejects.toThrow(
    /^Mailgun refused the key \(403/,
  );
});
