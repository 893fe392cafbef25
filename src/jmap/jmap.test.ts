import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createJmapClient,
  openJmapClient,
  USING,
  type JmapClient,
  type Json,
} from '../testing/clients/jmap-client.ts';
import { startMailWorld, type MailWorld } from '../testing/mail-world.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld({ doors: ['http', 'smtp', 'imap', 'worker'] });
});
afterAll(() => world.close());

async function createDraft(client: JmapClient, input: object = {}): Promise<string> {
  const { created, notCreated } = await client.call('Email/set', {
    create: {
      k1: {
        mailboxIds: { drafts: true },
        keywords: { $draft: true, $seen: true },
        from: [{ name: 'Ada', email: client.address }],
        to: [{ name: null, email: 'charles@example.org' }],
        subject: 'A draft',
        textBody: [{ partId: '1', type: 'text/plain' }],
        bodyValues: { '1': { value: 'It turns.' } },
        ...input,
      },
    },
  });
  expect(notCreated).toBeNull();
  return created.k1.id;
}

async function getEmail(
  client: JmapClient,
  id: string,
  properties?: string[],
  more: object = {},
): Promise<Json> {
  const { list } = await client.call('Email/get', {
    ids: [id],
    ...(properties ? { properties } : {}),
    ...more,
  });
  return list[0];
}

describe('the session', () => {
  test('needs an app password, and names the account and its limits', async () => {
    const client = await openJmapClient(world);
    const refused = await fetch(`${world.server.url}/.well-known/jmap`);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic /);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    const session: Json = await (await client.get('/.well-known/jmap')).json();
    expect(session).toMatchObject({
      username: client.address,
      primaryAccounts: { 'urn:ietf:params:jmap:mail': client.accountId },
      capabilities: { 'urn:ietf:params:jmap:core': { maxObjectsInGet: 1_000 } },
    });
    expect(session.accounts[client.accountId].accountCapabilities['urn:ietf:params:jmap:mail']).toMatchObject(
      {
        maxMailboxesPerEmail: 1,
      },
    );
    expect(Object.keys(session.capabilities)).toEqual(USING);
  });

  test('ends with the app password', async () => {
    const client = await openJmapClient(world);
    await client.call('Mailbox/get');
    const { body } = await world.team.call('GET', `/mailboxes/${client.mailboxId}/app-passwords`);
    await world.team.call('DELETE', `/mailboxes/${client.mailboxId}/app-passwords/${body.items[0].id}`);
    await expect.poll(async () => (await client.get('/.well-known/jmap')).status).toBe(401);
  });
});

describe('a request', () => {
  test('uses results of earlier calls and created ids', async () => {
    const client = await openJmapClient(world);
    await world.receive(client, { subject: 'Referenced', text: 'body' });
    const { accountId } = client;
    const responses = await client.calls([
      ['Mailbox/query', { accountId, filter: { role: 'inbox' } }, 'a'],
      ['Email/query', { accountId, filter: { inMailbox: 'inbox' } }, 'b'],
      [
        'Email/get',
        {
          accountId,
          '#ids': { resultOf: 'b', name: 'Email/query', path: '/ids' },
          properties: ['subject', 'threadId'],
        },
        'c',
      ],
      [
        'Thread/get',
        { accountId, '#ids': { resultOf: 'c', name: 'Email/get', path: '/list/*/threadId' } },
        'd',
      ],
      [
        'Mailbox/set',
        { accountId, create: { outer: { name: 'Outer' }, inner: { name: 'Inner', parentId: '#outer' } } },
        'e',
      ],
    ]);
    expect(responses.map(([name]) => name)).toEqual([
      'Mailbox/query',
      'Email/query',
      'Email/get',
      'Thread/get',
      'Mailbox/set',
    ]);
    expect(responses[2]![1].list[0].subject).toBe('Referenced');
    expect(responses[3]![1].list[0].emailIds).toEqual(responses[1]![1].ids);
    const folders = await world.team.call('GET', `/mailboxes/${client.mailboxId}/folders`);
    expect(JSON.stringify(folders.body)).toContain('Outer/Inner');
  });
});

test('the numbers of threads follow each change', async () => {
  const client = await openJmapClient(world);
  const countThreads = async () => {
    const { list } = await client.call('Mailbox/get', { ids: ['inbox', 'archive'] });
    return list.map((each: Json) => `${each.id} ${each.totalThreads} ${each.unreadThreads}`).join();
  };
  for (const subject of ['One', 'Two']) await world.receive(client, { subject });
  expect(await countThreads()).toBe('inbox 2 2,archive 0 0');
  const { ids } = await client.call('Email/query', { filter: { inMailbox: 'inbox' } });
  await client.call('Email/set', { update: { [ids[0]]: { 'keywords/$seen': true } } });
  expect(await countThreads()).toBe('inbox 2 1,archive 0 0');
  await client.call('Email/set', { update: { [ids[1]]: { mailboxIds: { archive: true } } } });
  expect(await countThreads()).toBe('inbox 1 0,archive 1 1');
});

describe('messages', () => {
  test('are found, read, flagged, moved and destroyed', async () => {
    const client = await openJmapClient(world);
    await world.receive(client, {
      subject: 'Grüße',
      from: 'Charles <charles@example.org>',
      text: 'It turns.',
    });
    const { ids, total } = await client.call('Email/query', {
      filter: {
        operator: 'AND',
        conditions: [{ inMailbox: 'inbox' }, { from: 'charles' }, { body: 'turns' }],
      },
      calculateTotal: true,
    });
    expect(total).toBe(1);
    const email = await getEmail(client, ids[0], undefined, { fetchAllBodyValues: true });
    expect(email).toMatchObject({
      subject: 'Grüße',
      from: [{ name: 'Charles', email: 'charles@example.org' }],
      mailboxIds: { inbox: true },
      keywords: {},
      hasAttachment: false,
    });
    expect(email.bodyValues[email.textBody[0].partId].value).toContain('It turns.');
    await client.call('Email/set', {
      update: {
        [ids[0]]: {
          'keywords/$seen': true,
          'keywords/Invoice': true,
          'mailboxIds/inbox': null,
          'mailboxIds/archive': true,
        },
      },
    });
    expect(await getEmail(client, ids[0], ['keywords', 'mailboxIds'])).toMatchObject({
      keywords: { $seen: true, invoice: true },
      mailboxIds: { archive: true },
    });
    expect(await world.folder(client.mailboxId, 'archive')).toMatchObject({ total: 1, unread: 0 });
    const { destroyed } = await client.call('Email/set', { destroy: [ids[0]] });
    expect(destroyed).toEqual(ids);
    expect(await world.folder(client.mailboxId, 'archive')).toMatchObject({ total: 0 });
  });

  test('are in exactly one mailbox', async () => {
    const client = await openJmapClient(world);
    const id = await createDraft(client);
    const { notUpdated } = await client.call('Email/set', { update: { [id]: { 'mailboxIds/inbox': true } } });
    expect(notUpdated[id].type).toBe('tooManyMailboxes');
    const none = await client.call('Email/set', { update: { [id]: { mailboxIds: {} } } });
    expect(none.notUpdated[id].type).toBe('invalidProperties');
    expect(await getEmail(client, id, ['mailboxIds'])).toMatchObject({ mailboxIds: { drafts: true } });
  });

  test('with attachments keep their parts, which can be downloaded and used again', async () => {
    const client = await openJmapClient(world);
    const blobId = await client.upload(Buffer.from([1, 2, 3, 0, 255]), 'image/png');
    const id = await createDraft(client, {
      htmlBody: [{ partId: '2', type: 'text/html' }],
      bodyValues: { '1': { value: 'plain' }, '2': { value: '<p>Grüße</p>' } },
      attachments: [{ blobId, type: 'image/png', name: 'größe.png', disposition: 'attachment' }],
    });
    const email = await getEmail(
      client,
      id,
      ['attachments', 'htmlBody', 'bodyValues', 'hasAttachment', 'blobId'],
      {
        fetchHTMLBodyValues: true,
      },
    );
    expect(email.hasAttachment).toBe(true);
    expect(email.bodyValues[email.htmlBody[0].partId].value).toContain('<p>Grüße</p>');
    expect(email.attachments[0]).toMatchObject({ name: 'größe.png', type: 'image/png', size: 5 });
    const file = await client.get(
      `/jmap/download/${client.accountId}/${email.attachments[0].blobId}/x.png?type=image/png`,
    );
    expect(Buffer.from(await file.arrayBuffer())).toEqual(Buffer.from([1, 2, 3, 0, 255]));
    expect(file.headers.get('content-disposition')).toMatch(/^attachment/);
    const again = await createDraft(client, {
      attachments: [{ blobId: email.attachments[0].blobId, type: 'image/png', name: 'b.png' }],
    });
    expect((await getEmail(client, again, ['attachments'])).attachments[0].size).toBe(5);
    const source = await (
      await client.get(`/jmap/download/${client.accountId}/${email.blobId}/m.eml`)
    ).text();
    const imported = await client.call('Email/import', {
      emails: { i: { blobId: await client.upload(source, 'message/rfc822'), mailboxIds: { inbox: true } } },
    });
    expect((await getEmail(client, imported.created.i.id, ['subject'])).subject).toBe('A draft');
  });

  test('of a thread are collapsed to the first in order', async () => {
    const client = await openJmapClient(world);
    await world.receive(client, { subject: 'Topic', id: '<t1@example.org>' });
    await world.receive(client, {
      subject: 'Re: Topic',
      id: '<t2@example.org>',
      more: 'In-Reply-To: <t1@example.org>',
    });
    await world.receive(client, { subject: 'Other' });
    const all = await client.call('Email/query', { calculateTotal: true });
    const collapsed = await client.call('Email/query', { collapseThreads: true, calculateTotal: true });
    expect([all.total, collapsed.total]).toEqual([3, 2]);
    const anchored = await client.call('Email/query', { anchor: all.ids[1], anchorOffset: -1, limit: 2 });
    expect(anchored).toMatchObject({ position: 0, ids: all.ids.slice(0, 2) });
    const last = await client.call('Email/query', { position: -1 });
    expect(last.ids).toEqual([all.ids[2]]);
  });
});

describe('changes', () => {
  test('of webmail, IMAP and delivery are listed in pages, each once', async () => {
    const client = await openJmapClient(world);
    const { state } = await client.call('Email/get', { ids: [] });
    for (let count = 0; count < 5; count += 1) await world.receive(client);
    const { ids } = await client.call('Email/query', { sort: [{ property: 'receivedAt' }] });
    const [thread] = await world.threads(client.mailboxId);
    await world.team.call('PATCH', `/threads/${thread!.id}`, { unread: false });
    const seen: string[] = [];
    let since = state;
    for (let more = true; more;) {
      const page = await client.call('Email/changes', { sinceState: since, maxChanges: 2 });
      expect(page.created.length + page.updated.length + page.destroyed.length).toBeLessThanOrEqual(2);
      expect(page.updated).toEqual([]);
      seen.push(...page.created);
      [since, more] = [page.newState, page.hasMoreChanges];
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
    await client.call('Email/set', {
      destroy: [ids[0]],
      update: { [ids[1]]: { 'keywords/$flagged': true } },
    });
    expect(await client.call('Email/changes', { sinceState: since })).toMatchObject({
      created: [],
      updated: [ids[1]],
      destroyed: [ids[0]],
    });
  });

  test('of a draft in webmail give it another id, because the content of an Email never changes', async () => {
    const client = await openJmapClient(world);
    const path = `/mailboxes/${client.mailboxId}/drafts`;
    const { body: draft } = await world.team.call('POST', path, { subject: 'Plan', text: 'first words' });
    const { ids: before, queryState } = await client.call('Email/query', { filter: { inMailbox: 'drafts' } });
    const { state } = await client.call('Email/get', { ids: [] });
    const read = { fetchTextBodyValues: true, properties: ['bodyValues', 'textBody', 'subject'] };
    expect(JSON.stringify(await client.call('Email/get', { ids: before, ...read }))).toContain('first words');
    const { status } = await world.team.call('PATCH', `${path}/${draft.id}`, { text: 'other words' });
    expect(status).toBe(200);
    const { ids: after } = await client.call('Email/query', { filter: { inMailbox: 'drafts' } });
    expect(after).not.toEqual(before);
    expect((await client.call('Email/get', { ids: before })).notFound).toEqual(before);
    expect(JSON.stringify(await client.call('Email/get', { ids: after, ...read }))).toContain('other words');
    const changes = await client.call('Email/changes', { sinceState: state });
    expect(changes).toMatchObject({ created: after, updated: [] });
    expect(changes.destroyed).toEqual(expect.arrayContaining(before));
    const ofQuery = await client.call('Email/queryChanges', {
      filter: { inMailbox: 'drafts' },
      sinceQueryState: queryState,
    });
    expect(ofQuery.removed).toEqual(expect.arrayContaining(before));
    expect(ofQuery.added).toEqual([{ id: after[0], index: 0 }]);
  });

  test('of threads list those that a late message has joined', async () => {
    const client = await openJmapClient(world);
    const ids = ['<m1@example.org>', '<m2@example.org>', '<m3@example.org>'];
    await world.receive(client, { subject: 'First', id: ids[0] });
    await world.receive(client, { subject: 'Third', id: ids[2], more: `References: ${ids[1]}` });
    const { ids: emails } = await client.call('Email/query');
    const { list, state } = await client.call('Email/get', { ids: emails, properties: ['threadId'] });
    expect(new Set(list.map(({ threadId }: Json) => threadId)).size).toBe(2);
    await world.receive(client, { subject: 'Second', id: ids[1], more: `In-Reply-To: ${ids[0]}` });
    const changes = await client.call('Thread/changes', { sinceState: state });
    expect(changes.updated).toHaveLength(1);
    expect(changes.destroyed).toHaveLength(1);
    const threads = await client.call('Thread/get', { ids: [...changes.updated, ...changes.destroyed] });
    expect(threads.list[0].emailIds).toHaveLength(3);
    expect(threads.notFound).toEqual(changes.destroyed);
  });

  test('of a query lead from the old list to the new one', async () => {
    const client = await openJmapClient(world);
    for (let count = 0; count < 4; count += 1) await world.receive(client);
    const query = {
      filter: { notKeyword: '$flagged' },
      sort: [{ property: 'receivedAt', isAscending: false }],
    };
    const before = await client.call('Email/query', query);
    await world.receive(client);
    await client.call('Email/set', { update: { [before.ids[1]]: { 'keywords/$flagged': true } } });
    await client.call('Email/set', { destroy: [before.ids[3]] });
    const changes = await client.call('Email/queryChanges', {
      ...query,
      sinceQueryState: before.queryState,
      calculateTotal: true,
    });
    const list: string[] = before.ids.filter((id: string) => !changes.removed.includes(id));
    for (const { id, index } of changes.added) list.splice(index, 0, id);
    const after = await client.call('Email/query', query);
    expect(list).toEqual(after.ids);
    expect(changes.total).toBe(after.ids.length);
  });

  test('are pushed by the event source', async () => {
    const client = await openJmapClient(world);
    const response = await client.get('/jmap/events?types=Email&closeafter=state&ping=0');
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const reading = response.text();
    await world.receive(client);
    const text = await reading;
    const data = JSON.parse(/data: (.*)/.exec(text)![1]!);
    expect(data['@type']).toBe('StateChange');
    const { state } = await client.call('Email/get', { ids: [] });
    expect(data.changed[client.accountId]).toEqual({ Email: state });
  });

  test('end with the app password', async () => {
    const client = await openJmapClient(world);
    const response = await client.get('/jmap/events?types=*&closeafter=no&ping=0');
    const { body } = await world.team.call('GET', `/mailboxes/${client.mailboxId}/app-passwords`);
    await world.team.call('DELETE', `/mailboxes/${client.mailboxId}/app-passwords/${body.items[0].id}`);
    expect(await response.text()).not.toContain('event: state');
  });
});

describe('another mailbox', () => {
  test('stays closed, with its ids, blobs and account', async () => {
    const [client, other] = [await openJmapClient(world), await openJmapClient(world)];
    const id = await createDraft(other);
    const { blobId } = await getEmail(other, id, ['blobId']);
    const uploaded = await other.upload('secret');
    expect((await client.call('Email/get', { ids: [id] })).notFound).toEqual([id]);
    expect((await client.call('Email/set', { destroy: [id] })).notDestroyed[id].type).toBe('notFound');
    expect((await client.call('Email/set', { update: { [id]: { keywords: {} } } })).notUpdated[id].type).toBe(
      'notFound',
    );
    for (const blob of [blobId, uploaded, `${blobId}-1`]) {
      expect((await client.get(`/jmap/download/${client.accountId}/${blob}/x`)).status).toBe(404);
      expect((await client.get(`/jmap/download/${other.accountId}/${blob}/x`)).status).toBe(404);
    }
    expect((await client.call('Email/parse', { blobIds: [blobId, uploaded] })).notFound).toHaveLength(2);
    await expect(client.call('Email/get', { accountId: other.accountId, ids: [] })).rejects.toThrow(
      'accountNotFound',
    );
    const { identityIds } = {
      identityIds: (await other.call('Identity/get')).list.map((each: Json) => each.id),
    };
    const { notCreated } = await client.call('EmailSubmission/set', {
      create: { s: { emailId: await createDraft(client), identityId: identityIds[0] } },
    });
    expect(notCreated.s.type).toBe('invalidProperties');
    const wrong = createJmapClient(world.server.url, {
      ...other,
      id: other.accountId,
      address: client.address,
    });
    expect((await wrong.get('/.well-known/jmap')).status).toBe(401);
  });
});
