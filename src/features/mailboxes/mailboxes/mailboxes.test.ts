import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import {
  createCall,
  startTestServer,
  type Call,
  type TestServer,
  type TestTeam,
} from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let other: TestTeam;
let domainId: number;
let count = 0;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  other = await server.createTeam();
  domainId = await addDomain(server.db, team.teamId, 'harbour.test');
  await addDomain(server.db, team.teamId, 'second.test');
  await addDomain(server.db, team.teamId, 'pending.test', 'PENDING');
  await addDomain(server.db, other.teamId, 'other.test');
});
afterAll(() => server.close());

function freshAddress(domain = 'harbour.test'): string {
  return `box${(count += 1)}@${domain}`;
}

/** Creates an API key and returns a client for it. */
async function callWith(key: object): Promise<Call> {
  const { body } = await team.call('POST', '/api-keys', { name: 'k', ...key });
  return createCall(server.url, body.key);
}

async function create(input: object = {}) {
  const { body } = await team.call('POST', '/mailboxes', { address: freshAddress(), ...input });
  return body;
}

describe('creating', () => {
  test('a mailbox has an address, an optional name and ten seconds to undo', async () => {
    const address = freshAddress();
    const { status, body } = await team.call('POST', '/mailboxes', { address });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^mbx_[a-z0-9]{26}$/),
      address,
      name: null,
      undo_seconds: 10,
      catch_all: false,
      assistant: null,
      access: 'team',
      role: 'manage',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect((await team.call('GET', `/mailboxes/${body.id}`)).body).toEqual(body);
  });

  test.each([
    ['no address', {}],
    ['an address that is none', { address: 'nobody' }],
    ['an address as a number', { address: 7 }],
    ['a domain that is not verified', { address: 'x@pending.test' }],
    ['a domain of nobody', { address: 'x@unknown.test' }],
    ["another team's domain", { address: 'x@other.test' }],
    ['a name with a line break', { address: 'x@harbour.test', name: 'A\nB' }],
    ['an empty name', { address: 'x@harbour.test', name: '  ' }],
    ['a name that is too long', { address: 'x@harbour.test', name: 'x'.repeat(201) }],
    ['121 seconds to undo', { address: 'x@harbour.test', undo_seconds: 121 }],
    ['less than none', { address: 'x@harbour.test', undo_seconds: -1 }],
    ['half a second', { address: 'x@harbour.test', undo_seconds: 0.5 }],
  ])('%s is refused', async (_what, input) => {
    const { status, body } = await team.call('POST', '/mailboxes', input);
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
  });

  test('an address exists once, ignoring case, even with concurrent creates', async () => {
    const address = freshAddress();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => team.call('POST', '/mailboxes', { address })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(7).fill(409)]);
    const again = await other.call('POST', '/mailboxes', { address: address.toUpperCase() });
    expect([again.status, again.body.error.code]).toEqual([409, 'CONFLICT']);
  });
});

test('mailboxes of the team are listed newest first, page by page', async () => {
  const mine = [await create(), await create(), await create()].map(({ id }) => id).toReversed();
  const first = await team.call('GET', '/mailboxes?limit=2');
  expect(first.body.items.map(({ id }: { id: string }) => id)).toEqual(mine.slice(0, 2));
  const second = await team.call('GET', `/mailboxes?limit=2&cursor=${first.body.next_cursor}`);
  expect(second.body.items[0].id).toBe(mine[2]);
  expect((await other.call('GET', '/mailboxes')).body).toEqual({ items: [], next_cursor: null });
});

test('PATCH changes only the named fields', async () => {
  const box = await create({ name: 'Ada' });
  const renamed = await team.call('PATCH', `/mailboxes/${box.id}`, { undo_seconds: 0 });
  expect(renamed.body).toEqual({ ...box, undo_seconds: 0 });
  const cleared = await team.call('PATCH', `/mailboxes/${box.id}`, { name: null });
  expect(cleared.body).toEqual({ ...box, undo_seconds: 0, name: null });
  expect((await team.call('PATCH', `/mailboxes/${box.id}`, {})).body).toEqual(cleared.body);
});

test('a domain has one catch-all mailbox, the last one set', async () => {
  const [first, second] = [await create({ catch_all: true }), await create({ catch_all: true })];
  expect((await team.call('GET', `/mailboxes/${first.id}`)).body.catch_all).toBe(false);
  await team.call('PATCH', `/mailboxes/${first.id}`, { catch_all: true });
  expect((await team.call('GET', `/mailboxes/${second.id}`)).body.catch_all).toBe(false);
});

test('a deleted mailbox is not found, and its address can be used again', async () => {
  const box = await create();
  const { status, body } = await team.call('DELETE', `/mailboxes/${box.id}`);
  expect([status, body]).toEqual([200, { id: box.id, success: true }]);
  expect((await team.call('GET', `/mailboxes/${box.id}`)).status).toBe(404);
  expect((await team.call('DELETE', `/mailboxes/${box.id}`)).status).toBe(404);
  expect((await team.call('POST', '/mailboxes', { address: box.address })).status).toBe(200);
});

test.each(['GET', 'PATCH', 'DELETE'])("%s does not find another team's mailbox", async (method) => {
  const box = await create();
  const body = method === 'PATCH' ? { name: 'Mine' } : undefined;
  expect((await other.call(method, `/mailboxes/${box.id}`, body)).status).toBe(404);
  expect((await other.call(method, '/mailboxes/mbx_nobody', body)).status).toBe(404);
  expect((await other.call(method, '/mailboxes/mbx.nobody', body)).status).toBe(400);
  expect((await other.call(method, `/mailboxes/${'x'.repeat(65)}`, body)).status).toBe(400);
});

test('a key bound to a domain can access only mailboxes of that domain; a sending key none', async () => {
  const [inside, outside] = [await create(), await create({ address: freshAddress('second.test') })];
  const bound = await callWith({ permission: 'full', domainId });
  expect((await bound('GET', `/mailboxes/${inside.id}`)).status).toBe(200);
  expect((await bound('GET', `/mailboxes/${outside.id}`)).status).toBe(404);
  expect((await bound('POST', '/mailboxes', { address: freshAddress('second.test') })).status).toBe(403);
  const { body } = await bound('GET', '/mailboxes');
  expect(body.items.every(({ address }: { address: string }) => address.endsWith('@harbour.test'))).toBe(
    true,
  );
  const sending = await callWith({ permission: 'sending' });
  expect((await sending('GET', '/mailboxes')).status).toBe(403);
});
