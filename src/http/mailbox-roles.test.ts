/** Calls every operation on a mailbox, and every command of email apps, with each role in the mailbox. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../imap/commands.ts';
import { METHODS } from '../jmap/methods.ts';
import { createJmapClient } from '../testing/clients/jmap-client.ts';
import { addDomain } from '../testing/factories.ts';
import { append, startImapWorld, type ImapWorld } from '../testing/fixtures/imap-world.ts';
import { NAMES_OTHERS, NEEDS, ROLES, type Role } from '../testing/mailbox-needs.ts';
import { addPerson, setUpOwner, type TestPerson } from '../testing/people.ts';
import { createCall, type Answer, type Call } from '../testing/test-server.ts';
import type { OpenApi } from './openapi/document.ts';

const IN_MAILBOXES = /^\/v1\/(?:mailboxes|scheduled|threads|messages|notes|labels)\/\{id\}/;

let world: ImapWorld;
let owner: TestPerson;
let stranger: TestPerson;
const people = {} as Record<Role, TestPerson>;
let unboundKey: Call;
let boxes = 0;
const domain = 'desk.test';

beforeAll(async () => {
  world = await startImapWorld();
  owner = await setUpOwner(world.server);
  const { rows } = await sql<{ team_id: number }>`
    select team_id from memberships join users on users.id = user_id where email = ${owner.email}
  `.execute(world.server.db);
  await addDomain(world.server.db, rows[0]!.team_id, domain);
  stranger = await addPerson(world.server, owner, 'member');
  for (const role of ROLES) people[role] = await addPerson(world.server, owner, 'member');
  const { body } = await owner.call('POST', '/api-keys', { name: 'k', permission: 'full' });
  unboundKey = createCall(world.server.url, body.key);
});
afterAll(() => world.close());

async function create(call: Call, path: string, input: object) {
  const { status, body } = await call('POST', path, input);
  expect([path, status, body?.error?.message]).toEqual([path, 200, undefined]);
  return body;
}

async function listPeople(id: string): Promise<void> {
  const access = { mode: 'listed', people: ROLES.map((role) => ({ user_id: people[role].id, role })) };
  expect((await owner.call('PUT', `/mailboxes/${id}/access`, access)).status).toBe(200);
}

/** Returns the IDs of things that exist in a new mailbox, by the part of the path in front of them. */
async function fillMailbox(): Promise<Record<string, string>> {
  const address = `box${(boxes += 1)}@${domain}`;
  const { id } = await create(owner.call, '/mailboxes', { address });
  await listPeople(id);
  const of = `/mailboxes/${id}`;
  const { call } = people.manage;
  const later = { send_at: new Date(Date.now() + 86_400_000).toISOString() };
  const file = { filename: 'a.txt', content: 'eA==' };
  const waiting = await create(call, `${of}/messages`, {
    to: ['bob@harbour.test'],
    subject: 'x',
    text: 'x',
    attachments: [file],
    ...later,
  });
  const reply = await create(call, `${of}/saved-replies`, { name: 'x', html: 'x' });
  await create(call, `${of}/saved-replies/${reply.id}/attachments`, file);
  return {
    address,
    mailboxes: id,
    drafts: (
      await create(people.draft.call, `${of}/drafts`, { subject: 'x', text: 'x', attachments: [file] })
    ).id,
    attachments: '0',
    folders: (await create(call, `${of}/folders`, { name: 'Work' })).id,
    'saved-replies': reply.id,
    'app-passwords': (await create(people.read.call, `${of}/app-passwords`, { name: 'x' })).id,
    labels: (await create(call, `${of}/labels`, { name: 'x' })).id,
    rules: (
      await create(call, `${of}/rules`, {
        name: 'x',
        conditions: [{ field: 'subject', op: 'contains', value: 'x' }],
        actions: [{ type: 'star' }],
      })
    ).id,
    addresses: (await create(call, `${of}/addresses`, { address: `alias${boxes}@${domain}` })).id,
    signatures: (await create(call, `${of}/signatures`, { name: 'x', html: 'x' })).id,
    blocks: (await create(call, `${of}/blocks`, { entry: 'mallory@example.org', action: 'spam' })).id,
    scheduled: waiting.id,
    messages: waiting.id,
    threads: waiting.thread_id,
    notes: (await create(people.read.call, `/threads/${waiting.thread_id}/notes`, { html: 'x' })).id,
  };
}

function exampleOf(operation: unknown): object | undefined {
  const { requestBody } = operation as {
    requestBody?: { content: { 'application/json': { example: object } } };
  };
  return requestBody?.content['application/json'].example;
}

/** The status of a denied call: nothing is found without access, and too little of it is forbidden. */
function expectDenied(name: string, who: string, { status, body }: Answer, is: 403 | 404) {
  const code = is === 404 ? 'NOT_FOUND' : 'FORBIDDEN';
  expect([name, who, status, body?.error?.code]).toEqual([name, who, is, code]);
}

test('every operation on a mailbox asks for the access that it needs', { timeout: 300_000 }, async () => {
  const { paths }: OpenApi = (await world.server.call('GET', '/openapi.json')).body;
  const operations = Object.entries(paths)
    .filter(([path]) => IN_MAILBOXES.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation,
      })),
    );
  expect(operations.length).toBeGreaterThan(45);
  const elsewhere = await people.manage.call('POST', '/api-keys', {
    name: 'elsewhere',
    permission: 'full',
    mailboxIds: [(await fillMailbox()).mailboxes],
  });
  const otherKey = createCall(world.server.url, elsewhere.body.key);
  const unknown = operations.map(({ operation }) => operation.operationId).filter((id) => !(id in NEEDS));
  expect(unknown).toEqual([]);
  for (const { path, method, operation } of operations) {
    const name = operation.operationId;
    const need = NEEDS[name]!;
    const ids = await fillMailbox();
    const url = `${path}?q=ada`
      .replace('/v1', '')
      .replaceAll(/\/([\w-]+)\/\{\w+\}/g, (_, part: string) => `/${part}/${ids[part]!}`);
    expect(url).not.toContain('undefined');
    const body = exampleOf(operation);
    expectDenied(name, 'stranger', await stranger.call(method, url, body), 404);
    const isAccess = path.endsWith('/access');
    expectDenied(name, 'key of another mailbox', await otherKey(method, url, body), 404);
    if (!isAccess) expectDenied(name, 'key', await unboundKey(method, url, body), 404);
    if (need !== 'see' && !isAccess)
      expectDenied(
        name,
        'owner',
        await owner.call(method, url, body),
        path.startsWith('/v1/mailboxes/{id}') ? 403 : 404,
      );
    const rank = need === 'see' ? 0 : ROLES.indexOf(need);
    for (const role of ROLES.slice(0, rank))
      expectDenied(name, role, await people[role].call(method, url, body), 403);
    if (name === 'listenToMailbox') continue;
    const { status } = await people[ROLES[rank]!].call(method, url, body);
    expect([name, ROLES[rank], status]).not.toContain(403);
    const isFound = status !== 404 || NAMES_OTHERS.includes(name);
    expect([name, status, isFound]).toEqual([name, status, true]);
  }
});

test('in a mailbox that is open to the team, everyone may reply, and rules are for those who manage it', async () => {
  const { mailboxes: id, rules, threads } = await fillMailbox();
  const url = `/mailboxes/${id!}`;
  await owner.call('PUT', `${url}/access`, { mode: 'team', people: [] });
  const member = stranger.call;
  expect((await member('GET', url)).body).toMatchObject({ access: 'team', role: 'reply' });
  expect((await member('PATCH', `/threads/${threads!}`, { folder: 'archive' })).status).toBe(200);
  expect((await member('GET', `${url}/rules`)).status).toBe(200);
  for (const [method, path, body] of [
    ['POST', `${url}/rules`, { name: 'x', actions: [{ type: 'star' }] }],
    ['PATCH', `${url}/rules/${rules!}`, { enabled: false }],
    ['POST', `${url}/rules/${rules!}/apply`],
    ['PUT', `${url}/rules.sieve`, { script: '' }],
    ['DELETE', `${url}/rules/${rules!}`],
    ['PUT', `${url}/access`, { mode: 'listed', people: [] }],
  ] as const)
    expectDenied(path, 'member', await member(method, path, body), 403);
  expect((await owner.call('PATCH', `${url}/rules/${rules!}`, { enabled: false })).status).toBe(200);
  // Whoever creates a mailbox manages it.
  const { body: own } = await member('POST', '/mailboxes', { address: `own${boxes}@${domain}` });
  expect(own.role).toBe('manage');
  const rule = { name: 'x', actions: [{ type: 'star' }] };
  expect((await member('POST', `/mailboxes/${own.id}/rules`, rule)).status).toBe(200);
  // Other tests expect that nobody else reads mail of these mailboxes.
  await listPeople(id!);
});

test('marking as read is reading', async () => {
  const { threads, messages } = await fillMailbox();
  for (const url of [`/threads/${threads!}`, `/messages/${messages!}`]) {
    expect((await people.read.call('PATCH', url, { read: true })).status).toBe(200);
    expect((await people.read.call('PATCH', url, { read: true, folder: 'trash' })).status).toBe(403);
  }
});

test('a key that is limited to mailboxes works with them alone', async () => {
  const [mine, other] = [await fillMailbox(), await fillMailbox()];
  const refused = await people.reply.call('POST', '/api-keys', {
    name: 'k',
    permission: 'full',
    mailboxIds: [mine.mailboxes],
  });
  expect(refused.status).toBe(403);
  const { body } = await people.manage.call('POST', '/api-keys', {
    name: 'k',
    permission: 'full',
    mailboxIds: [mine.mailboxes],
  });
  expect(body.mailboxIds).toEqual([mine.mailboxes]);
  const key = createCall(world.server.url, body.key);
  expect((await key('GET', `/mailboxes/${mine.mailboxes!}/threads`)).status).toBe(200);
  expect((await key('GET', `/threads/${mine.threads!}`)).status).toBe(200);
  expect((await key('GET', '/mailboxes')).body.items).toHaveLength(1);
  for (const url of [`/mailboxes/${other.mailboxes!}/threads`, `/threads/${other.threads!}`])
    expectDenied(url, 'key', await key('GET', url), 404);
  for (const url of ['/emails', '/contactBooks', '/domains', '/api-keys'])
    expect([url, (await key('GET', url)).status]).toEqual([url, 403]);
});

test('the email log does not show mail of mailboxes that the caller cannot read', async () => {
  const { threads } = await fillMailbox();
  const search = '/emails?search=bob@harbour.test&limit=100';
  for (const call of [owner.call, stranger.call, unboundKey])
    expect((await call('GET', search)).body.items).toEqual([]);
  const { items } = (await people.read.call('GET', search)).body;
  expect(items.length).toBeGreaterThan(0);
  for (const call of [owner.call, stranger.call, unboundKey])
    expect((await call('GET', `/emails/${items[0].id}`)).status).toBe(404);
  expect((await people.read.call('GET', `/emails/${items[0].id}`)).status).toBe(200);
  expect(threads).toBeTruthy();
});

const IMAP_NEEDS: Record<string, { say: string; needs: Role }> = {
  CREATE: { say: 'CREATE Fresh', needs: 'reply' },
  DELETE: { say: 'DELETE Work', needs: 'reply' },
  RENAME: { say: 'RENAME Fresh Play', needs: 'reply' },
  SUBSCRIBE: { say: 'SUBSCRIBE INBOX', needs: 'reply' },
  UNSUBSCRIBE: { say: 'UNSUBSCRIBE INBOX', needs: 'reply' },
  APPEND: { say: 'APPEND INBOX {9+}\r\nA: b\r\n\r\nc', needs: 'reply' },
  EXPUNGE: { say: 'EXPUNGE', needs: 'reply' },
  STORE: { say: 'STORE 1:* +FLAGS (\\Flagged)', needs: 'reply' },
  COPY: { say: 'COPY 1:* Trash', needs: 'reply' },
  MOVE: { say: 'MOVE 1:* Trash', needs: 'reply' },
};
const READS = [
  'CAPABILITY NOOP LOGOUT ID STARTTLS LOGIN AUTHENTICATE ENABLE COMPRESS SELECT EXAMINE LIST LSUB NAMESPACE STATUS',
  'IDLE GETQUOTA GETQUOTAROOT CHECK CLOSE UNSELECT FETCH SORT THREAD SEARCH MYRIGHTS GETACL LISTRIGHTS',
  // They are always refused.
  'SETACL DELETEACL',
].join(' ');

test('every IMAP command asks for the access that it needs', async () => {
  expect(
    Object.keys(COMMANDS).filter((name) => !(name in IMAP_NEEDS) && !READS.split(' ').includes(name)),
  ).toEqual([]);
  const ids = await fillMailbox();
  const clients = new Map<Role, Awaited<ReturnType<ImapWorld['logIn']>>>();
  for (const role of ROLES) {
    const { password } = await create(people[role].call, `/mailboxes/${ids.mailboxes!}/app-passwords`, {
      name: 'x',
    });
    const client = await world.logIn({ address: ids.address!, password });
    clients.set(role, client);
  }
  for (const message of ['A: 1\r\n\r\nb', 'A: 2\r\n\r\nb'])
    expect(await append(clients.get('manage')!, message)).toMatch(/^OK/m);
  for (const client of clients.values()) await client.say('SELECT INBOX');
  for (const { say, needs } of Object.values(IMAP_NEEDS))
    for (const role of ROLES.slice(0, ROLES.indexOf(needs)))
      expect([say, role, await clients.get(role)!.say(say)]).toEqual([
        say,
        role,
        expect.stringContaining('NO [NOPERM]'),
      ]);
  for (const { say } of Object.values(IMAP_NEEDS))
    expect([say, await clients.get('reply')!.say(say)]).toEqual([say, expect.stringMatching(/(^|\n)OK/)]);
  const draft = 'APPEND Drafts (\\Draft) {9+}\r\nA: b\r\n\r\nc';
  expect(await clients.get('read')!.say(draft)).toContain('NO [NOPERM]');
  expect(await clients.get('draft')!.say(draft)).toMatch(/^OK/m);
  expect(await clients.get('read')!.say('STORE 1:* +FLAGS (\\Seen)')).toMatch(/OK/);
  // Access that ends, or changes, ends open sessions.
  const [reads, replies] = [clients.get('read')!, clients.get('reply')!];
  await owner.call('PUT', `/mailboxes/${ids.mailboxes!}/access`, {
    mode: 'listed',
    people: [{ user_id: people.reply.id, role: 'read' }],
  });
  await Promise.all([reads.closed(), replies.closed(), clients.get('manage')!.closed()]);
});

const JMAP_NEEDS: Record<string, { args: object; needs: Role }> = {
  'Mailbox/set': { args: { create: { a: { name: 'Fresh' } } }, needs: 'reply' },
  'EmailSubmission/set': { args: {}, needs: 'reply' },
  'Identity/set': { args: {}, needs: 'manage' },
  'VacationResponse/set': { args: {}, needs: 'manage' },
};
const newEmail = (folder: string) => ({
  create: {
    a: {
      mailboxIds: { [folder]: true },
      subject: 'x',
      textBody: [{ partId: '1', type: 'text/plain' }],
      bodyValues: { '1': { value: 'x' } },
    },
  },
});

/** These check each object: drafts need less than other messages. */
const CHECKED_BY_OBJECT = ['Email/set', 'Email/import'];

test('every JMAP method asks for the access that it needs', async () => {
  const changing = Object.keys(METHODS).filter(
    (name) => /\/(set|import)$/.test(name) && !name.startsWith('Push'),
  );
  expect(changing.toSorted()).toEqual([...Object.keys(JMAP_NEEDS), ...CHECKED_BY_OBJECT].toSorted());
  const ids = await fillMailbox();
  const client = async (role: Role) => {
    const { password } = await create(people[role].call, `/mailboxes/${ids.mailboxes!}/app-passwords`, {
      name: 'x',
    });
    return createJmapClient(world.server.url, { id: ids.mailboxes!, address: ids.address!, password });
  };
  const clients = {
    read: await client('read'),
    draft: await client('draft'),
    reply: await client('reply'),
    manage: await client('manage'),
  };
  for (const [name, { args, needs }] of Object.entries(JMAP_NEEDS)) {
    for (const role of ROLES.slice(0, ROLES.indexOf(needs)))
      await expect(clients[role].call(name, args), `${name} ${role}`).rejects.toThrow('forbidden');
    await clients[needs].call(name, args);
  }
  const refused = { notCreated: { a: { type: 'forbidden' } } };
  expect(await clients.read.call('Email/set', newEmail('drafts'))).toMatchObject(refused);
  expect(await clients.draft.call('Email/set', newEmail('inbox'))).toMatchObject(refused);
  const { created } = await clients.draft.call('Email/set', newEmail('drafts'));
  const id = created.a.id;
  const update = (patch: object) => ({ update: { [id]: patch } });
  expect(await clients.read.call('Email/set', update({ 'keywords/$seen': true }))).toMatchObject({
    notUpdated: null,
  });
  expect(await clients.read.call('Email/set', update({ 'keywords/$flagged': true }))).toMatchObject({
    notUpdated: { [id]: { type: 'forbidden' } },
  });
  expect(await clients.draft.call('Email/set', update({ mailboxIds: { inbox: true } }))).toMatchObject({
    notUpdated: { [id]: { type: 'forbidden' } },
  });
  expect(await clients.read.call('Email/set', { destroy: [id] })).toMatchObject({
    notDestroyed: { [id]: { type: 'forbidden' } },
  });
  const { list } = await clients.read.call('Mailbox/get', { ids: ['inbox', 'drafts'] });
  expect(list[0].myRights).toMatchObject({
    mayReadItems: true,
    mayAddItems: false,
    maySubmit: false,
    maySetSeen: true,
  });
});
