import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countWaiting } from '../testing/count-waiting.ts';
import { openJmapClient, USING, type JmapClient } from '../testing/clients/jmap-client.ts';
import { startMailWorld, type MailWorld } from '../testing/mail-world.ts';

let world: MailWorld;
let client: JmapClient;

beforeAll(async () => {
  world = await startMailWorld({ doors: ['http', 'smtp'] });
  client = await openJmapClient(world);
  await world.receive(client);
});
afterAll(() => world.close());

/** Returns the type of the problem, or of the error of the only call. */
async function failureOf(name: string, args: unknown): Promise<string> {
  const { status, body } = await client.post({ using: USING, methodCalls: [[name, args, 'c']] });
  if (status !== 200) return `${status} ${body.type}`;
  const [answered, result] = body.methodResponses[0];
  return answered === 'error' ? result.type : 'none';
}

function openStream(signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${world.server.url}/jmap/events?types=*&closeafter=no&ping=300`, {
    headers: { authorization: client.authorization },
    signal,
  });
}

test('streams of clients that have gone do not count', async () => {
  const leaving = new AbortController();
  const streams = await Promise.all(Array.from({ length: 50 }, () => openStream(leaving.signal)));
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
  await Promise.all(streams.map(({ body }) => body!.getReader().read()));
  expect((await openStream()).status).toBe(400);
  leaving.abort();
  await expect.poll(async () => (await openStream()).status).toBe(200);
});

test('requests that are no JMAP get a problem', async () => {
  const cases: [unknown, string][] = [
    ['{', 'notJSON'],
    ['"\\u0000"', 'notJSON'],
    ['['.repeat(5_000), 'notJSON'],
    [[], 'notRequest'],
    [{ using: USING }, 'notRequest'],
    [{ using: USING, methodCalls: [['Core/echo', [], 'c']] }, 'notRequest'],
    [{ using: USING, methodCalls: [['Core/echo', {}]] }, 'notRequest'],
    [{ using: USING, methodCalls: [], createdIds: { a: 1 } }, 'notRequest'],
    [{ using: ['urn:x'], methodCalls: [] }, 'unknownCapability'],
    [{ using: USING, methodCalls: Array.from({ length: 33 }, () => ['Core/echo', {}, 'c']) }, 'limit'],
    [`{"a":"${'x'.repeat(11_000_000)}"}`, 'limit'],
  ];
  for (const [body, type] of cases) {
    const answer = await client.post(body);
    expect([answer.status, answer.body.type]).toEqual([400, `urn:ietf:params:jmap:error:${type}`]);
  }
  const plain = await client.post('{}', { 'content-type': 'text/plain' });
  expect(plain.status).toBe(400);
  expect((await client.get('/jmap/api')).status).toBe(405);
});

test('names of JavaScript are ordinary names', async () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    expect(await failureOf(name, {})).toBe('unknownMethod');
  const body = `{"using":${JSON.stringify(USING)},"methodCalls":[["Email/set",{"accountId":"${client.accountId}",
    "create":{"__proto__":{"mailboxIds":{"__proto__":true}},"constructor":{"mailboxIds":{"inbox":true},"keywords":{"__proto__":true}}},
    "update":{"__proto__":{"__proto__/x":1}},"destroy":["__proto__"]},"c"],
    ["Mailbox/set",{"accountId":"${client.accountId}","create":{"__proto__":{"name":"constructor"}}},"d"]]}`;
  const { status, body: answer } = await client.post(body);
  expect(status).toBe(200);
  const [first, second] = answer.methodResponses;
  expect(Object.keys(first[1].notCreated)).toEqual(['__proto__']);
  expect(Object.keys(first[1].created)).toEqual(['constructor']);
  expect(Object.keys(first[1].notUpdated)).toEqual(['__proto__']);
  expect(first[1].notDestroyed['__proto__']).toBeDefined();
  expect(Object.keys(second[1].created)).toEqual(['__proto__']);
  expect(({} as Record<string, unknown>).name).toBeUndefined();
});

test('every argument of a wrong type is an error of its method, never of the server', async () => {
  const { accountId } = client;
  const wrong: unknown[] = [
    null,
    1,
    -1,
    1.5,
    'x',
    true,
    [],
    {},
    [null],
    [[]],
    { a: { b: {} } },
    '\ud83d',
    1e300,
  ];
  const names: Record<string, string[]> = {
    'Mailbox/get': ['ids', 'properties'],
    'Mailbox/changes': ['sinceState', 'maxChanges'],
    'Mailbox/query': ['filter', 'sort', 'position', 'anchor', 'anchorOffset', 'limit', 'calculateTotal'],
    'Mailbox/queryChanges': ['filter', 'sort', 'sinceQueryState', 'maxChanges', 'upToId'],
    'Mailbox/set': ['create', 'update', 'destroy', 'ifInState', 'onDestroyRemoveEmails'],
    'Thread/get': ['ids', 'properties'],
    'Thread/changes': ['sinceState', 'maxChanges'],
    'Email/get': ['ids', 'properties', 'bodyProperties', 'fetchTextBodyValues', 'maxBodyValueBytes'],
    'Email/changes': ['sinceState', 'maxChanges'],
    'Email/query': ['filter', 'sort', 'position', 'anchor', 'anchorOffset', 'limit', 'collapseThreads'],
    'Email/queryChanges': ['filter', 'sort', 'sinceQueryState', 'maxChanges', 'collapseThreads'],
    'Email/set': ['create', 'update', 'destroy', 'ifInState'],
    'Email/import': ['emails', 'ifInState'],
    'Email/parse': ['blobIds', 'properties'],
    'Email/copy': ['fromAccountId', 'create'],
    'SearchSnippet/get': ['emailIds', 'filter'],
    'Identity/get': ['ids', 'properties'],
    'Identity/changes': ['sinceState'],
    'Identity/set': ['create', 'update', 'destroy'],
    'EmailSubmission/get': ['ids'],
    'EmailSubmission/changes': ['sinceState'],
    'EmailSubmission/query': ['filter', 'sort', 'position', 'anchor'],
    'EmailSubmission/queryChanges': ['filter', 'sort', 'sinceQueryState'],
    'EmailSubmission/set': ['create', 'update', 'destroy', 'onSuccessUpdateEmail', 'onSuccessDestroyEmail'],
    'Blob/copy': ['fromAccountId', 'blobIds'],
    'PushSubscription/get': ['ids'],
    'PushSubscription/set': ['create', 'update', 'destroy'],
  };
  const base = {
    accountId,
    ids: [],
    sinceState: '1',
    sinceQueryState: '1',
    emailIds: [],
    blobIds: [],
    emails: {},
  };
  for (const [name, properties] of Object.entries(names)) {
    const calls = properties.flatMap((property) =>
      wrong.map((value): [string, object, string] => [name, { ...base, [property]: value }, 'c']),
    );
    for (let at = 0; at < calls.length; at += 30) {
      const { status, body } = await client.post({ using: USING, methodCalls: calls.slice(at, at + 30) });
      // A lone surrogate is not valid text, so the whole request is rejected.
      if (status === 400) expect(body.type).toBe('urn:ietf:params:jmap:error:notJSON');
      else expect(JSON.stringify(body)).not.toMatch(/serverFail|serverUnavailable/);
    }
  }
});

test('objects of a wrong shape are refused one by one', async () => {
  const shapes: unknown[] = [null, 1, 'x', [], {}, { mailboxIds: 1 }, { mailboxIds: { inbox: 1 } }];
  const inbox = { mailboxIds: { inbox: true } };
  const emails: unknown[] = [
    ...shapes,
    { ...inbox, id: 'x' },
    { ...inbox, headers: [] },
    { ...inbox, keywords: { 'a b': true } },
    { ...inbox, from: 'x' },
    { ...inbox, from: [{ email: 'a@b\r\nBcc: c@d' }] },
    { ...inbox, 'header:Content-Type': 'x' },
    { ...inbox, 'header:Subject:asAddresses': [] },
    { ...inbox, 'header:X-A:asText': 'a', 'header:x-a:asText': 'b' },
    { ...inbox, bodyStructure: { type: 'multipart/mixed' } },
    { ...inbox, bodyStructure: { partId: 'missing' } },
    { ...inbox, textBody: [{ partId: '1' }], bodyValues: { '1': { value: 'x', isTruncated: true } } },
    { ...inbox, attachments: [{ blobId: 'msg_x' }] },
    { ...inbox, receivedAt: 'yesterday' },
    { ...inbox, receivedAt: '2026-02-30T00:00:00Z' },
    { ...inbox, receivedAt: '2026-02-03T00:00:00+01:00' },
    { mailboxIds: { nowhere: true } },
  ];
  const { created, notCreated } = await client.call('Email/set', {
    create: Object.fromEntries(emails.map((email, at) => [`k${at}`, email])),
  });
  expect(created).toBeNull();
  const types = Object.values<{ type: string }>(notCreated).map(({ type }) => type);
  expect(types.filter((type) => type.startsWith('server'))).toEqual([]);
});

test('a header cannot be used to add another', async () => {
  const { created } = await client.call('Email/set', {
    create: {
      k: {
        mailboxIds: { drafts: true },
        subject: 'One\r\nX-Injected: yes',
        'header:X-Raw': ' a\r\nX-Injected: yes\r\n\r\nbody',
        'header:X-Urls:asURLs': ['http://a>\r\nX-Injected: yes'],
        from: [{ name: 'A\r\nX-Injected: yes', email: 'a@example.org' }],
        textBody: [{ partId: '1' }],
        bodyValues: { '1': { value: 'text' } },
      },
    },
  });
  const { list } = await client.call('Email/get', {
    ids: [created.k.id],
    properties: ['header:X-Injected:all', 'subject'],
  });
  expect(list[0]['header:X-Injected:all']).toEqual([]);
});

test('long lists, deep filters and huge patches are refused', async () => {
  const { accountId } = client;
  const ids = Array.from({ length: 10_000 }, (_, at) => `msg_${at}`);
  expect(await failureOf('Email/get', { accountId, ids })).toBe('requestTooLarge');
  expect(await failureOf('Thread/get', { accountId, ids })).toBe('requestTooLarge');
  expect(await failureOf('Email/set', { accountId, destroy: ids })).toBe('requestTooLarge');
  expect(await failureOf('SearchSnippet/get', { accountId, emailIds: ids })).toBe('requestTooLarge');
  let deep: object = { text: 'x' };
  for (let level = 0; level < 60; level += 1) deep = { operator: 'NOT', conditions: [deep] };
  for (const name of ['Email/query', 'Mailbox/query', 'EmailSubmission/query'])
    expect(await failureOf(name, { accountId, filter: deep })).toBe('unsupportedFilter');
  const wide = { operator: 'OR', conditions: Array.from({ length: 5_000 }, () => ({ text: 'x' })) };
  expect(await failureOf('Email/query', { accountId, filter: wide })).toBe('unsupportedFilter');
  const { ids: own } = await client.call('Email/query', { limit: 1 });
  const patch = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`keywords/k${at}`, true]));
  const { notUpdated } = await client.call('Email/set', { update: { [own[0]]: patch } });
  expect(notUpdated[own[0]].type).toBe('tooManyKeywords');
  for (const path of ['keywords/a/b', '/keywords/a', 'keywords//', 'subject', 'mailboxIds/', '~1', ''])
    expect(
      (await client.call('Email/set', { update: { [own[0]]: { [path]: true } } })).notUpdated[own[0]],
    ).toBeDefined();
  expect(
    await failureOf('Email/get', { accountId, '#ids': { resultOf: 'x', name: 'Email/query', path: '/ids' } }),
  ).toBe('invalidResultReference');
});

function fortyOf(each: object): Record<string, object> {
  return Object.fromEntries(Array.from({ length: 40 }, (_, no) => [`c${no}`, each]));
}

test('a request cannot store one file any number of times', async () => {
  const file = await client.upload(Buffer.alloc(1_000_000, 'x'));
  const message = await client.upload(`Subject: Large\r\n\r\n${'x'.repeat(1_000_000)}`);
  const mailboxes = (await client.call('Mailbox/get', {})).list as { id: string; role: string | null }[];
  const mailboxIds = { [mailboxes.find(({ role }) => role === 'drafts')!.id]: true };
  const draft = { mailboxIds, attachments: [{ blobId: file, type: 'application/x-large' }] };
  for (const [name, args] of [
    ['Email/set', { create: fortyOf(draft) }],
    ['Email/import', { emails: fortyOf({ blobId: message, mailboxIds }) }],
  ] as const) {
    const { created, notCreated } = await client.call(name, args);
    expect(Object.keys(created).length).toBeGreaterThan(5);
    expect(Object.keys(created).length).toBeLessThan(11);
    expect([...new Set(Object.values<{ type: string }>(notCreated).map(({ type }) => type))]).toEqual([
      'tooLarge',
    ]);
    await client.call('Email/set', { destroy: Object.values<{ id: string }>(created).map(({ id }) => id) });
  }
  expect((await client.call('Email/set', { create: { again: draft } })).created.again).toBeDefined();
});

test('blob ids and paths of any kind are not found', async () => {
  const { ids } = await client.call('Email/query', { limit: 1 });
  const { list } = await client.call('Email/get', { ids, properties: ['blobId'] });
  const bad = [
    'x',
    '..',
    '%2e%2e',
    `${list[0].blobId}-9`,
    `${list[0].blobId}-1-1-1`,
    `${list[0].blobId}-0`,
    '%ff',
    'a'.repeat(5_000),
  ];
  for (const blobId of bad)
    expect((await client.get(`/jmap/download/${client.accountId}/${blobId}/x`)).status).toBe(404);
  expect((await client.get('/jmap/download/')).status).toBe(404);
  expect((await client.get('/jmap/events?ping=x')).status).toBe(400);
  expect((await client.get('/jmap/events?closeafter=maybe')).status).toBe(400);
  const upload = await fetch(`${world.server.url}/jmap/upload/other/`, {
    method: 'POST',
    headers: { authorization: client.authorization },
    body: 'x',
  });
  expect(upload.status).toBe(404);
});

test('guessed passwords are limited', async () => {
  const statuses = new Set<number>();
  for (let count = 0; count < 25; count += 1) {
    const guess = Buffer.from(`${client.address}:wrong-${count}`).toString('base64');
    const response = await fetch(`${world.server.url}/.well-known/jmap`, {
      headers: { authorization: `Basic ${guess}`, 'x-forwarded-for': '203.0.113.9' },
    });
    statuses.add(response.status);
  }
  expect([...statuses].toSorted()).toEqual([401, 429]);
  expect((await client.get('/.well-known/jmap')).status).toBe(200);
});

test('ifInState holds when the object is changed, not only before', async () => {
  const { ids, queryState } = await client.call('Email/query');
  const update = { [ids[0]]: { 'keywords/$flagged': true } };
  let answer: Promise<string> | undefined;
  const { db } = world.server;
  await db.transaction().execute(async (trx) => {
    const own = sql`where mailbox_id = (select id from mailboxes where address = ${client.address})`;
    await sql`update mailbox_change_numbers set modseq = modseq + 1 ${own}`.execute(trx);
    const { accountId } = client;
    answer = failureOf('Email/set', { accountId, ifInState: queryState, update });
    await expect.poll(() => countWaiting(db, 'for update')).toBeGreaterThan(0);
  });
  expect(await answer).toBe('stateMismatch');
  const { list, state } = await client.call('Email/get', { ids, properties: ['keywords'] });
  expect(list[0].keywords).toEqual({});
  expect((await client.call('Email/set', { ifInState: state, update })).updated).toEqual({ [ids[0]]: null });
});

test('responses that refer to each other, and header fields in many forms, do not grow without bounds', async () => {
  const laughs = Array.from({ length: 31 }, (_, at): [string, object, string] => {
    const all = { resultOf: `c${at}`, name: 'Core/echo', path: '' };
    return ['Core/echo', { '#a': all, '#b': all, '#c': all, '#d': all }, `c${at + 1}`];
  });
  const { status, body } = await client.post({
    using: USING,
    methodCalls: [['Core/echo', { x: 'y'.repeat(1_000) }, 'c0'], ...laughs],
  });
  expect(status).toBe(200);
  expect(body.methodResponses).toHaveLength(32);
  expect(body.methodResponses.at(-1)[1].type).toBe('invalidResultReference');
  expect(JSON.stringify(body).length).toBeLessThan(30_000_000);

  const other = await openJmapClient(world);
  const more = Array.from({ length: 200 }, () => `X-Longer: ${'word '.repeat(1_000)}`).join('\n');
  await world.receive(other, { more });
  const { ids } = await other.call('Email/query');
  const forms = Array.from({ length: 128 }, (_, at) => {
    const letters = [...'xlonger'].map((letter, no) => ((at >> no) & 1 ? letter.toUpperCase() : letter));
    return `header:${letters[0]}-${letters.slice(1).join('')}:asRaw:all`;
  });
  await expect(other.call('Email/get', { ids, properties: forms })).rejects.toThrow('too long');
});
